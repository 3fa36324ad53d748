import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { ReactNode } from 'react';
import { formatClock } from '../../ui/format-clock.ts';
import { describeEvent, eventTone } from './describe-event.ts';

const TONES = { failed: 'text-failed', needs: 'text-needs', plain: '' } as const;
const GLYPHS = { failed: '⊘', needs: '▲' } as const;

/** The line of an event or of a group of events: time, what happened, and a button that expands the line. */
export function EventHead(props: {
  event: ConsoleEvent;
  at: string;
  /** Glyph before the text. If the event failed or needs a person, another glyph shows this instead. */
  glyph: '·' | '●';
  open: boolean;
  /** Whether the sentence about the event wraps while the line is expanded. Otherwise, a long sentence is cut off. */
  wrapsWhenOpen: boolean;
  children?: ReactNode;
  /** Shown at the end of the event's line, outside the button that expands the line. */
  end: ReactNode;
  onToggle: () => void;
}) {
  const { event, at, glyph, open, wrapsWhenOpen, children, end, onToggle } = props;
  const tone = eventTone(event);
  return (
    <div className="flex min-h-7 items-center gap-2 px-3 hover:bg-hover max-md:[&>a]:min-w-10 max-md:[&>a]:py-3">
      <button
        aria-expanded={open}
        className="flex min-w-0 flex-1 items-baseline gap-2 py-1 text-left max-md:py-2.5"
        onClick={onToggle}
        type="button"
      >
        <time
          className="w-17 shrink-0 text-sm text-quiet tabular-nums"
          dateTime={at}
          title={new Date(at).toLocaleString()}
        >
          {formatClock(at)}
        </time>
        <span aria-hidden className={`w-3 shrink-0 text-center ${tone === 'plain' ? 'text-quiet' : TONES[tone]}`}>
          {tone === 'plain' ? glyph : GLYPHS[tone]}
        </span>
        <span
          className={`min-w-0 ${open && wrapsWhenOpen ? 'break-words' : 'md:truncate max-md:line-clamp-2'} ${TONES[tone]}`}
        >
          {describeEvent(event)}
        </span>
        {children}
      </button>
      {end}
    </div>
  );
}

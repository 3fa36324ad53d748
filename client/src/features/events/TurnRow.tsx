import { formatClock } from '../../ui/format-clock.ts';
import { Chevron } from '../../ui/Select.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { describeEvent, eventTone } from './describe-event.ts';
import { GLYPHS, TONES } from './EventRow.tsx';
import type { EventGroupRow } from './turns.ts';

/** The events of a turn in one line: when it ended or last changed, what it led to, and how many events it has. */
export function TurnRow(props: { group: EventGroupRow; open: boolean; showsSession: boolean; onToggle: () => void }) {
  const { group, open, showsSession, onToggle } = props;
  const { head, events, sessionId } = group;
  const last = events.at(-1) ?? head;
  const tone = eventTone(head);
  return (
    <div className="flex min-h-7 items-center gap-2 px-3 hover:bg-hover">
      <button
        aria-expanded={open}
        className="flex min-w-0 flex-1 items-baseline gap-2 py-1 text-left"
        onClick={onToggle}
        type="button"
      >
        <time
          className="w-17 shrink-0 text-sm text-quiet tabular-nums"
          dateTime={last.at}
          title={new Date(last.at).toLocaleString()}
        >
          {formatClock(last.at)}
        </time>
        <span aria-hidden className={`w-3 shrink-0 text-center ${tone === 'plain' ? 'text-quiet' : TONES[tone]}`}>
          {tone === 'plain' ? '●' : GLYPHS[tone]}
        </span>
        <span className={`min-w-0 md:truncate max-md:line-clamp-2 ${TONES[tone]}`}>{describeEvent(head)}</span>
        <span className="ml-1 flex shrink-0 items-center gap-1 text-sm text-quiet">
          {events.length} events
          <span aria-hidden className={open ? 'rotate-180' : ''}>
            <Chevron />
          </span>
        </span>
      </button>
      {showsSession && sessionId !== undefined ? <SessionLink sessionId={sessionId} /> : null}
    </div>
  );
}

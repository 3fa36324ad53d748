import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { formatClock } from '../../ui/format-clock.ts';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { describeEvent, eventFacts, eventTone } from './describe-event.ts';
import { sessionOf } from './turns.ts';

export const TONES = { failed: 'text-failed', needs: 'text-needs', plain: '' } as const;
export const GLYPHS = { failed: '⊘', needs: '▲', plain: '·' } as const;

/** One event with time, description and actor; expands to its details. */
export function EventRow(props: {
  event: ConsoleEvent;
  open: boolean;
  /** Whether the event shows its session. */
  showsSession?: boolean;
  onToggle: () => void;
}) {
  const { event, open, showsSession = false, onToggle } = props;
  const sessionId = showsSession ? sessionOf(event) : undefined;
  const tone = eventTone(event);
  return (
    <>
      <div className="flex min-h-7 items-center gap-2 px-3 hover:bg-hover">
        <button
          aria-expanded={open}
          className="flex min-w-0 flex-1 items-baseline gap-2 py-1 text-left"
          onClick={onToggle}
          type="button"
        >
          <time
            className="w-17 shrink-0 text-sm text-quiet tabular-nums"
            dateTime={event.at}
            title={new Date(event.at).toLocaleString()}
          >
            {formatClock(event.at)}
          </time>
          <span aria-hidden className={`w-3 shrink-0 text-center ${tone === 'plain' ? 'text-quiet' : TONES[tone]}`}>
            {GLYPHS[tone]}
          </span>
          <span className={`min-w-0 ${open ? 'break-words' : 'md:truncate max-md:line-clamp-2'} ${TONES[tone]}`}>
            {describeEvent(event)}
          </span>
        </button>
        {sessionId === undefined || event.type === 'session.removed' ? (
          <Actor actor={event.actor} viaSessionId={event.viaSessionId} />
        ) : (
          <SessionLink sessionId={sessionId} />
        )}
      </div>
      {open && (
        <dl className="mr-3 mb-2 ml-[92px] grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          <dt className="text-quiet">time</dt>
          <dd>{new Date(event.at).toLocaleString()}</dd>
          {eventFacts(event).map(({ name, value }) => (
            <div className="contents" key={name}>
              <dt className="text-quiet">{name}</dt>
              <dd className="min-w-0 select-text break-words font-mono">
                <UntrustedText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** Actor of an event. Empty for the console itself, which causes most events. */
function Actor({ actor, viaSessionId }: { actor: string; viaSessionId: string | undefined }) {
  const [kind, id = ''] = actor.split(/:(.*)/);
  const sessionId = kind === 'session' ? id : viaSessionId;
  if (sessionId !== undefined && sessionId !== '') return <SessionLink sessionId={sessionId} />;
  if (kind !== 'user') return null;
  return <span className="shrink-0 text-sm text-quiet">you</span>;
}

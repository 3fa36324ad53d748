import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { Link } from '@tanstack/react-router';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { useUserLabel } from '../settings/use-user-label.ts';
import { eventFacts } from './describe-event.ts';
import { EventHead } from './EventHead.tsx';
import { sessionOf } from './turns.ts';

export function EventRow(props: {
  event: ConsoleEvent;
  open: boolean;
  /**
   * Whether the row links to the session or run of the event, if there is one, instead of showing who caused the event.
   */
  showsSession?: boolean;
  onToggle: () => void;
}) {
  const { event, open, showsSession = false, onToggle } = props;
  const ofWorktree = useSessionOfWorktree(event);
  const sessionId = showsSession ? (sessionOf(event) ?? ofWorktree) : undefined;
  return (
    <>
      <EventHead
        at={event.at}
        end={
          showsSession && event.subject.kind === 'orchestration' ? (
            <RunLink runId={event.subject.id} />
          ) : sessionId === undefined || event.type === 'session.removed' ? (
            <Actor actor={event.actor} viaSessionId={event.viaSessionId} />
          ) : (
            <SessionLink sessionId={sessionId} />
          )
        }
        event={event}
        glyph="·"
        onToggle={onToggle}
        open={open}
        wrapsWhenOpen
      />
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

/** Returns the id of the first session in the worktree that an event is about; undefined if there is none. */
function useSessionOfWorktree({ subject: { kind, id } }: ConsoleEvent): string | undefined {
  return useSessions(({ order, sessions }) =>
    kind === 'worktree' ? order.find((each) => sessions[each]?.worktreeId === id) : undefined,
  );
}

function RunLink({ runId }: { runId: string }) {
  return (
    <Link className="shrink-0 text-sm text-accent hover:underline" params={{ runId }} to="/runs/$runId">
      Open run
    </Link>
  );
}

/**
 * Shows the session that caused an event or, without one, the user. Empty for the console itself, which causes most
 * events.
 */
function Actor({ actor, viaSessionId }: { actor: string; viaSessionId: string | undefined }) {
  const [kind, id = ''] = actor.split(/:(.*)/);
  const sessionId = kind === 'session' ? id : viaSessionId;
  if (sessionId !== undefined && sessionId !== '') return <SessionLink sessionId={sessionId} />;
  return kind === 'user' ? <UserLabel userId={id} /> : null;
}

function UserLabel({ userId }: { userId: string }) {
  return <span className="shrink-0 text-sm text-quiet">{useUserLabel(userId)}</span>;
}

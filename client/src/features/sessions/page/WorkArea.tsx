import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { lazy, type ReactNode, type RefObject, Suspense } from 'react';
import { type TerminalFocus, TerminalPane } from '../../../terminal/index.tsx';
import { Age } from '../../../ui/Age.tsx';
import { Button } from '../../../ui/Button.tsx';
import { DelayedFallback } from '../../../ui/DelayedFallback.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import { HeldKeys } from '../../diff/HeldKeys.tsx';
import { describeEnd, isLive, sessionName } from '../badge.ts';
import { AGENT_ACTIONS } from './agent-actions.ts';
import { actionsOf } from './offered-actions.ts';
import { startAgent, usePending } from './session-actions.ts';
import type { SessionView } from './session-views.ts';

const ConversationView = lazy(async () => ({
  default: (await import('../../conversation/ConversationView.tsx')).ConversationView,
}));
const DiffView = lazy(async () => ({ default: (await import('../../diff/DiffView.tsx')).DiffView }));
const EventsView = lazy(async () => ({ default: (await import('../../events/EventsView.tsx')).EventsView }));

export function WorkArea(props: {
  session: Session;
  view: SessionView;
  worker: Worker | undefined;
  terminal: RefObject<TerminalFocus | null>;
  onLeave: () => void;
  /** The agent's pending question, shown at the end of the conversation. */
  question: ReactNode;
  /**
   * Height in pixels of the agent's question, which covers the lower part of the terminal. The terminal is not resized.
   */
  coveredPx: number;
}) {
  const { session, view } = props;
  const waiting = (
    <>
      {view === 'diff' ? <HeldKeys /> : null}
      <DelayedFallback>
        <EmptyState>Loading…</EmptyState>
      </DelayedFallback>
    </>
  );
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-hidden [anchor-name:--view]" data-view={view}>
      <Suspense fallback={waiting}>
        {view === 'conversation' ? <ConversationView question={props.question} session={session} /> : null}
        {view === 'events' ? <EventsView sessionId={session.id} /> : null}
        {view === 'diff' ? <DiffView session={session} /> : null}
        {view === 'terminal' ? <Terminal {...props} /> : null}
      </Suspense>
    </div>
  );
}

function Terminal({ session, worker, terminal, onLeave, coveredPx }: Parameters<typeof WorkArea>[0]) {
  if (worker === undefined) return <NotStarted session={session} />;
  if (worker.type === 'agent' && session.driver === 'acp') return <NoTerminal />;
  const ended = !isLive(worker);
  return (
    <div className="flex h-full flex-col">
      <div className="min-h-0 flex-1">
        <TerminalPane
          focusRef={terminal}
          key={worker.id}
          label={escapeHidden(sessionName(session))}
          onLeave={onLeave}
          sessionId={session.id}
          workerId={worker.id}
          coveredPx={coveredPx}
        />
      </div>
      {ended && worker.type === 'agent' ? <Ended agent={worker} session={session} /> : null}
    </div>
  );
}

function NoTerminal() {
  return (
    <EmptyState>
      <p className="text-text">This agent has no terminal.</p>
      <p>Everything the agent does is shown in its conversation.</p>
    </EmptyState>
  );
}

const LINE = 'flex min-h-9 shrink-0 items-center gap-3 border-t border-line px-3 py-1';

function Ended({ agent, session }: { agent: Worker; session: Session }) {
  const pending = usePending((all) => all[session.id]);
  const { status, queued } = session;
  const { agent: action } = actionsOf(session);
  const rests = status === 'paused' || status === 'stopped';
  const lost = agent.state === 'lost';
  const failed = agent.exitCode !== 0 && !rests && !lost;
  return (
    <div className={LINE} role="status">
      <span className={`min-w-0 flex-1 ${failed ? 'text-failed' : 'text-quiet'}`}>
        {failed ? '⊘ ' : lost && !rests ? '◌ ' : ''}
        <UntrustedText text={rests ? `The agent is ${status}` : describeEnd(agent)} /> ·{' '}
        <Age since={agent.activitySince} />.{agent.logOffset === 0 ? '' : " The agent's last screen is shown."}
        {queued > 0 ? ` Prompts queued until the agent starts again: ${queued}.` : ''}
      </span>
      {/* The agent in this view has ended, so `pause` would pause another agent of the session. */}
      {action === undefined || action === 'pause' ? null : (
        <Button busy={pending !== undefined} onClick={() => AGENT_ACTIONS[action].run(session)}>
          {AGENT_ACTIONS[action].label}
        </Button>
      )}
    </div>
  );
}

function NotStarted({ session }: { session: Session }) {
  const pending = usePending((all) => all[session.id]);
  return (
    <EmptyState>
      <p className="text-text">Not started</p>
      <p>The agent starts when you send the first prompt.</p>
      {session.archivedAt === null ? (
        <Button busy={pending !== undefined} onClick={() => startAgent(session)}>
          Start the agent without a prompt
        </Button>
      ) : null}
    </EmptyState>
  );
}

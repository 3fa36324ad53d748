import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { Link } from '@tanstack/react-router';
import { totalsOf, useDiff } from '../../diff/use-diff.ts';
import { agentOf, isLive } from '../badge.ts';
import { endWorker, openTerminal } from './session-actions.ts';
import { defaultView, type SessionSearch, type SessionView, useOpenSession } from './session-views.ts';

const VIEWS: readonly { view: SessionView; name: string; key: string }[] = [
  { view: 'terminal', name: 'Terminal', key: 't' },
  { view: 'conversation', name: 'Conversation', key: 'v' },
  { view: 'diff', name: 'Diff', key: 'd' },
  { view: 'events', name: 'Events', key: 'e' },
];

const TAB =
  'flex h-full shrink-0 items-center gap-1 border-b-2 border-transparent px-2.5 text-quiet hover:text-text aria-[current=page]:border-text aria-[current=page]:text-text';

/** Tabs of the work area, and the terminals of the session. */
export function ViewTabs(props: {
  session: Session;
  view: SessionView;
  worker: Worker | undefined;
  /** Called to answer the agent's question. */
  onAnswer: () => void;
}) {
  const { session, view, worker } = props;
  const agent = agentOf(session);
  const asks = agent !== undefined && isLive(agent) && agent.activityState === 'asking';
  const { data: diff } = useDiff(session.worktreeId);
  const changes = diff && totalsOf(diff);
  // If the agent has no terminal, the session's other terminals are opened from the list at the end of the tabs.
  const isOffered = ({ view: each }: (typeof VIEWS)[number]) =>
    each === 'diff' ? session.worktreeId !== null : each !== 'terminal' || session.driver !== 'acp';
  return (
    <div className="relative flex h-9 shrink-0 items-stretch gap-1 overflow-x-auto border-b border-line px-2 [scrollbar-width:none] max-md:h-11">
      <nav aria-label="Views" className="flex">
        {VIEWS.filter(isOffered).map(({ view: each, name, key }) => (
          <Link
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={each === view ? 'page' : undefined}
            className={TAB}
            key={each}
            params={{ sessionId: session.id }}
            replace
            search={each === defaultView(session) ? {} : { view: each }}
            title={`${name} (${key})`}
            to="/sessions/$sessionId"
          >
            {name}
            {each === 'diff' && changes !== undefined && changes.count > 0 ? (
              <span className="text-sm tabular-nums">
                <span className="text-added">+{changes.additions}</span>{' '}
                <span className="text-removed">−{changes.deletions}</span>
              </span>
            ) : null}
          </Link>
        ))}
      </nav>
      <span className="flex-1" />
      {asks ? (
        <button
          className="sticky right-0 z-10 my-1 shrink-0 rounded-md border border-needs bg-needs-bg px-2 font-medium text-needs"
          onClick={props.onAnswer}
          title="Answer the question (a)"
          type="button"
        >
          ▲ Answer
        </button>
      ) : null}
      {view === 'terminal' || session.driver === 'acp' ? (
        <Workers session={session} shown={view === 'terminal' ? worker : undefined} />
      ) : null}
    </div>
  );
}

function terminalName(worker: Worker): string {
  if (!isLive(worker)) return 'Closed terminal';
  return worker.agentWorkerId === null ? 'Terminal' : 'Terminal of the agent';
}

/** The agent, if it has a terminal, and the live terminals of a session. */
function Workers({ session, shown }: { session: Session; shown: Worker | undefined }) {
  const openSession = useOpenSession();
  const show = (search: SessionSearch) => openSession(session.id, search, true);
  const agents = session.workers.filter(({ type }) => type === 'agent');
  // Terminals that the agent opened are left out, because its tool calls show them.
  const terminals = session.workers.filter(
    (worker) => worker.type === 'terminal' && worker.agentWorkerId === null && isLive(worker),
  );
  const agent = session.driver === 'acp' ? undefined : agents.at(-1);
  const choices = [...(agent === undefined ? [] : [agent]), ...terminals];
  if (shown !== undefined && shown.type !== 'agent' && !choices.includes(shown)) choices.push(shown);
  return (
    <div className="flex items-center gap-1">
      {choices.length > 1 || agent === undefined
        ? choices.map((worker) => {
            const number = terminals.indexOf(worker) + 1;
            const name =
              worker.type === 'agent' ? session.agentId : number > 0 ? `Terminal ${number}` : terminalName(worker);
            return (
              <span className="flex h-6 items-center rounded-md border border-line max-md:h-9" key={worker.id}>
                <button
                  aria-pressed={worker.id === shown?.id}
                  className="h-full rounded-md px-2 text-sm text-quiet hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text"
                  onClick={() => show(worker.type === 'agent' ? {} : { worker: worker.id })}
                  type="button"
                >
                  {name}
                </button>
                {worker.type === 'terminal' && isLive(worker) ? (
                  <button
                    aria-label={`Close ${name}`}
                    className="h-full px-1.5 text-quiet hover:text-text"
                    onClick={() => {
                      endWorker(worker);
                      if (worker.id === shown?.id) show({});
                    }}
                    type="button"
                  >
                    ×
                  </button>
                ) : null}
              </span>
            );
          })
        : null}
      <button
        className="h-6 shrink-0 rounded-md px-2 text-sm text-quiet hover:bg-hover hover:text-text max-md:h-9"
        onClick={() => void openTerminal(session).then((opened) => opened && show({ worker: opened.id }))}
        title="Open a shell in the session's folder"
        type="button"
      >
        +<span className="max-md:sr-only"> Terminal</span>
      </button>
    </div>
  );
}

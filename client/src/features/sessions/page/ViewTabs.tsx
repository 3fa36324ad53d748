import type { Session } from '@agent-console/shared/models/session';
import { Link } from '@tanstack/react-router';
import { useKeyHints } from '../../../shell/key-hints.ts';
import { totalsOf, useDiff } from '../../diff/use-diff.ts';
import { agentOf, isLive } from '../badge.ts';
import { defaultView, type SessionView } from './session-views.ts';
import { OpenTerminalButton } from './TerminalStrip.tsx';

const VIEWS: readonly { view: SessionView; name: string }[] = [
  { view: 'terminal', name: 'Terminal' },
  { view: 'conversation', name: 'Conversation' },
  { view: 'diff', name: 'Diff' },
  { view: 'events', name: 'Events' },
];

const TAB =
  'flex h-full shrink-0 items-center gap-1 border-b-2 border-transparent px-2.5 text-quiet hover:text-text aria-[current=page]:border-text aria-[current=page]:text-text';

export function ViewTabs(props: {
  session: Session;
  view: SessionView;
  /**
   * Whether the strip of terminals is shown. The tabs then have no button that opens a terminal, because the strip has
   * one.
   */
  hasStrip: boolean;
  /** Called when the user clicks the button that leads to the agent's question. */
  onAnswer: () => void;
}) {
  const { session, view } = props;
  const agent = agentOf(session);
  const { withKeys } = useKeyHints();
  const asks = agent !== undefined && isLive(agent) && agent.activityState === 'asking';
  const { data: diff } = useDiff(session);
  const changes = diff && totalsOf(diff);
  // A session over ACP has no tab "Terminal", because its agent has no terminal. The strip below the tabs shows the
  // session's other terminals.
  const isOffered = ({ view: each }: (typeof VIEWS)[number]) =>
    each === 'diff' ? session.worktreeId !== null : each !== 'terminal' || session.driver !== 'acp';
  return (
    <div className="relative flex h-9 shrink-0 items-stretch gap-1 overflow-x-auto border-b border-line px-2 [scrollbar-width:none] max-md:h-11">
      <nav aria-label="Views" className="flex">
        {VIEWS.filter(isOffered).map(({ view: each, name }) => (
          <Link
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={each === view ? 'page' : undefined}
            className={TAB}
            key={each}
            params={{ sessionId: session.id }}
            replace
            search={each === defaultView(session) ? {} : { view: each }}
            title={withKeys(name, `show-${each}`)}
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
          className="sticky right-0 z-10 my-1 max-md:my-px shrink-0 rounded-md border border-needs bg-needs-bg px-2 font-medium text-needs"
          onClick={props.onAnswer}
          title={withKeys('Answer the question', 'answer-the-agent-s-question')}
          type="button"
        >
          ▲ Answer
        </button>
      ) : null}
      {props.hasStrip ? null : (
        <span className="flex items-center">
          <OpenTerminalButton session={session} />
        </span>
      )}
    </div>
  );
}

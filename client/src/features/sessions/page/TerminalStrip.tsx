import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { useRef } from 'react';
import { useSize } from '../../../ui/element-size.ts';
import { Menu } from '../../../ui/Menu.tsx';
import { isLive } from '../badge.ts';
import { endWorker, openTerminal } from './session-actions.ts';
import { type SessionSearch, useOpenSession } from './session-views.ts';
import { tabsThatFit } from './terminal-tabs.ts';

/** Width of a tab with its gap, in pixels. */
const TAB_PX = 124;
/** Width in pixels of the menu of further terminals and the button that opens a terminal, taken together. */
const END_PX = 190;

export interface NamedTerminal {
  worker: Worker;
  name: string;
}

/**
 * Returns the terminals of a session: the agent's own terminal, if it has one, and the live terminals that people
 * opened. A closed terminal, or one that the agent opened, is included only if it is `shown`. The agent's tool calls
 * already show the output of the terminals that the agent opened.
 */
function terminalsOf(session: Session, shown: Worker | undefined): NamedTerminal[] {
  const agent = session.driver === 'acp' ? undefined : session.workers.findLast(({ type }) => type === 'agent');
  const own = session.workers.filter(
    (worker) => worker.type === 'terminal' && worker.agentWorkerId === null && isLive(worker),
  );
  const named = own.map((worker, index) => ({ worker, name: `Terminal ${index + 1}` }));
  if (agent !== undefined) named.unshift({ worker: agent, name: session.agentId });
  if (shown !== undefined && shown.type !== 'agent' && !own.includes(shown)) {
    named.push({ worker: shown, name: isLive(shown) ? 'Terminal opened by the agent' : 'Closed terminal' });
  }
  return named;
}

/**
 * Whether a session has terminals that only the strip can show. The tab "Terminal" already shows one terminal. A
 * session over ACP does not have this tab.
 */
export function needsStrip(session: Session, shown: Worker | undefined): boolean {
  return terminalsOf(session, shown).length > (session.driver === 'acp' ? 0 : 1);
}

/** The terminals of a session. Terminals that do not fit are in a menu; the shown terminal is always a tab. */
export function TerminalStrip({ session, shown }: { session: Session; shown: Worker | undefined }) {
  const openSession = useOpenSession();
  const bar = useRef<HTMLElement>(null);
  const width = useSize(bar, ({ clientWidth }) => clientWidth, 0);
  const terminals = terminalsOf(session, shown);
  const show = (search: SessionSearch) => openSession(session.id, search, true);
  const open = ({ worker }: NamedTerminal) => show(worker.type === 'agent' ? {} : { worker: worker.id });
  const current = terminals.findIndex(({ worker }) => worker.id === shown?.id);
  const { tabs, rest } = tabsThatFit(terminals, current, Math.floor((width - END_PX) / TAB_PX));
  return (
    <nav
      aria-label="Terminals"
      className="flex h-8 shrink-0 items-center gap-1 overflow-hidden border-b border-line bg-sunken px-2 max-md:h-11"
      ref={bar}
    >
      {tabs.map((terminal) => (
        <Tab
          key={terminal.worker.id}
          onClose={() => {
            endWorker(terminal.worker);
            if (terminal.worker.id === shown?.id) show({});
          }}
          onOpen={() => open(terminal)}
          shown={terminal.worker.id === shown?.id}
          terminal={terminal}
        />
      ))}
      {rest.length === 0 ? null : (
        <Menu
          groups={[rest.map((terminal) => ({ label: terminal.name, run: () => open(terminal) }))]}
          trigger={
            <button className={`${QUIET} border border-line`} type="button">
              {`${rest.length} more ▾`}
            </button>
          }
        />
      )}
      <span className="flex-1" />
      <OpenTerminalButton session={session} />
    </nav>
  );
}

const QUIET =
  'h-6 shrink-0 rounded-md px-2 text-sm text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:h-10 max-md:min-w-10';

function Tab(props: { terminal: NamedTerminal; shown: boolean; onOpen: () => void; onClose: () => void }) {
  const { terminal, shown, onOpen, onClose } = props;
  const { worker, name } = terminal;
  const closable = worker.type === 'terminal' && isLive(worker);
  return (
    <span
      className={`flex h-6 w-30 shrink-0 items-center rounded-md text-sm max-md:h-10 ${shown ? 'bg-selected text-text' : 'text-quiet hover:bg-hover hover:text-text'}`}
    >
      <button
        aria-current={shown ? 'page' : undefined}
        className="h-full min-w-0 flex-1 truncate rounded-md px-2 text-left"
        onClick={onOpen}
        title={name}
        type="button"
      >
        {name}
      </button>
      {closable ? (
        <button
          aria-label={`Close ${name}`}
          className="h-full shrink-0 rounded-md px-2 hover:text-text max-md:px-3"
          onClick={onClose}
          type="button"
        >
          ×
        </button>
      ) : null}
    </span>
  );
}

export function OpenTerminalButton({ session }: { session: Session }) {
  const openSession = useOpenSession();
  const open = async () => {
    const opened = await openTerminal(session);
    if (opened !== undefined) openSession(session.id, { worker: opened.id }, true);
  };
  // No terminal can be opened in an archived session.
  if (session.archivedAt !== null) return null;
  return (
    <button className={QUIET} onClick={() => void open()} title="Open a shell in the session's folder" type="button">
      +<span className="max-md:sr-only"> Terminal</span>
    </button>
  );
}

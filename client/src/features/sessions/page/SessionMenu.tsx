import type { Session } from '@agent-console/shared/models/session';
import type { ActivityState } from '@agent-console/shared/models/worker';
import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { openDialog } from '../../../shell/dialogs.ts';
import { agentOf, isLive } from '../badge.ts';
import { archive, copy, correctActivity, pause, resume, stop, unarchive } from './session-actions.ts';

const POPUP =
  'min-w-52 rounded-lg border border-line bg-raised py-1 shadow-raised outline-none text-text max-h-(--available-height) overflow-y-auto';
const ITEM =
  'flex h-7 w-full items-center justify-between gap-6 px-3 outline-none select-none data-highlighted:bg-selected data-disabled:opacity-50 max-md:h-11';

const ACTIVITIES: readonly { state: ActivityState; word: string }[] = [
  { state: 'active', word: '◐ Working' },
  { state: 'idle', word: '○ Idle' },
  { state: 'asking', word: '▲ Asking' },
  { state: 'unknown', word: '◌ Unknown' },
];

function Item(props: { onClick: () => void; hint?: string; danger?: boolean; children: ReactNode }) {
  return (
    <Menu.Item className={`${ITEM} ${props.danger === true ? 'text-failed' : ''}`} onClick={props.onClick}>
      {props.children}
      {props.hint === undefined ? null : <span className="text-sm text-quiet">{props.hint}</span>}
    </Menu.Item>
  );
}

/** Actions of a session. */
export function SessionMenu({ session, onRename }: { session: Session; onRename: () => void }) {
  const agent = agentOf(session);
  const living = agent !== undefined && isLive(agent);
  const busy = session.workers.some((worker) => worker.type !== 'git-diff' && isLive(worker));
  const archived = session.archivedAt !== null;
  const ended = session.status === 'paused' || session.status === 'stopped' || (agent !== undefined && !living);
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label="Session actions"
        className="h-7 w-8 shrink-0 rounded-md text-lg leading-none text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:h-11 max-md:w-11"
      >
        ⋯
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" className="z-30" sideOffset={4}>
          <Menu.Popup className={POPUP}>
            {living ? <Item onClick={() => pause(session)}>Pause</Item> : null}
            {ended && !archived ? <Item onClick={() => resume(session)}>Resume</Item> : null}
            {busy ? <Item onClick={() => stop(session)}>Stop</Item> : null}
            <Item hint="r" onClick={onRename}>
              Rename
            </Item>
            {living ? (
              <Menu.SubmenuRoot>
                <Menu.SubmenuTrigger className={ITEM}>
                  Correct activity <span className="text-quiet">▸</span>
                </Menu.SubmenuTrigger>
                <Menu.Portal>
                  <Menu.Positioner className="z-30">
                    <Menu.Popup className={POPUP}>
                      {ACTIVITIES.map(({ state, word }) => (
                        <Item key={state} onClick={() => correctActivity(agent, state)}>
                          {word}
                        </Item>
                      ))}
                    </Menu.Popup>
                  </Menu.Positioner>
                </Menu.Portal>
              </Menu.SubmenuRoot>
            ) : null}
            <Menu.Separator className="my-1 border-t border-line" />
            <Item onClick={() => void copy(session.cwd, 'Path')}>Copy path</Item>
            <Item onClick={() => void copy(session.id, 'ID')}>Copy ID</Item>
            <Item onClick={() => void copy(`npx agent-console sessions prompt ${session.id} ""`, 'Command')}>
              Copy prompt command
            </Item>
            <Menu.Separator className="my-1 border-t border-line" />
            {archived ? (
              <Item onClick={() => unarchive(session)}>Unarchive</Item>
            ) : busy ? null : (
              <Item onClick={() => archive(session)}>Archive</Item>
            )}
            <Item danger onClick={() => openDialog({ kind: 'removeSession', sessionId: session.id })}>
              Remove…
            </Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

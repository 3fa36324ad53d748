import type { Session } from '@agent-console/shared/models/session';
import type { ActivityState } from '@agent-console/shared/models/worker';
import { openDialog } from '../../../shell/dialogs.ts';
import { useKeyHints } from '../../../shell/key-hints.ts';
import { copy } from '../../../ui/copy.ts';
import { Menu } from '../../../ui/Menu.tsx';
import { useMarks } from '../../inbox/marks.ts';
import { pin } from '../../inbox/pin.ts';
import { agentOf, isLive } from '../badge.ts';
import { AGENT_ACTIONS } from './agent-actions.ts';
import { actionsOf } from './offered-actions.ts';
import { archive, correctActivity, stop, unarchive } from './session-actions.ts';

const ACTIVITIES: readonly { state: ActivityState; label: string }[] = [
  { state: 'active', label: '◐ Working' },
  { state: 'idle', label: '○ Idle' },
  { state: 'asking', label: '▲ Asking' },
  { state: 'unknown', label: '◌ Unknown' },
];

export function SessionMenu({ session, onRename }: { session: Session; onRename: () => void }) {
  const { id, cwd } = session;
  const agent = agentOf(session);
  const { keysOf } = useKeyHints();
  const live = agent !== undefined && isLive(agent) ? agent : undefined;
  const { agent: action, isArchived, isBusy, canArchive } = actionsOf(session);
  const isPinned = useMarks(({ pinned }) => pinned[id] !== undefined);
  const command = `npx agent-console sessions prompt ${id} ""`;
  return (
    <Menu
      groups={[
        [
          ...(action === undefined
            ? []
            : [{ label: AGENT_ACTIONS[action].label, run: () => AGENT_ACTIONS[action].run(session) }]),
          ...(isBusy ? [{ label: 'Stop', run: () => stop(session) }] : []),
          { label: 'Rename', hint: keysOf('rename-session'), run: onRename },
          ...(isArchived ? [] : [{ label: 'Labels…', run: () => openDialog({ kind: 'labels', sessionIds: [id] }) }]),
          ...(isArchived ? [] : [{ label: isPinned ? 'Unpin' : 'Pin', run: () => void pin([id], !isPinned) }]),
          ...(live === undefined
            ? []
            : [
                {
                  label: "Correct the agent's activity",
                  actions: ACTIVITIES.map(({ state, label }) => ({ label, run: () => correctActivity(live, state) })),
                },
              ]),
        ],
        [
          { label: 'Copy path', run: () => void copy(cwd, 'path') },
          { label: 'Copy ID', run: () => void copy(id, 'ID') },
          { label: 'Copy command that sends a prompt', run: () => void copy(command, 'command') },
        ],
        [
          ...(isArchived ? [{ label: 'Unarchive', run: () => unarchive(session) }] : []),
          ...(!canArchive ? [] : [{ label: 'Archive', run: () => archive(session) }]),
          { label: 'Remove…', danger: true, run: () => openDialog({ kind: 'removeSession', sessionId: id }) },
        ],
      ]}
      trigger={
        <button
          aria-label="Session actions"
          className="h-7 w-8 shrink-0 rounded-md text-lg leading-none text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:h-11 max-md:w-11"
          type="button"
        >
          ⋯
        </button>
      }
    />
  );
}

import type { Worktree } from '@agent-console/shared/models/worktree';
import { useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import type { MenuAction } from '../../ui/Menu.tsx';
import { finishActions } from '../integrations/finish-actions.ts';

const ACTIONS = [
  { action: 'commit', label: 'Commit…' },
  { action: 'merge', label: 'Merge…' },
] as const;

/** Returns the menu items that commit or merge the work in a branch's worktree. */
export function branchWorkActions(worktree: Worktree): MenuAction[] {
  const { reasons } = finishActions(worktree);
  return ACTIONS.map(({ action, label }) => ({
    label,
    disabled: reasons[action] !== undefined,
    run: () => openDialog({ kind: action, worktreeId: worktree.id }),
  }));
}

/**
 * Buttons that commit or merge the work in a branch's worktree. Each is shown only if its action is available. On a
 * phone, only the branch's menu has these actions.
 */
export function BranchWork({ worktree }: { worktree: Worktree }) {
  const { id: worktreeId, name, branch, gitStatus, state } = worktree;
  const isUnknown = gitStatus === null;
  // A worktree in which nothing has happened yet has no git status. This query makes the server compute it.
  useOperationQuery('worktrees.get', { worktreeId }, { enabled: isUnknown && state === 'ready' });
  if (isUnknown) return null;
  const { reasons } = finishActions(worktree);
  return ACTIONS.filter(({ action }) => reasons[action] === undefined).map(({ action, label }) => (
    <Button
      aria-label={`${label} ${branch ?? name}`}
      className="max-md:hidden"
      key={action}
      kind="quiet"
      onClick={() => openDialog({ kind: action, worktreeId })}
    >
      {label}
    </Button>
  ));
}

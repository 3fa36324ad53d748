import { useRouterState } from '@tanstack/react-router';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useFocusReturn } from '../ui/keep-focus.ts';
import { closeDialog, type DialogBodyProps, type DialogRequest, useDialog } from './dialogs.ts';

const DIALOGS: { [K in DialogRequest['kind']]: ComponentType<DialogBodyProps<K>> } = {
  palette: lazy(() => import('./palette/Palette.tsx')),
  keys: lazy(() => import('./ShortcutsDialog.tsx')),
  operation: lazy(() => import('./operation/OperationDialog.tsx')),
  addRepository: lazy(() => import('../features/repositories/AddRepositoryDialog.tsx')),
  delegate: lazy(() => import('../features/delegations/DelegateDialog.tsx')),
  startSession: lazy(() => import('../features/worktrees/StartSessionDialog.tsx')),
  newLikeThis: lazy(() => import('../features/worktrees/NewLikeThisDialog.tsx')),
  board: lazy(() => import('../features/boards/BoardDialog.tsx')),
  removeBoard: lazy(() => import('../features/boards/RemoveBoardDialog.tsx')),
  removeZone: lazy(() => import('../features/boards/RemoveZoneDialog.tsx')),
  zone: lazy(() => import('../features/boards/ZoneDialog.tsx')),
  moveToZone: lazy(() => import('../features/boards/MoveDialog.tsx')),
  createWorktree: lazy(() => import('../features/worktrees/CreateWorktreeDialog.tsx')),
  renameWorktree: lazy(() => import('../features/worktrees/RenameWorktreeDialog.tsx')),
  removeWorktree: lazy(() => import('../features/worktrees/RemoveWorktreeDialog.tsx')),
  commit: lazy(() => import('../features/integrations/CommitDialog.tsx')),
  discard: lazy(() => import('../features/integrations/DiscardDialog.tsx')),
  updateFromBase: lazy(() => import('../features/integrations/UpdateDialog.tsx')),
  push: lazy(() => import('../features/integrations/PushDialog.tsx')),
  merge: lazy(() => import('../features/integrations/MergeDialog.tsx')),
  overlaps: lazy(() => import('../features/overlaps/OverlapsDialog.tsx')),
  newRun: lazy(() => import('../features/runs/NewRunDialog.tsx')),
  cancelRun: lazy(() => import('../features/runs/CancelRunDialog.tsx')),
  addAgent: lazy(() => import('../features/runs/AddAgentDialog.tsx')),
  agentOfRun: lazy(() => import('../features/runs/AgentDialog.tsx')),
  renameSession: lazy(() => import('./session-dialogs/RenameSessionDialog.tsx')),
  forkSession: lazy(() => import('./session-dialogs/ForkSessionDialog.tsx')),
  labels: lazy(() => import('../features/labels/LabelsDialog.tsx')),
  removeSession: lazy(() => import('./session-dialogs/RemoveSessionDialog.tsx')),
};

/** Preloads the dialogs that a shortcut can open on every page. */
export async function preloadDialogs(): Promise<void> {
  await import('./palette/Palette.tsx');
  await import('../features/delegations/DelegateDialog.tsx');
  await import('./ShortcutsDialog.tsx');
}

/** Renders the open dialog. Navigation closes it. */
export default function DialogHost(): ReactNode {
  useFocusReturn();
  const request = useDialog((state) => state.request);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const openedAt = useRef(path);
  useEffect(() => {
    if (openedAt.current !== path) closeDialog();
  }, [path]);
  if (request === undefined) return null;
  const Body = DIALOGS[request.kind] as ComponentType<DialogBodyProps>;
  return (
    <Suspense>
      <Body key={JSON.stringify(request)} onClose={() => closeDialog(request)} request={request} />
    </Suspense>
  );
}

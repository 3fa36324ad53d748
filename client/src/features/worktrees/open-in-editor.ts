import { useOperationMutation } from '../../api/operations.ts';
import { failureToast } from '../../ui/toasts.ts';

/**
 * Returns a function that opens a worktree in the editor that is configured in the settings: with a program on the
 * console's machine, or with a URL that the browser opens.
 */
export function useOpenInEditor(): { run(worktreeId: string): void; isPending: boolean } {
  const show = ({ url }: { url: string | null }) => {
    // Opening a URL with an editor's scheme, such as `vscode:`, starts the editor and leaves the page open.
    if (url !== null) location.assign(url);
  };
  const onError = failureToast('Could not open the editor');
  const open = useOperationMutation('worktrees.openInEditor', {
    onSuccess: show,
    onLateSuccess: show,
    onLateError: onError,
  });
  return {
    run: (worktreeId) => open.mutate({ worktreeId }, { onError }),
    isPending: open.isPending,
  };
}

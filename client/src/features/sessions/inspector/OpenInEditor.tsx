import { useOperationMutation } from '../../../api/operations.ts';
import { Button } from '../../../ui/Button.tsx';
import { failureToast } from '../../../ui/toasts.ts';

/** Opens a worktree with the editor of the settings: a program on the console's machine, or an address. */
export function OpenInEditor({ worktreeId }: { worktreeId: string }) {
  const open = useOperationMutation('worktrees.openInEditor', {
    onSuccess: ({ url }) => {
      // An address with the scheme of an editor does not leave the page.
      if (url !== null) location.assign(url);
    },
  });
  return (
    <Button
      busy={open.isPending}
      onClick={() => open.mutate({ worktreeId }, { onError: failureToast('Could not open the editor') })}
    >
      Open in editor
    </Button>
  );
}

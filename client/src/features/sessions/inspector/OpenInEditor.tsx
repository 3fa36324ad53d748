import { useOperationMutation } from '../../../api/operations.ts';
import { Button } from '../../../ui/Button.tsx';
import { failureToast } from '../../../ui/toasts.ts';

/**
 * Button that opens a worktree in the editor that is configured in the settings: with a program on the console's
 * machine, or with a URL that the browser opens.
 */
export function OpenInEditor({ worktreeId }: { worktreeId: string }) {
  const show = ({ url }: { url: string | null }) => {
    // A URL with an editor's scheme does not navigate away from the page.
    if (url !== null) location.assign(url);
  };
  const open = useOperationMutation('worktrees.openInEditor', { onSuccess: show, onLateSuccess: show });
  return (
    <Button
      busy={open.isPending}
      onClick={() => open.mutate({ worktreeId }, { onError: failureToast('Could not open the editor') })}
    >
      Open in editor
    </Button>
  );
}

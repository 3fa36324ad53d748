import { Button } from '../../../ui/Button.tsx';
import { useOpenInEditor } from '../../worktrees/open-in-editor.ts';

export function OpenInEditor({ worktreeId }: { worktreeId: string }) {
  const { run, isPending } = useOpenInEditor();
  return (
    <Button busy={isPending} onClick={() => run(worktreeId)}>
      Open in editor
    </Button>
  );
}

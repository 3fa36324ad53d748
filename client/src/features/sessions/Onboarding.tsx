import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState, ShellCommand } from '../../ui/EmptyState.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { useSessions } from './sessions-store.ts';

/** First steps, shown while there are no sessions. */
export function Onboarding() {
  const known = useSessions(({ repositories }) => Object.keys(repositories).length > 0);
  return (
    <EmptyState>
      <p className="text-lg text-text">No sessions yet</p>
      <p>
        {known
          ? 'Delegate work to an agent, which gets its own worktree.'
          : 'Choose a repository for your agents to work in.'}
      </p>
      {known ? (
        <DelegateButton />
      ) : (
        <Button className="max-md:h-11" kind="primary" onClick={() => openDialog({ kind: 'addRepository' })}>
          Add repository
        </Button>
      )}
      <p className="pt-3 text-sm">Or run this in your Agent Console clone:</p>
      <ShellCommand>
        {known
          ? 'npx agent-console delegate "Fix the flaky login test"'
          : 'npx agent-console repositories create --path /path/to/repository'}
      </ShellCommand>
    </EmptyState>
  );
}

/** Button of an empty state, with its shortcut. */
export function DelegateButton() {
  return (
    <>
      <Button className="max-md:h-11" kind="primary" onClick={() => openDialog({ kind: 'delegate' })}>
        Delegate work
      </Button>
      <p className="max-md:hidden">
        or press <Kbd>c</Kbd>
      </p>
    </>
  );
}

import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { useSessions } from './sessions-store.ts';

/** Nothing is here yet: how to begin. */
export function Onboarding() {
  const known = useSessions(({ repositories }) => Object.keys(repositories).length > 0);
  const add = () => openDialog({ kind: 'addRepository' });
  const delegate = () => openDialog({ kind: 'delegate' });
  return (
    <EmptyState>
      <p className="text-lg text-text">No sessions yet</p>
      <p>
        {known
          ? 'Hand work to an agent, in a worktree of its own.'
          : 'Add a repository of yours: agents work in worktrees of it.'}
      </p>
      <Button className="max-md:h-11" kind="primary" onClick={known ? delegate : add}>
        {known ? 'Delegate work' : 'Add a repository'}
      </Button>
      {known ? (
        <p className="max-md:hidden">
          or press <Kbd>c</Kbd>
        </p>
      ) : null}
      <p className="pt-3 text-sm">The same in a terminal, in the clone of Agent Console:</p>
      <Command>
        {known
          ? 'npx agent-console delegate "Fix the flaky login test"'
          : 'npx agent-console repositories create --path /path/of/it'}
      </Command>
    </EmptyState>
  );
}

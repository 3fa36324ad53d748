import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Command, Empty } from '../../ui/Empty.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { useDirectory } from './directory.ts';

/** Nothing is here yet: how to begin. */
export function First() {
  const known = useDirectory(({ repositories }) => Object.keys(repositories).length > 0);
  const add = () => openDialog({ kind: 'addRepository' });
  const delegate = () => openDialog({ kind: 'delegate' });
  return (
    <Empty>
      <p className="text-lg text-text">No sessions yet</p>
      {known ? (
        <>
          <p>Hand work to an agent, in a worktree of its own:</p>
          <Command>{'agent-console delegate "Fix the flaky login test"'}</Command>
        </>
      ) : (
        <>
          <p>First say which repository agents shall work in:</p>
          <Command>agent-console repositories create --path "$PWD"</Command>
        </>
      )}
      <Button className="max-md:h-11" kind="primary" onClick={known ? delegate : add}>
        {known ? 'Delegate work' : 'Add a repository'}
      </Button>
      {known ? (
        <p className="max-md:hidden">
          or press <Kbd>c</Kbd>
        </p>
      ) : null}
    </Empty>
  );
}

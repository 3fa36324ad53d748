import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import { editorAddress, editorArguments } from '../domain/editor.ts';
import { commandEnvironment } from '../domain/environment.ts';
import { worktreeRow } from '../engine/rows.ts';
import type { WorktreeRow } from '../ports/rows.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

/** Returns the absolute path of a file or folder in a worktree. @throws VALIDATION if it is not in the worktree. */
async function pathInside(
  { host }: OperationContext,
  worktree: WorktreeRow,
  path: string | undefined,
): Promise<string> {
  if (path === undefined) return worktree.path;
  const kind = await host.findInside({ cwd: worktree.path }, path);
  if (kind === 'file' || kind === 'folder') return host.realPath(`${worktree.path}/${path}`);
  throw fieldError('path', `${path} is not a file or folder in the worktree; pass a path relative to the worktree`, {
    path,
  });
}

function openInEditor(context: OperationContext): Implementation<'worktrees.openInEditor'> {
  return async ({ worktreeId, path: file, line = 1 }) => {
    const { storage, settings, host } = context;
    const worktree = await worktreeRow(storage.read.worktrees, worktreeId);
    if (!(await host.isPresent(worktree))) {
      throw new ConsoleError(
        'CONFLICT',
        'The folder of the worktree does not exist. Restore the folder, or choose another worktree.',
        { worktreeId },
      );
    }
    const { editorCommand, editorUrl } = await settings.current();
    const path = await pathInside(context, worktree, file);
    if (editorCommand === '' && editorUrl !== '') return { path, url: editorAddress(editorUrl, { path, line }) };
    const [program, ...args] = editorArguments(editorCommand, { path, line });
    if (editorCommand === '' || program === undefined) {
      const update = see('settings.update');
      throw new ConsoleError('CONFLICT', 'No editor is set. Set editorCommand or editorUrl in the settings.', {
        see: update,
      });
    }
    const found = await host.which(program);
    if (found === null) {
      throw new ConsoleError(
        'CONFLICT',
        `${program} was not found on the PATH of the console. Change the setting editorCommand.`,
      );
    }
    const env = commandEnvironment(host.environment);
    const { exitCode, output } = await host.startProgram(found, args, { cwd: worktree.path, env });
    if (exitCode === null || exitCode === 0) return { path, url: null };
    throw new ConsoleError('CONFLICT', `The editor ${program} exited with code ${exitCode}. ${output}`.trim(), {
      exitCode,
    });
  };
}

export function editorOperations(context: OperationContext) {
  return { 'worktrees.openInEditor': openInEditor(context) } satisfies Partial<Implementations>;
}

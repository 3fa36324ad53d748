import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import { presentRepository } from '../../engine/present.ts';
import { repositoryRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';

export function updateRepository({
  storage,
  git,
}: Pick<OperationContext, 'storage' | 'git'>): Implementation<'repositories.update'> {
  return async ({ repositoryId, ...changes }, call) => {
    const patch = omitUndefined(changes);
    if (patch.defaultBranch !== undefined) {
      const { path } = await repositoryRow(storage.read.repositories, repositoryId);
      if (!(await git.branchExists(path, patch.defaultBranch))) {
        throw new ConsoleError('VALIDATION', `There is no branch ${patch.defaultBranch} in this repository.`, {
          branch: patch.defaultBranch,
        });
      }
    }
    return storage.write(authorOf(call), async (tx) => {
      await tx.repositories.update(repositoryId, patch);
      await tx.record({
        type: 'repository.updated',
        subject: { kind: 'repository', id: repositoryId },
        data: { repositoryId, changed: Object.keys(patch) },
      });
      return presentRepository(await repositoryRow(tx.repositories, repositoryId));
    });
  };
}

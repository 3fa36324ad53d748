import { ConsoleError } from '@agent-console/shared/errors';
import { workerRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function readScreen({
  storage,
  screens,
}: Pick<OperationContext, 'storage' | 'screens'>): Implementation<'workers.screen'> {
  return async ({ workerId, scrollback, format }) => {
    const worker = await workerRow(storage.read.workers, workerId);
    if (worker.type === 'git-diff') {
      throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no terminal. Use GET /api/worktrees/:id/diff.', {
        workerId,
      });
    }
    return { workerId, ...(await screens.view(workerId, { scrollback, format })) };
  };
}

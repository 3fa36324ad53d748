import { ConsoleError } from '@agent-console/shared/errors';
import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';

export function readScreen({ storage, screens }: Pick<Kit, 'storage' | 'screens'>): Implementation<'workers.screen'> {
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

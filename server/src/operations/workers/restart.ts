import { ConsoleError } from '@agent-console/shared/errors';
import { presentWorker } from '../../engine/present.ts';
import { workerRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { startWorker } from './create.ts';

type Needs = Parameters<typeof startWorker>[0] & Pick<OperationContext, 'storage'>;

export function restartWorker(needs: Needs): Implementation<'workers.restart'> {
  return async ({ workerId }, call) => {
    const { type, state, sessionId, cols, rows } = await workerRow(needs.storage.read.workers, workerId);
    if (type === 'git-diff') {
      throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no process to start again.', { workerId });
    }
    if (state === 'running' || state === 'starting') {
      throw new ConsoleError(
        'CONFLICT',
        `Worker ${workerId} is ${state}. End it first (DELETE /api/workers/${workerId}).`,
        { workerId },
      );
    }
    return presentWorker(await startWorker(needs, call, { sessionId, type, cols, rows }));
  };
}

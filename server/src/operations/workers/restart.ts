import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorker } from '../present.ts';

export function restartWorker({
  storage,
  processes,
  conductor,
}: Pick<Kit, 'storage' | 'processes' | 'conductor'>): Implementation<'workers.restart'> {
  return async ({ workerId }, call) => {
    const worker = await workerRow(storage.read.workers, workerId);
    if (worker.type === 'git-diff')
      throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no process to start again.', { workerId });
    if (worker.state === 'running' || worker.state === 'starting') {
      throw new ConsoleError(
        'CONFLICT',
        `Worker ${workerId} is ${worker.state}. End it first (DELETE /api/workers/${workerId}).`,
        { workerId },
      );
    }
    const { cols, rows, sessionId } = worker;
    const started =
      worker.type === 'terminal'
        ? await processes.startTerminal(authorOf(call), sessionId, { cols, rows })
        : await processes.startAgent(authorOf(call), sessionId);
    conductor.nudge(sessionId);
    return presentWorker(started);
  };
}

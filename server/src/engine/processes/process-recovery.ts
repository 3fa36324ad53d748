import { ConsoleError } from '@agent-console/shared/errors';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { LIVE_WORKER } from '../../domain/states.ts';
import type { Host } from '../../ports/host.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit, ProcessInfo, Runner } from '../../ports/runner.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { endWorkerRow } from './worker-changes.ts';

/**
 * Creates the recovery, which compares the workers that are stored as live with the processes that exist. It runs at
 * the start of the server, and when the runner is gone.
 */
export function createRecovery(
  deps: ChangeDeps & {
    storage: Storage;
    runner: Pick<Runner, 'identity' | 'list' | 'extent' | 'end' | 'forget' | 'dropLog'>;
    host: Pick<Host, 'removeWorker'>;
    onError: (error: unknown, workerId: string) => void;
  },
  parts: {
    launch(author: Author, session: SessionRow, worker: WorkerRow): Promise<WorkerRow>;
    adopt(worker: WorkerRow, process: ProcessInfo): Promise<WorkerRow>;
    watch(worker: WorkerRow): void;
    handleExit(workerId: string, exit: ProcessExit): Promise<void>;
    clear(workerId: string): Promise<void>;
    forgetServers(workerId: string): Promise<void>;
    settleEnding(workerId: string): void;
    releaseTerminals(): Promise<void>;
  },
) {
  const { storage, runner, host } = deps;

  async function markLost(worker: WorkerRow): Promise<void> {
    const offset = (await runner.extent(worker.id)).next;
    const end = { state: 'lost', exitCode: null, signal: null, offset } as const;
    await parts.clear(worker.id);
    await storage.write(SYSTEM, (tx) => endWorkerRow(tx, deps, worker.id, end));
    await parts.forgetServers(worker.id);
    parts.settleEnding(worker.id);
  }

  function liveRows(): Promise<WorkerRow[]> {
    return storage.read.workers.find(LIVE_WORKER);
  }

  return {
    markLost,
    async recover() {
      const identity = `${runner.identity.pid}:${runner.identity.startTime}`;
      const sameRunner = (await storage.read.meta.get('runner')) === identity;
      await storage.write(SYSTEM, (tx) => tx.meta.set('runner', identity));
      const processes = new Map((await runner.list()).map((process) => [process.workerId, process]));
      // The terminals of agents are recovered first, because the server then carries out the unanswered requests of
      // each recovered agent again. These requests start the terminals that are in state `starting`.
      const live = await liveRows();
      const ordered = [...live.filter(isAgentTerminal), ...live.filter((worker) => !isAgentTerminal(worker))];
      for (const worker of ordered) {
        const process = processes.get(worker.id);
        const session = await storage.read.sessions.get(worker.sessionId);
        const isRemoved = session === undefined || session.removedAt !== null;
        // The process of a removed session stays in `processes` and is ended below.
        if (!isRemoved) processes.delete(worker.id);
        if (process !== undefined && !isRemoved) {
          const row = worker.state === 'starting' ? await parts.adopt(worker, process) : worker;
          if (process.exit !== null && row.type === 'terminal') await parts.handleExit(row.id, process.exit);
          else parts.watch(row);
          continue;
        }
        if (isRemoved || worker.state !== 'starting' || !sameRunner) await markLost(worker);
        else if (!isAgentTerminal(worker)) {
          // The server must not wait for this start, because the start is repeated for as long as the disk is full.
          void parts.launch(SYSTEM, session, worker).catch((error) => {
            if (!(error instanceof ConsoleError)) deps.onError(error, worker.id);
          });
        }
      }
      // The remaining processes have no live worker row: the previous server died while it was ending them, or while it
      // was undoing their start.
      for (const process of processes.values()) {
        if (process.exit === null) await runner.end(process.workerId, END_GRACE_MS);
        await runner.forget(process.workerId);
        await parts.clear(process.workerId);
        if ((await storage.read.workers.get(process.workerId)) !== undefined) continue;
        await runner.dropLog(process.workerId);
        await host.removeWorker(process.workerId);
      }
      // Recovery does not wait until the terminals of ended agents are released, because their processes may take
      // seconds to end.
      void parts.releaseTerminals().catch((error) => deps.onError(error, 'releasing terminals of ended agents'));
    },
    async loseAll() {
      const subject = { kind: 'runner', id: 'runner' } as const;
      await storage.write(SYSTEM, (tx) => tx.record({ type: 'runner.lost', subject }));
      for (const worker of await liveRows()) await markLost(worker);
    },
  };
}

const isAgentTerminal = ({ agentWorkerId }: WorkerRow) => agentWorkerId !== null;

import type { Host } from '../../ports/host.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';

/** Tracks agents whose cwd was deleted, even if a new folder was created at the same path. */
export interface DeletedCwdTracker {
  has(session: Pick<SessionRow, 'cwd'>, agent: Pick<WorkerRow, 'id' | 'pid'>): Promise<boolean>;
  /** Removes the cached result for an agent. Called when the agent has ended. */
  forget(workerId: string): void;
}

/**
 * Creates a tracker that remembers the agents whose cwd was deleted. The cwd of a process can be read only while the
 * process runs, but callers still ask after it has ended.
 */
export function createDeletedCwdTracker(host: Pick<Host, 'hasCwd' | 'isCwdDeleted'>): DeletedCwdTracker {
  const known = new Set<string>();
  return {
    async has(session, worker) {
      if (known.has(worker.id)) return true;
      if (worker.pid === null) return false;
      const deletedCwd = !(await host.hasCwd(session)) || (await host.isCwdDeleted(worker));
      if (deletedCwd) known.add(worker.id);
      return deletedCwd;
    },
    forget: (workerId) => void known.delete(workerId),
  };
}

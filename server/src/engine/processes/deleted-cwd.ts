import type { Host } from '../../ports/host.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';

/** Agents whose cwd was deleted. A new folder at that path does not count: it is a different folder. */
export interface DeletedCwdTracker {
  has(session: Pick<SessionRow, 'cwd'>, agent: Pick<WorkerRow, 'id' | 'pid'>): Promise<boolean>;
  /** Call it when the agent has ended. */
  forget(workerId: string): void;
}

/** Remembers its findings, since it is asked again when the process has ended and they can no longer be observed. */
export function createDeletedCwdTracker(host: Pick<Host, 'isFolder' | 'isDeletedUnder'>): DeletedCwdTracker {
  const known = new Set<string>();
  return {
    async has({ cwd }, { id, pid }) {
      if (known.has(id)) return true;
      if (pid === null) return false;
      const deletedCwd = !(await host.isFolder(cwd)) || (await host.isDeletedUnder(pid));
      if (deletedCwd) known.add(id);
      return deletedCwd;
    },
    forget: (workerId) => void known.delete(workerId),
  };
}

import type { Host } from '../../ports/host.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';

/** Agents whose folder was deleted under them: one that is made again in its place is another one, and not theirs. */
export interface DeletedCwdTracker {
  has(session: Pick<SessionRow, 'cwd'>, agent: Pick<WorkerRow, 'id' | 'pid'>): Promise<boolean>;
  /** To be told of an agent that has ended. */
  forget(workerId: string): void;
}

/** Remembers what it saw, since it is asked once more when the process has ended and nothing says it any longer. */
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

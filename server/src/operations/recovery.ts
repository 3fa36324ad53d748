import { SYSTEM } from './author.ts';
import { failInterrupted } from './jobs/jobs.ts';
import type { Kit } from './kit.ts';
import { abandonWorktree } from './worktrees/create.ts';

type Needs = Pick<Kit, 'storage' | 'git' | 'processes' | 'saga' | 'conductor' | 'jobs' | 'maker' | 'now' | 'newId'>;

/** Goes on with everything a dead server left, before the first request is served. */
export async function recover(needs: Needs): Promise<void> {
  await needs.storage.write(SYSTEM, (tx) => tx.idempotency.loseUnknown());
  await needs.processes.recover();
  for (const job of await needs.jobs.unfinished()) {
    // A caller asks for its job again and reads what became of it; half of a clone or worktree is worth nothing.
    const { worktreeId, target } = job.params as { worktreeId?: string; target?: string };
    if (worktreeId !== undefined)
      await abandonWorktree(needs, worktreeId, { code: 'BUSY', message: 'The server was restarted.' });
    if (target !== undefined) await needs.git.discardClone(target);
    await failInterrupted(needs.storage, job, needs.now);
  }
  await needs.saga.recover();
  for (const session of await needs.storage.read.sessions.find({
    mark: ['open', 'paused'],
    archivedAt: null,
    removedAt: null,
  })) {
    needs.conductor.nudge(session.id);
  }
}

/** Says in the log of events that the server is here, and how the one before it ended. */
export async function announce(
  { storage }: Pick<Kit, 'storage'>,
  about: { pid: number; port: number; version: string; crash: Record<string, unknown> | null },
): Promise<void> {
  const { crash, ...facts } = about;
  await storage.write(SYSTEM, async (tx) => {
    const subject = { kind: 'server', id: 'server' } as const;
    if (crash !== null) await tx.record({ type: 'server.crashed', subject, data: crash });
    await tx.record({ type: 'server.started', subject, data: facts });
  });
}

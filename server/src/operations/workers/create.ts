import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Call, Implementation } from '../call.ts';
import { sessionRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import type { SessionRow, WorkerRow } from '../ports/rows.ts';
import { presentWorker } from '../present.ts';
import { newWorkerRow } from '../processes/new-worker.ts';
import { refuseBeyondLiveLimit } from '../sessions/live-limit.ts';

type Needs = Pick<Kit, 'storage' | 'views' | 'settings' | 'processes' | 'conductor' | 'now' | 'newId'>;

/** A diff view has no process: the diff is computed when it is asked for. */
async function addDiffView(needs: Needs, call: Call, session: SessionRow): Promise<WorkerRow> {
  if (session.worktreeId === null) {
    throw new ConsoleError(
      'UNSUPPORTED',
      'A quick session has no worktree, so there is nothing to compare. Use a session in a worktree.',
      { sessionId: session.id },
    );
  }
  const plan = { id: needs.newId(), type: 'git-diff', cols: 0, rows: 0 } as const;
  const row: WorkerRow = { ...newWorkerRow(needs, session, plan), state: 'running', confidence: 'certain' };
  await needs.storage.write(authorOf(call), async (tx) => {
    await tx.workers.insert(row);
    await tx.record({
      type: 'worker.started',
      subject: { kind: 'worker', id: row.id },
      sessionId: session.id,
      data: { workerType: 'git-diff', logOffset: 0 },
    });
  });
  return row;
}

export function createWorker(needs: Needs): Implementation<'workers.create'> {
  return async ({ sessionId, type, cols, rows }, call) => {
    const session = await sessionRow(needs.storage.read.sessions, sessionId);
    if (session.archivedAt !== null)
      throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId });
    if (type === 'git-diff') return presentWorker(await addDiffView(needs, call, session));
    await refuseBeyondLiveLimit(needs, sessionId);
    const { idempotency, ...author } = authorOf(call);
    const worker =
      type === 'terminal'
        ? await needs.processes.startTerminal(author, sessionId, { cols, rows })
        : await needs.processes.startAgent(author, sessionId);
    needs.conductor.nudge(sessionId);
    const shown = presentWorker(worker);
    if (idempotency !== undefined) await needs.storage.write(authorOf(call), (tx) => tx.remember({ ...shown }));
    return shown;
  };
}

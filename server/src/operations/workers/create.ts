import { ConsoleError } from '@agent-console/shared/errors';
import type { Call } from '../../domain/call.ts';
import { authorOf } from '../../engine/author.ts';
import { presentWorker } from '../../engine/present.ts';
import { newWorkerRow } from '../../engine/processes/new-worker.ts';
import { sessionRow, workerRow } from '../../engine/rows.ts';
import { refuseOtherAgent } from '../../engine/sessions/refuse-other-agent.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';
import type { OperationContext } from '../context.ts';
import { refusePreparing } from '../delegations/preparing.ts';
import type { Implementation } from '../operation.ts';
import { refuseUnlessMayLive } from './may-live.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'views' | 'settings' | 'runner' | 'processes' | 'reconciler' | 'catalogue' | 'now' | 'newId'
>;

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
    await tx.remember({ workerId: row.id });
    await tx.record({
      type: 'worker.started',
      subject: { kind: 'worker', id: row.id },
      sessionId: session.id,
      data: { workerType: 'git-diff', logOffset: 0 },
    });
  });
  return row;
}

/** A person who starts an agent in a session that rests means to go on with it. */
async function openForPerson(needs: Needs, call: Call, sessionId: string): Promise<void> {
  const { idempotency, ...author } = authorOf(call);
  await needs.storage.write(author, async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    if (session.mark === 'open') return;
    await tx.sessions.update(sessionId, { mark: 'open', pausedBy: null, updatedAt: needs.now().toISOString() });
    await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: sessionId }, sessionId });
  });
}

/** Starts a process for a person, in a session that may have one. */
export async function startWorker(
  needs: Needs,
  call: Call,
  plan: { sessionId: string; type: 'agent' | 'terminal'; cols: number; rows: number },
): Promise<WorkerRow> {
  const { sessionId, type, ...size } = plan;
  await refusePreparing(needs.storage.read.delegations, sessionId);
  await refuseUnlessMayLive(needs, sessionId);
  if (type === 'agent') await openForPerson(needs, call, sessionId);
  const author = authorOf(call);
  const worker = await (type === 'terminal'
    ? needs.processes.startTerminal(author, sessionId, size)
    : needs.processes.startAgent(author, sessionId));
  needs.reconciler.nudge(sessionId);
  return worker;
}

/** A session has one agent; a worker of it may be asked for by that agent's name. */
async function refuseAgent({ catalogue }: Needs, type: WorkerRow['type'], agentId: string, own: string): Promise<void> {
  if (type !== 'agent') {
    throw new ConsoleError('VALIDATION', `agentId: goes with type agent only, not with ${type}; leave it out`, {
      field: 'agentId',
    });
  }
  await refuseOtherAgent(catalogue, agentId, own);
}

export function createWorker(needs: Needs): Implementation<'workers.create'> {
  return async ({ sessionId, type, agentId, cols, rows }, call) => {
    const session = await sessionRow(needs.storage.read.sessions, sessionId);
    if (session.archivedAt !== null) {
      throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId });
    }
    if (agentId !== undefined) await refuseAgent(needs, type, agentId, session.agentId);
    const worker =
      type === 'git-diff'
        ? await addDiffView(needs, call, session)
        : await startWorker(needs, call, { sessionId, type, cols, rows });
    return presentWorker(worker);
  };
}

/** A repeat shows the worker that the first call made, as it is now. */
export function replayWorker({ storage }: Pick<OperationContext, 'storage'>) {
  return async (remembered: Record<string, unknown>) =>
    presentWorker(await workerRow(storage.read.workers, String(remembered.workerId)));
}

import { ConsoleError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';
import { PENDING_NOTICES_MAX } from '@agent-console/shared/limits/sessions';
import { DIRTY_LINE_MS } from '@agent-console/shared/limits/typing';
import type { OutputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../../domain/call.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { notTakenYet } from '../../engine/inputs.ts';
import { livingWorker, sessionRow } from '../../engine/rows.ts';
import { addNotice } from '../../engine/task-changes.ts';
import { withTimeout } from '../../engine/timeouts.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { refuseUnlessMayLive } from '../workers/may-live.ts';
import { givePrompt } from './give-prompt.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'views' | 'settings' | 'now' | 'newId' | 'runner' | 'secrets' | 'reconciler'
>;
type Answer = OutputOf<'sessions.message'>;

async function refuseWrongWorker(tx: Transaction, session: SessionRow, workerId: string | undefined): Promise<void> {
  if (workerId === undefined) return;
  const worker = await tx.workers.get(workerId);
  if (worker?.sessionId !== session.id) {
    throw new ConsoleError('VALIDATION', `workerId: worker ${workerId} belongs to another session`, {
      workerId,
      sessionId: session.id,
    });
  }
  if (worker.type === 'git-diff') {
    throw new ConsoleError('UNSUPPORTED', 'A git-diff worker takes no messages; send to an agent or terminal worker.', {
      workerId,
    });
  }
}

/** A child does not command its parent, by no worker of it: what it says arrives as a notice. */
async function isParent(read: Readers, call: Call, sessionId: string): Promise<boolean> {
  if (call.caller.kind !== 'worker') return false;
  return (await sessionRow(read.sessions, call.caller.sessionId)).parentSessionId === sessionId;
}

async function tellParent(
  tx: Transaction,
  needs: Needs,
  call: Call,
  session: SessionRow,
  message: string,
): Promise<Answer> {
  const aboutSessionId = call.caller.kind === 'worker' ? call.caller.sessionId : session.id;
  const waiting = await tx.notices.count({ sessionId: session.id, state: 'pending' });
  if (waiting >= PENDING_NOTICES_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${waiting} notices wait for your parent already. Say it in your report.`,
      {
        limit: 'pendingNotices',
        value: PENDING_NOTICES_MAX,
      },
    );
  }
  const noticeId = await addNotice(tx, needs, {
    sessionId: session.id,
    kind: 'message',
    aboutSessionId,
    aboutTaskId: null,
    aboutDelegationId: null,
    status: null,
    outcomeSource: null,
    certain: null,
    summary: message,
    typed: true,
  });
  return { success: true, noticeId };
}

/** Types a line into a terminal, once: the same call comes with the same input id. A person at the keyboard goes first. */
async function typeLine(needs: Needs, call: Call, worker: WorkerRow, message: string): Promise<Answer> {
  const dirty = worker.dirtySince !== null && needs.now().getTime() < Date.parse(worker.dirtySince) + DIRTY_LINE_MS;
  if (dirty)
    throw new ConsoleError('BUSY', 'A person is typing in this terminal. Try again when the line is done.', {
      workerId: worker.id,
    });
  const { idempotency } = call;
  const inputId =
    idempotency === undefined
      ? needs.newId()
      : needs.secrets.sha256(`${idempotency.caller} ${idempotency.operation} ${idempotency.key}`);
  const typed = needs.runner.input(worker.id, inputId, Buffer.from(`${message}\r`));
  await withTimeout(typed, INPUT_WAIT_MS, () => notTakenYet(worker.id, inputId));
  return { success: true };
}

export function sendMessage(needs: Needs): Implementation<'sessions.message'> {
  return async ({ sessionId, workerId, message }, call) => {
    const { read, write } = needs.storage;
    const toParent = await isParent(read, call, sessionId);
    const named = workerId === undefined || toParent ? undefined : await read.workers.get(workerId);
    if (named?.type === 'terminal' && named.sessionId === sessionId) {
      const typed = await typeLine(needs, call, await livingWorker(read.workers, named.id), message);
      await write(authorOf(call), (tx) => tx.remember({ ...typed }));
      return typed;
    }
    if (!toParent) await refuseUnlessMayLive(needs, sessionId);
    return write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const answer = toParent
        ? await tellParent(tx, needs, call, session, message)
        : await deliver(tx, needs, call, session, workerId, message);
      await tx.remember({ ...answer });
      return answer;
    });
  };
}

async function deliver(
  tx: Transaction,
  needs: Needs,
  call: Call,
  session: SessionRow,
  workerId: string | undefined,
  message: string,
): Promise<Answer> {
  await refuseWrongWorker(tx, session, workerId);
  const prompt = { prompt: message, notifyOnCompletion: true, ...sourceOf(call) };
  const { taskId, queuePosition } = await givePrompt(tx, needs, session, prompt);
  return { success: true, taskId, ...(queuePosition === null ? {} : { queuePosition }) };
}

import { ConsoleError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';
import { PENDING_NOTICES_MAX } from '@agent-console/shared/limits/sessions';
import { DIRTY_LINE_MS } from '@agent-console/shared/limits/typing';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import type { Call } from '../../domain/call.ts';
import { sessionOrOwn } from '../../domain/call.ts';
import { isAtRest } from '../../domain/session-mark.ts';
import { holdsBack, OPEN_STATUSES, opensSession } from '../../domain/tasks.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { notTakenYet } from '../../engine/inputs.ts';
import { livingWorker, sessionRow } from '../../engine/rows.ts';
import { refuseOtherAgent } from '../../engine/sessions/refuse-other-agent.ts';
import { addNotice, finishTask, queuePrompt } from '../../engine/task-changes.ts';
import { withTimeout } from '../../engine/timeouts.ts';
import type { SessionRow, TaskRow, WorkerRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import { isPreparing } from '../delegations.ts';
import { refuseUnlessMayLive } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { beginBranch, replayBranch } from './branches.ts';

type Input = InputOf<'sessions.prompt'>;

/** A session that goes on with a prompt, as it was answered. */
const Continued = v.object({
  taskId: v.string(),
  sessionId: v.string(),
  queued: v.optional(v.boolean()),
  queuePosition: v.optional(v.number()),
});

/** Fields that say something of a session to begin. */
const OF_NEW_SESSIONS = ['permissionMode', 'title', 'taskId'] as const;

function refuseFieldsOfNewSessions(input: Input): void {
  const given = [...OF_NEW_SESSIONS.filter((field) => input[field] !== undefined), ...(input.sync ? ['sync'] : [])];
  const [field] = given;
  if (field === undefined) return;
  throw new ConsoleError(
    'VALIDATION',
    `${given.join(', ')}: only for mode fork and subsession, which begin a session; mode continue begins none`,
    { field },
  );
}

async function continueSession(
  context: OperationContext,
  input: Input,
  call: Call,
): Promise<OutputOf<'sessions.prompt'>> {
  const { sessionId, prompt, notifyOnCompletion, agentId } = input;
  refuseFieldsOfNewSessions(input);
  if (agentId !== undefined) {
    const { agentId: own } = await sessionRow(context.storage.read.sessions, sessionId);
    await refuseOtherAgent(context.catalogue, agentId, own);
  }
  await refuseUnlessMayLive(context, sessionId);
  return context.storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    const { taskId, queuePosition } = await givePrompt(tx, context, session, {
      prompt,
      notifyOnCompletion,
      ...sourceOf(call),
    });
    const answer = { taskId, sessionId, ...(queuePosition === null ? {} : { queued: true, queuePosition }) };
    await tx.remember(answer);
    return answer;
  });
}

/** Routes a prompt: on with the session, or into a fork or subsession that it begins. */
function promptSession(context: OperationContext): Implementation<'sessions.prompt'> {
  return (input, call) => {
    const { mode, ...rest } = input;
    return mode === 'continue'
      ? continueSession(context, input, call)
      : beginBranch(context, { ...rest, kind: mode }, call);
  };
}

/** A repeat of a prompt: what it continued is answered as it was then, what it began as it stands now. */
export function replayPrompt(context: OperationContext) {
  const branch = replayBranch(context);
  return async (remembered: Record<string, unknown>, call: Call): Promise<OutputOf<'sessions.prompt'>> =>
    'sync' in remembered ? branch(remembered, call) : v.parse(Continued, remembered);
}

/**
 * Queues a prompt and opens the session for it: a prompt to a session without a live agent starts it, one to a session
 * that a person paused or stopped waits unless a person gave it. In an idle session the prompt is at work when this returns.
 */
async function givePrompt(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  prompt: Pick<TaskRow, 'prompt' | 'sourceKind' | 'sourceId' | 'notifyOnCompletion'>,
): Promise<{ taskId: string; queuePosition: number | null }> {
  if (session.archivedAt !== null) {
    throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId: session.id });
  }
  const before = await tx.tasks.find({ sessionId: session.id, status: [...OPEN_STATUSES] });
  const busy = before.some((task) => holdsBack(task, prompt));
  const { task, queuePosition } = await queuePrompt(tx, context, { ...prompt, sessionId: session.id });
  if (opensSession(session, prompt) && !(await isPreparing(tx.delegations, session.id))) {
    const ending = await hasEndingAgent(tx, session);
    await tx.sessions.update(session.id, {
      ...(ending ? { mark: 'paused', pausedBy: 'idle' } : { mark: 'open', pausedBy: null }),
      queueHeld: false,
      updatedAt: context.now().toISOString(),
    });
    if (session.mark !== 'open' && !ending) {
      await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: session.id }, sessionId: session.id });
    }
  }
  await context.reconciler.startHead(tx, session.id);
  return { taskId: task.id, queuePosition: busy ? queuePosition : null };
}

/**
 * Whether the session is at rest and its agent is still being ended, which takes seconds. Such an agent must not be
 * given anything: the session stays paused as one that whatever waits in it resumes, and is opened when the process is gone.
 */
async function hasEndingAgent(tx: Transaction, session: SessionRow): Promise<boolean> {
  if (!isAtRest(session)) return false;
  return (
    (await tx.workers.first({ sessionId: session.id, type: 'agent', state: ['starting', 'running'] })) !== undefined
  );
}

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
  context: OperationContext,
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
  const noticeId = await addNotice(tx, context, {
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
async function typeLine(context: OperationContext, call: Call, worker: WorkerRow, message: string): Promise<Answer> {
  const dirty = worker.dirtySince !== null && context.now().getTime() < Date.parse(worker.dirtySince) + DIRTY_LINE_MS;
  if (dirty)
    throw new ConsoleError('BUSY', 'A person is typing in this terminal. Try again when the line is done.', {
      workerId: worker.id,
    });
  const { idempotency } = call;
  const inputId =
    idempotency === undefined
      ? context.newId()
      : context.secrets.sha256(`${idempotency.caller} ${idempotency.operation} ${idempotency.key}`);
  const typed = context.runner.input(worker.id, inputId, Buffer.from(`${message}\r`));
  await withTimeout(typed, INPUT_WAIT_MS, () => notTakenYet(worker.id, inputId));
  return { success: true };
}

function sendMessage(context: OperationContext): Implementation<'sessions.message'> {
  return async ({ sessionId, workerId, message }, call) => {
    const { read, write } = context.storage;
    const toParent = await isParent(read, call, sessionId);
    const named = workerId === undefined || toParent ? undefined : await read.workers.get(workerId);
    if (named?.type === 'terminal' && named.sessionId === sessionId) {
      const typed = await typeLine(context, call, await livingWorker(read.workers, named.id), message);
      await write(authorOf(call), (tx) => tx.remember({ ...typed }));
      return typed;
    }
    if (!toParent) await refuseUnlessMayLive(context, sessionId);
    return write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const answer = toParent
        ? await tellParent(tx, context, call, session, message)
        : await deliver(tx, context, call, session, workerId, message);
      await tx.remember({ ...answer });
      return answer;
    });
  };
}

async function deliver(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  session: SessionRow,
  workerId: string | undefined,
  message: string,
): Promise<Answer> {
  await refuseWrongWorker(tx, session, workerId);
  const prompt = { prompt: message, notifyOnCompletion: true, ...sourceOf(call) };
  const { taskId, queuePosition } = await givePrompt(tx, context, session, prompt);
  return { success: true, taskId, ...(queuePosition === null ? {} : { queuePosition }) };
}

function reportResult(context: OperationContext): Implementation<'sessions.report'> {
  return ({ sessionId: given, outcome, summary, artifacts }, call) => {
    const sessionId = sessionOrOwn(given, call);
    return context.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.first({ sessionId, kind: 'prompt', status: ['running', 'awaiting_input'] });
      if (task === undefined) {
        throw new ConsoleError(
          'CONFLICT',
          'This session has no open task to report on; it was reported or ended before.',
          { sessionId },
        );
      }
      const status = outcome === 'succeeded' ? 'completed' : 'failed';
      await finishTask(tx, context, task.id, {
        status,
        source: 'report',
        certain: true,
        summary,
        artifacts: artifacts ?? [],
      });
      const answer = { taskId: task.id, sessionId, status };
      await tx.remember(answer);
      return answer;
    });
  };
}

export function sessionPrompts(context: OperationContext) {
  return {
    'sessions.prompt': promptSession(context),
    'sessions.message': sendMessage(context),
    'sessions.report': reportResult(context),
  } satisfies Partial<Implementations>;
}

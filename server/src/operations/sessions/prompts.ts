import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';
import { PENDING_NOTICES_MAX } from '@agent-console/shared/limits/sessions';
import { UNFINISHED_LINE_MS } from '@agent-console/shared/limits/typing';
import type { PromptImage } from '@agent-console/shared/models/image';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import { textOfIssues } from '@agent-console/shared/validate';
import * as v from 'valibot';
import { type Call, sessionOrOwn } from '../../domain/call.ts';
import { mustHaveNoAgent } from '../../domain/session-mark.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { mustWaitFor, OPEN_STATUSES, opensSession } from '../../domain/tasks.ts';
import { refuseOverBudget } from '../../engine/budgets/enforce.ts';
import { authorOf, sourceOf } from '../../engine/changes/author.ts';
import { addNotice, finishTask, queuePrompt } from '../../engine/changes/task-changes.ts';
import { recordEvent } from '../../engine/orchestrations/changes.ts';
import { runningWorker, sessionRow } from '../../engine/rows.ts';
import { withTimeout } from '../../engine/scheduling/timeouts.ts';
import { imagesForPrompt } from '../../engine/sessions/images.ts';
import { notTakenYet } from '../../engine/sessions/inputs.ts';
import { refuseOtherAgent } from '../../engine/sessions/refuse-other-agent.ts';
import type {
  NoticeRow,
  OrchestrationAgentRow,
  OrchestrationRow,
  SessionRow,
  TaskRow,
  WorkerRow,
} from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import { isPreparing } from '../delegations.ts';
import { refusePromptBeyondLimits } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { createBranch, replayBranch } from './branches.ts';
import { refuseArchived } from './lifecycle.ts';

type Input = InputOf<'sessions.prompt'>;

/** Response to a prompt with mode `continue`, as stored for repeated calls. */
const Continued = v.object({
  taskId: v.string(),
  sessionId: v.string(),
  queued: v.optional(v.boolean()),
  queuePosition: v.optional(v.number()),
});

/** Fields that are only accepted when the prompt creates a session. */
const NEW_SESSION_FIELDS = ['permissionMode', 'title', 'taskId'] as const;

function refuseNewSessionFields(input: Input): void {
  const unsupported = [
    ...NEW_SESSION_FIELDS.filter((field) => input[field] !== undefined),
    ...(input.sync ? ['sync'] : []),
  ];
  const [field] = unsupported;
  if (field === undefined) return;
  const issues = unsupported.map((path) => ({
    path,
    message: 'is only accepted with mode fork or subsession, which create a session',
  }));
  throw new ConsoleError('VALIDATION', textOfIssues(issues), { field, issues });
}

async function continueSession(
  context: OperationContext,
  input: Input,
  call: Call,
): Promise<OutputOf<'sessions.prompt'>> {
  const { sessionId, prompt, notifyOnCompletion, agentId } = input;
  refuseNewSessionFields(input);
  if (agentId !== undefined) {
    const { agentId: sessionAgentId } = await sessionRow(context.storage.read.sessions, sessionId);
    await refuseOtherAgent(context.catalogue, agentId, sessionAgentId);
  }
  const images = await namedImages(context, input);
  return context.storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    await refusePromptBeyondLimits(tx, context, call.caller, session);
    const { taskId, queuePosition } = await queueAndOpen(tx, context, session, {
      prompt,
      images,
      notifyOnCompletion,
      ...sourceOf(call),
    });
    const answer = { taskId, sessionId, ...(queuePosition === null ? {} : { queued: true, queuePosition }) };
    await tx.remember(answer);
    return answer;
  });
}

async function namedImages(context: OperationContext, { sessionId, images = [] }: Input): Promise<PromptImage[]> {
  const { read } = context.storage;
  const session = await sessionRow(read.sessions, sessionId);
  const kind = await context.catalogue.kindOf(session.agentId);
  return imagesForPrompt({ images: context.images, read }, session, kind, images);
}

/** Prompts the session itself, or a new fork or subsession of the session. */
function promptSession(context: OperationContext): Implementation<'sessions.prompt'> {
  return (input, call) => {
    const { mode, images, ...rest } = input;
    if (mode === 'continue') return continueSession(context, input, call);
    if (images !== undefined && images.length > 0) {
      const advice =
        'is only accepted with mode continue. Create the new session first. Then upload the images to the new session and prompt it.';
      throw fieldError('images', advice);
    }
    return createBranch(context, { ...rest, kind: mode }, call);
  };
}

/**
 * Returns the function that answers a repeated prompt: with the stored response, or with the current state of the
 * session that the first call created.
 */
export function replayPrompt(context: OperationContext) {
  const branch = replayBranch(context);
  return async (remembered: Record<string, unknown>, call: Call): Promise<OutputOf<'sessions.prompt'>> =>
    'sync' in remembered ? branch(remembered, call) : v.parse(Continued, remembered);
}

/**
 * Queues a prompt as a task, and opens the session, which starts its agent if necessary. A prompt from an agent does
 * not open a session that is stopped, or that a person or a budget paused. In an idle session, the task is already
 * running when this function returns.
 * @returns the task; `queuePosition` is null if the prompt does not wait for another task.
 * @throws CONFLICT for an archived session. LIMIT_EXCEEDED if a budget is used up or too many prompts are queued.
 */
export async function queueAndOpen(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  prompt: Pick<TaskRow, 'prompt' | 'sourceKind' | 'sourceId' | 'notifyOnCompletion'> & { images?: PromptImage[] },
): Promise<{ taskId: string; queuePosition: number | null }> {
  refuseArchived(session);
  await refuseOverBudget(tx, context, { sessionIds: [session.id] }, { isNew: false });
  const openTasks = await tx.tasks.find({ sessionId: session.id, status: [...OPEN_STATUSES] });
  const isBusy = openTasks.some((task) => mustWaitFor(prompt, task));
  const { task, queuePosition } = await queuePrompt(tx, context, { ...prompt, sessionId: session.id });
  if (opensSession(session, prompt) && !(await isPreparing(tx.delegations, session.id))) {
    const isEnding = await hasEndingAgent(tx, context, session);
    await tx.sessions.update(session.id, {
      ...(isEnding ? { mark: 'paused', pausedBy: 'idle' } : { mark: 'open', pausedBy: null }),
      queueHeld: false,
      updatedAt: context.now().toISOString(),
    });
    if (session.mark !== 'open' && !isEnding) {
      await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: session.id }, sessionId: session.id });
    }
  }
  await context.reconciler.startHead(tx, session.id);
  return { taskId: task.id, queuePosition: isBusy ? queuePosition : null };
}

/**
 * Whether the session still has its old agent, because the process takes seconds to end after the session was paused or
 * stopped, or after a person stopped the agent. That agent must not receive input, so the session stays paused until
 * the process has ended. The console then resumes the session, because its queue is not empty. An outdated agent does
 * not count, because the console replaces it by a new agent that takes over the queue.
 */
async function hasEndingAgent(
  tx: Transaction,
  { processes }: Pick<OperationContext, 'processes'>,
  session: SessionRow,
): Promise<boolean> {
  const agent = await tx.workers.first({ sessionId: session.id, type: 'agent', state: LIVE_STATES });
  if (agent === undefined) return false;
  return mustHaveNoAgent(session) || (processes.isEnding(agent.id) && !(await processes.isOutdated(session, agent)));
}

type Answer = OutputOf<'sessions.message'>;

async function refuseWrongWorker(tx: Transaction, session: SessionRow, workerId: string | undefined): Promise<void> {
  if (workerId === undefined) return;
  const worker = await tx.workers.get(workerId);
  if (worker?.sessionId !== session.id) {
    throw fieldError('workerId', `worker ${workerId} belongs to another session; choose a worker of this session`, {
      workerId,
      sessionId: session.id,
    });
  }
  if (worker.type === 'git-diff') {
    const message = 'A git-diff worker cannot receive messages. Send to an agent or terminal worker.';
    throw new ConsoleError('UNSUPPORTED', message, { workerId });
  }
}

/**
 * Whether a child session sends the message to its parent session. The message becomes a notice, because a child must
 * not give its parent tasks.
 */
async function isToParent(read: Readers, call: Call, sessionId: string): Promise<boolean> {
  if (call.caller.kind !== 'worker') return false;
  return (await sessionRow(read.sessions, call.caller.sessionId)).parentSessionId === sessionId;
}

/**
 * Returns the sender, the receiver and their orchestration if an agent writes to another session of its orchestration,
 * otherwise null.
 * @throws CONFLICT if one of the two sessions does not belong to the current attempt of an agent.
 */
async function peersOf(read: Readers, call: Call, sessionId: string): Promise<PeerMessage | null> {
  if (call.caller.kind !== 'worker') return null;
  const from = await sessionRow(read.sessions, call.caller.sessionId);
  const to = await sessionRow(read.sessions, sessionId);
  if (from.orchestrationId === null || from.orchestrationId !== to.orchestrationId || from.id === to.id) return null;
  const [sender, receiver] = await Promise.all(
    [from, to].map((session) => read.orchestrationAgents.first({ sessionId: session.id }, { order: ['-id'] })),
  );
  const orchestration = await read.orchestrations.get(from.orchestrationId);
  if (orchestration === undefined) return null;
  if (sender === undefined || receiver === undefined) {
    const whose = sender === undefined ? 'Your session' : 'This session';
    throw new ConsoleError(
      'CONFLICT',
      `${whose} is not the current session of an agent of this orchestration. Only current sessions can exchange messages. Get the orchestration to see its current sessions.`,
      { sessionId: sender === undefined ? from.id : to.id, orchestrationId: orchestration.id },
    );
  }
  return { orchestration, from: sender, to: receiver };
}

interface PeerMessage {
  orchestration: OrchestrationRow;
  from: OrchestrationAgentRow;
  to: OrchestrationAgentRow;
}

/**
 * Delivers a message to another agent of the same orchestration: as a notice and a file in its inbox, never as a
 * prompt, because agents may not give each other tasks. The file reaches the inbox after the notice is stored. If the
 * server dies in between, the restarted server delivers the file.
 */
async function messagePeer(
  context: OperationContext,
  call: Call,
  { orchestration, from, to }: PeerMessage,
  session: { id: string },
  message: string,
): Promise<Answer> {
  const { orchestrationFiles: files } = context;
  const { answer, posted } = await context.storage.write(authorOf(call), async (tx) => {
    const receiver = await sessionRow(tx.sessions, session.id);
    const notice = await addMessageNotice(tx, context, call, receiver, message);
    const posted = { noticeId: notice.id, from: from.agentId, at: notice.createdAt };
    const file = await files.stage(orchestration, to.agentId, { ...posted, text: message });
    const data = { agentId: from.agentId, to: to.agentId, file };
    await recordEvent(tx, orchestration.id, 'orchestration.message_sent', data);
    const answer = { success: true, noticeId: notice.id } as const;
    await tx.remember(answer);
    return { answer, posted };
  });
  await files.deliver(orchestration, to.agentId, posted);
  return answer;
}

/**
 * Stores a message as a notice for a session. @throws LIMIT_EXCEEDED if the session has too many undelivered notices.
 */
async function addMessageNotice(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  session: SessionRow,
  message: string,
): Promise<NoticeRow> {
  const aboutSessionId = call.caller.kind === 'worker' ? call.caller.sessionId : session.id;
  const pending = await tx.notices.count({ sessionId: session.id, state: 'pending' });
  if (pending >= PENDING_NOTICES_MAX) {
    const why = `The session has ${pending} undelivered notices and accepts no more messages. Include the message in your report.`;
    throw new ConsoleError('LIMIT_EXCEEDED', why, { limit: 'pendingNotices', value: PENDING_NOTICES_MAX });
  }
  return addNotice(tx, context, {
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
}

/**
 * Types a line into a terminal. A repeated call has the same input id, so the runner types the line once.
 * @throws BUSY while a person has an unfinished line in the terminal. TIMEOUT if the process does not accept the line
 * in time.
 */
async function typeLine(context: OperationContext, call: Call, worker: WorkerRow, message: string): Promise<Answer> {
  const isDirty =
    worker.dirtySince !== null && context.now().getTime() < Date.parse(worker.dirtySince) + UNFINISHED_LINE_MS;
  if (isDirty)
    throw new ConsoleError('BUSY', 'A person is typing in this terminal. Retry after the line has been submitted.', {
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
    const toParent = await isToParent(read, call, sessionId);
    const peers = toParent ? null : await peersOf(read, call, sessionId);
    if (peers !== null) return messagePeer(context, call, peers, { id: sessionId }, message);
    const target = workerId === undefined || toParent ? undefined : await read.workers.get(workerId);
    if (target?.type === 'terminal' && target.sessionId === sessionId) {
      const typed = await typeLine(context, call, await runningWorker(read.workers, target.id), message);
      await write(authorOf(call), (tx) => tx.remember({ ...typed }));
      return typed;
    }
    return write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const answer = toParent
        ? { success: true, noticeId: (await addMessageNotice(tx, context, call, session, message)).id }
        : await deliverPrompt(tx, context, call, session, workerId, message);
      await tx.remember({ ...answer });
      return answer;
    });
  };
}

async function deliverPrompt(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  session: SessionRow,
  workerId: string | undefined,
  message: string,
): Promise<Answer> {
  await refusePromptBeyondLimits(tx, context, call.caller, session);
  await refuseWrongWorker(tx, session, workerId);
  const prompt = { prompt: message, notifyOnCompletion: true, ...sourceOf(call) };
  const { taskId, queuePosition } = await queueAndOpen(tx, context, session, prompt);
  return { success: true, taskId, ...(queuePosition === null ? {} : { queuePosition }) };
}

function reportResult(context: OperationContext): Implementation<'sessions.report'> {
  return ({ sessionId: requestedId, outcome: reported, summary, artifacts }, call) => {
    const sessionId = sessionOrOwn(requestedId, call);
    return context.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.first({ sessionId, kind: 'prompt', status: ['running', 'awaiting_input'] });
      if (task === undefined) {
        throw new ConsoleError(
          'CONFLICT',
          'This session has no open task to report on: the result of the last task was already reported, or that task has ended.',
          { sessionId },
        );
      }
      const status = reported === 'succeeded' ? 'completed' : 'failed';
      const outcome = { status, source: 'report', certain: true, summary, artifacts: artifacts ?? [] } as const;
      await finishTask(tx, context, task.id, outcome);
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

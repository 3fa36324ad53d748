import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { APPROVAL_CUT_CHARS } from '@agent-console/shared/limits/approvals';
import { QUEUED_TASKS_MAX } from '@agent-console/shared/limits/sessions';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import type { PromptImage } from '@agent-console/shared/models/image';
import { ACTIVE_STATUSES, isOpen, OPEN_STATUSES, type Outcome } from '../../domain/tasks.ts';
import type { MessageRow, NewRow, NoticeRow, TaskRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { about } from './subjects.ts';

/** Clock and id source for changes of tasks, messages and notices. */
export interface ChangeDeps {
  now: () => Date;
  newId: () => string;
}

export function insertTask(
  tx: Transaction,
  deps: ChangeDeps,
  { id = deps.newId(), ...task }: Omit<NewRow<'tasks'>, 'id' | 'createdAt'> & { id?: string },
): Promise<TaskRow> {
  return tx.tasks.insert({ ...task, id, createdAt: deps.now().toISOString() });
}

/** Appends a prompt to the session's queue and returns the task with its queue position (1 = next). */
export async function queuePrompt(
  tx: Transaction,
  deps: ChangeDeps,
  prompt: Pick<TaskRow, 'sessionId' | 'prompt' | 'sourceKind' | 'sourceId' | 'notifyOnCompletion'> & {
    id?: string;
    delegationId?: string;
    images?: PromptImage[];
  },
): Promise<{ task: TaskRow; queuePosition: number }> {
  const queued = await tx.tasks.find({ sessionId: prompt.sessionId, status: 'queued' }, { order: ['-position'] });
  if (queued.length >= QUEUED_TASKS_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${queued.length} prompts are already queued in this session. Wait until some have finished, or cancel some.`,
      { limit: 'queuedTasks', value: QUEUED_TASKS_MAX },
    );
  }
  const position = (queued[0]?.position ?? 0) + 1;
  const task = await insertTask(tx, deps, { ...prompt, kind: 'prompt', position });
  await tx.record({ type: 'task.queued', ...about('task', task), data: { status: 'queued', kind: 'prompt' } });
  return { task, queuePosition: queued.length + 1 };
}

type NewMessage = Pick<MessageRow, 'sessionId' | 'taskId' | 'role' | 'kind'> & {
  text: string;
  /** Images that come after the text in the message. */
  images?: readonly PromptImage[];
  source?: MessageRow['source'];
};

export async function addMessage(
  tx: Transaction,
  deps: ChangeDeps,
  { text, images = [], source = 'console', ...message }: NewMessage,
): Promise<void> {
  const session = await tx.sessions.get(message.sessionId);
  if (session === undefined) throw notFound('Session', message.sessionId);
  const seq = session.messageCount + 1;
  const createdAt = deps.now().toISOString();
  const parts = [{ type: 'text' as const, text }, ...images.map((image) => ({ type: 'image' as const, ...image }))];
  await tx.messages.insert({ ...message, id: deps.newId(), seq, parts, source, createdAt });
  await tx.sessions.update(session.id, { messageCount: seq, updatedAt: createdAt });
}

/** Removes the reasons why tasks of a session are blocked, because they were true before its current task started. */
async function unblock(tx: Transaction, sessionId: string): Promise<void> {
  const blocked = await tx.tasks.find({ sessionId, status: [...OPEN_STATUSES], blocked: { not: null } });
  for (const { id } of blocked) await tx.tasks.update(id, { blocked: null });
}

export async function startTask(tx: Transaction, deps: ChangeDeps, task: TaskRow): Promise<void> {
  const { id: taskId, sessionId, prompt: text, images, kind: taskKind } = task;
  const at = deps.now().toISOString();
  await tx.tasks.update(taskId, { status: 'running', startedAt: at, version: task.version + 1 });
  await unblock(tx, sessionId);
  const [role, kind] = taskKind === 'notice' ? (['system', 'notice'] as const) : (['user', 'text'] as const);
  await addMessage(tx, deps, { sessionId, taskId, role, kind, text, images });
  await tx.record({ type: 'task.started', ...about('task', task), data: { status: 'running', kind: task.kind } });
}

/**
 * Notifies the session that delegated the task, if there is one. If that session no longer exists, the notice is stored
 * as undeliverable.
 */
async function notify(
  tx: Transaction,
  deps: ChangeDeps,
  task: TaskRow,
  notice: Pick<NewRow<'notices'>, 'kind' | 'status' | 'outcomeSource' | 'certain' | 'summary'>,
): Promise<void> {
  if (task.kind !== 'prompt' || task.sourceKind !== 'session' || task.sourceId === null) return;
  await addNotice(tx, deps, {
    ...notice,
    sessionId: task.sourceId,
    aboutSessionId: task.sessionId,
    aboutTaskId: task.id,
    aboutDelegationId: task.delegationId,
    typed: task.notifyOnCompletion,
  });
}

/** Stores a notice for a session. The notice is later typed to the session's agent, unless `typed` is false. */
export async function addNotice(
  tx: Transaction,
  deps: ChangeDeps,
  {
    typed,
    ...facts
  }: Omit<NewRow<'notices'>, 'id' | 'title' | 'state' | 'createdAt'> & {
    title?: string;
    typed: boolean;
  },
): Promise<NoticeRow> {
  const { kind, aboutSessionId } = facts;
  const recipient = await tx.sessions.get(facts.sessionId);
  const title = facts.title ?? (await tx.sessions.get(aboutSessionId))?.title ?? '';
  const gone = recipient === undefined || recipient.removedAt !== null;
  const state = gone ? 'undeliverable' : typed ? 'pending' : 'stored';
  const createdAt = deps.now().toISOString();
  const notice = await tx.notices.insert({ ...facts, id: deps.newId(), title, state, createdAt });
  await tx.record({
    type: 'notice.created',
    ...about('notice', notice),
    data: { kind, aboutSessionId, status: notice.status, state },
  });
  return notice;
}

/** Stores the progress of the current task. A task that ends keeps its last progress. */
export async function noteProgress(tx: Transaction, sessionId: string, progress: number): Promise<void> {
  const active = await tx.tasks.find({ sessionId, status: ACTIVE_STATUSES });
  // The progress belongs to the running prompt. Another active prompt may only be waiting for its report.
  const task =
    active.find(({ kind, status }) => kind === 'prompt' && status === 'running') ??
    active.find(({ kind }) => kind === 'prompt') ??
    active[0];
  if (task === undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Session ${sessionId} is not working on a task, so progress cannot be recorded. Leave progress out, or send a prompt first.`,
      { sessionId },
    );
  }
  await tx.tasks.update(task.id, { progress, version: task.version + 1 });
  const { status, kind } = task;
  await tx.record({ type: 'task.progressed', ...about('task', task), data: { status, kind, progress } });
}

/** Ends a task. Only the first outcome counts: returns false if the task had already ended or does not exist. */
export async function finishTask(
  tx: Transaction,
  deps: ChangeDeps,
  taskId: string,
  outcome: Outcome,
): Promise<boolean> {
  const task = await tx.tasks.get(taskId);
  if (task === undefined || !isOpen(task.status)) return false;
  const { kind, sessionId } = task;
  const { status, source: outcomeSource, certain, error } = outcome;
  const summary = outcome.summary ?? task.summary;
  await tx.tasks.update(taskId, {
    status,
    outcomeSource,
    certain,
    summary,
    waitingFor: null,
    blocked: null,
    artifacts: outcome.artifacts ?? task.artifacts,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    version: task.version + 1,
    endedAt: deps.now().toISOString(),
  });
  await tx.record({
    type: 'task.ended',
    ...about('task', task),
    data: { status, kind, outcomeSource, certain, ...(await originOf(tx, task)) },
  });
  if (kind === 'notice') await returnNotices(tx, deps, taskId);
  if (outcomeSource === 'report' && summary !== null) {
    await addMessage(tx, deps, { sessionId, taskId, role: 'agent', kind: 'text', text: summary });
  }
  const text = summary ?? error?.message ?? `The task is ${status}.`;
  await notify(tx, deps, task, { kind: 'ended', status, outcomeSource, certain, summary: text });
  return true;
}

/**
 * Returns the ids of a prompt task's session and of its parent or original session, or no ids if it has neither. The
 * event `task.ended` contains these ids, so that clients that follow the parent or original session receive the event
 * too.
 */
async function originOf(tx: Transaction, { kind, sessionId }: TaskRow): Promise<EventDataOf<'task.ended'>> {
  const session = kind === 'prompt' ? await tx.sessions.get(sessionId) : undefined;
  const { parentSessionId, forkedFromSessionId } = session ?? {};
  if (parentSessionId != null) return { parentSessionId, childSessionId: sessionId };
  return forkedFromSessionId == null ? {} : { forkedFromSessionId, childSessionId: sessionId };
}

/**
 * Sets notices back to `pending` when the task that was to deliver them has ended. If Enter was already pressed for
 * them, marks them as delivered instead, because a notice is never typed twice.
 */
async function returnNotices(tx: Transaction, deps: ChangeDeps, taskId: string): Promise<void> {
  const typed = await tx.inputs.first({ taskId, submittedOffset: { not: null } });
  if (typed !== undefined) return deliverNotices(tx, deps, taskId);
  for (const notice of await tx.notices.find({ taskId, state: 'delivering' })) {
    await tx.notices.update(notice.id, { state: 'pending', taskId: null });
  }
}

/**
 * Marks the notices that a task delivers as delivered. Called once the agent has accepted the task, or when the task
 * ends after Enter was pressed.
 */
export async function deliverNotices(tx: Transaction, deps: ChangeDeps, taskId: string): Promise<void> {
  for (const notice of await tx.notices.find({ taskId, state: 'delivering' })) {
    await tx.notices.update(notice.id, { state: 'delivered', deliveredAt: deps.now().toISOString() });
    const { kind, aboutSessionId } = notice;
    await tx.record({ type: 'notice.delivered', ...about('notice', notice), data: { kind, aboutSessionId } });
  }
}

/**
 * Makes the task wait for a report or an answer. If the task waits for an answer, notifies the session that delegated
 * the task.
 */
export async function setTaskWaiting(
  tx: Transaction,
  deps: ChangeDeps,
  task: TaskRow,
  waitingFor: 'answer' | 'report',
  question: string | null = null,
): Promise<void> {
  await tx.tasks.update(task.id, { status: 'awaiting_input', waitingFor, version: task.version + 1 });
  const data = { status: 'awaiting_input', kind: task.kind, waitingFor } as const;
  await tx.record({ type: 'task.waiting', ...about('task', task), data });
  if (waitingFor === 'answer') {
    const asks =
      question === null ? 'The agent asks a question in its terminal.' : `The agent asks: ${shortened(question)}`;
    const summary = `${asks}\nOnly a person can answer it. You are notified when the task ends.`;
    await notify(tx, deps, task, { kind: 'waiting', status: 'awaiting_input', summary });
  }
}

/**
 * Makes a task wait until the usage limit of its agent's subscription is reset. Notifies the session that delegated the
 * task or created the orchestration of the agent.
 */
export async function waitForQuota(tx: Transaction, deps: ChangeDeps, task: TaskRow, until: string): Promise<void> {
  const { id, kind, version } = task;
  const waiting = { status: 'awaiting_input', waitingFor: 'quota' } as const;
  await tx.tasks.update(id, { ...waiting, waitingUntil: until, version: version + 1 });
  await tx.record({ type: 'task.waiting', ...about('task', task), data: { ...waiting, kind, waitingUntil: until } });
  const orchestrationId = kind === 'prompt' && task.sourceKind === 'orchestration' ? task.sourceId : null;
  const end = orchestrationId === null ? 'it ends' : 'its orchestration ends';
  const summary = `The subscription of the agent allows no further use before ${until}. The task then continues by itself, and you are notified when ${end}.`;
  const notice = { kind: 'waiting', status: 'awaiting_input', summary } as const;
  if (orchestrationId === null) return notify(tx, deps, task, notice);
  const sessionId = (await tx.orchestrations.get(orchestrationId))?.createdBySessionId ?? null;
  if (sessionId === null) return;
  const facts = { ...notice, sessionId, aboutSessionId: task.sessionId, aboutTaskId: id };
  await addNotice(tx, deps, { ...facts, typed: true });
}

function shortened(question: string): string {
  return question.length <= APPROVAL_CUT_CHARS ? question : `${question.slice(0, APPROVAL_CUT_CHARS)}…`;
}

/** Marks a waiting task as running again. */
export async function setTaskRunning(tx: Transaction, task: TaskRow): Promise<void> {
  await tx.tasks.update(task.id, { status: 'running', waitingFor: null, quietSince: null, version: task.version + 1 });
  await unblock(tx, task.sessionId);
  const data = { status: 'running', kind: task.kind, again: true } as const;
  await tx.record({ type: 'task.started', ...about('task', task), data });
}

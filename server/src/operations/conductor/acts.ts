import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { NOTICES_PER_TURN } from '@agent-console/shared/limits';
import { formatNoticeBlock, REMINDER } from '@agent-console/shared/notice-block';
import type { Decision } from '../../domain/conduct.ts';
import { unreported } from '../../domain/tasks.ts';
import { isAccepted, withPromptTaken } from '../../domain/turns.ts';
import { SYSTEM } from '../author.ts';
import type { InputRow, NoticeRow, TaskRow } from '../ports/rows.ts';
import type { Runner } from '../ports/runner.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Processes } from '../processes/processes.ts';
import { finishTask, newTask, type Pen, startTask } from '../task-changes.ts';
import { applySigns } from './signs.ts';
import type { Loaded } from './situation.ts';

export interface ActDeps extends Pen {
  storage: Storage;
  runner: Pick<Runner, 'input'>;
  processes: Processes;
}

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const ENTER = '\r';

type Step = Exclude<Decision, { do: 'wait' }>;

/** Carries decisions out. Each looks again inside its transaction, since others write between a decision and its act. */
export function createActs(deps: ActDeps) {
  const pasted = new Map<string, number>();
  const { storage } = deps;

  async function perform(loaded: Loaded, step: Step): Promise<void> {
    const { session, agent } = loaded;
    switch (step.do) {
      case 'resume':
        return storage.write(SYSTEM, async (tx) => {
          const current = await tx.sessions.get(session.id);
          if (current?.mark !== 'paused' || current.pausedBy !== 'idle') return;
          await tx.sessions.update(session.id, { mark: 'open', pausedBy: null, updatedAt: deps.now().toISOString() });
          await tx.record({
            type: 'session.resumed',
            subject: { kind: 'session', id: session.id },
            sessionId: session.id,
          });
        });
      case 'startAgent':
        return startAgent(session.id);
      case 'endAgent':
        return agent === undefined ? undefined : deps.processes.end(agent.id);
      case 'startTask':
        return withTask(step.taskId, 'queued', async (tx, task) => {
          const current = await tx.sessions.get(session.id);
          if (current?.mark === 'open' && !current.queueHeld && current.archivedAt === null)
            await startTask(tx, deps, task);
        });
      case 'startNotices':
        return storage.write(SYSTEM, (tx) => startNotices(tx, session.id));
      case 'prepareInput':
        return withTask(step.taskId, 'running', async (tx, task) => {
          if (agent === undefined) return;
          const { text } = await deps.processes.typed(session.agentId, task);
          await addInput(tx, agent.id, task.id, task.kind, text);
        });
      case 'paste':
        return paste(loaded, step.inputId);
      case 'submit':
        return submit(loaded, step.inputId);
      case 'giveUp':
        return giveUp(session.id, step.inputId);
      case 'withdraw':
        return withdraw(loaded, step.inputId);
      case 'drop':
        pasted.delete(step.inputId);
        await advanceInput(step.inputId, ['queued', 'submitted', 'uncertain'], { state: 'dropped' });
        return;
      case 'markQuiet':
        return withTask(step.taskId, 'awaiting_input', (tx, task) =>
          tx.tasks.update(task.id, { quietSince: deps.now().toISOString() }),
        );
      case 'clearQuiet':
        return withTask(step.taskId, 'awaiting_input', (tx, task) => tx.tasks.update(task.id, { quietSince: null }));
      case 'remind':
        return withTask(step.taskId, 'awaiting_input', async (tx, task) => {
          if (agent === undefined) return;
          await tx.tasks.update(task.id, { remindedAt: deps.now().toISOString(), quietSince: null });
          await addInput(tx, agent.id, task.id, 'reminder', REMINDER);
        });
      case 'closeUnreported':
        return withTask(step.taskId, 'awaiting_input', async (tx) => {
          const seenBy = agent === undefined ? 'process' : agent.activitySource;
          await finishTask(tx, deps, step.taskId, unreported(seenBy));
        });
    }
  }

  /** Runs `change` if the task is still as it was when the decision was made. */
  function withTask(
    taskId: string,
    status: TaskRow['status'],
    change: (tx: Transaction, task: TaskRow) => Promise<unknown>,
  ): Promise<void> {
    return storage.write(SYSTEM, async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task?.status === status) await change(tx, task);
    });
  }

  async function startAgent(sessionId: string): Promise<void> {
    try {
      await deps.processes.startAgent(SYSTEM, sessionId);
    } catch (error) {
      // What may pass (a busy database, a runner that is gone) is tried again; the rest is how the task ended.
      if (!(error instanceof ConsoleError) || (ERRORS[error.code].retryable && error.code !== 'LIMIT_EXCEEDED'))
        throw error;
      await storage.write(SYSTEM, async (tx) => {
        for (const task of await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] })) {
          const { code, message } = error;
          await finishTask(tx, deps, task.id, {
            status: 'failed',
            source: 'system',
            certain: true,
            error: { code, message },
          });
        }
        await tx.sessions.update(sessionId, { queueHeld: true });
      });
    }
  }

  async function addInput(
    tx: Transaction,
    workerId: string,
    taskId: string,
    kind: InputRow['kind'],
    text: string,
  ): Promise<void> {
    await tx.inputs.insert({
      id: deps.newId(),
      workerId,
      taskId,
      kind,
      text,
      state: 'queued',
      pastedOffset: null,
      submittedOffset: null,
      acceptedBy: null,
      createdAt: deps.now().toISOString(),
      submittedAt: null,
    });
  }

  async function startNotices(tx: Transaction, sessionId: string): Promise<void> {
    const notices = await tx.notices.find({ sessionId, state: 'pending' }, { limit: NOTICES_PER_TURN });
    if (notices.length === 0) return;
    const task = newTask(deps, sessionId, 'notice', formatNoticeBlock(notices.map(noticeFacts)));
    await tx.tasks.insert(task);
    for (const notice of notices) await tx.notices.update(notice.id, { state: 'delivering', taskId: task.id });
    await startTask(tx, deps, task);
  }

  /** Types the text without its Enter. Stored before and after, so that a crash in between repeats the same input id. */
  async function paste(loaded: Loaded, inputId: string): Promise<void> {
    const { agent, input } = loaded;
    if (agent === undefined || input === undefined) return;
    if (!(await advanceInput(inputId, ['queued', 'pasting'], { state: 'pasting' }))) return;
    const { bracketed } = await deps.processes.typed(loaded.session.agentId, {
      prompt: input.text,
      sourceKind: 'person',
    });
    if (!(await clearLeftover(agent.id, inputId, loaded.session.agentId))) return;
    const text = bracketed ? `${PASTE_BEGIN}${input.text}${PASTE_END}` : input.text;
    const receipt = await typed(agent.id, `${inputId}:paste`, text);
    if (receipt === null) return;
    pasted.set(inputId, deps.now().getTime());
    await advanceInput(inputId, ['pasting'], { state: 'pasted', pastedOffset: receipt.offset });
  }

  /** An agent may put an interrupted prompt back into its line. False when its process has ended. */
  async function clearLeftover(workerId: string, inputId: string, agentId: string): Promise<boolean> {
    const [before] = await storage.read.inputs.find(
      { workerId, id: { not: inputId }, submittedOffset: { not: null } },
      { order: ['-id'], limit: 1 },
    );
    const task = before?.taskId == null ? undefined : await storage.read.tasks.get(before.taskId);
    if (task?.status !== 'cancelled') return true;
    const { clearLine } = await deps.processes.keys(agentId);
    return (await typed(workerId, `${inputId}:clear`, clearLine)) !== null;
  }

  async function submit(loaded: Loaded, inputId: string): Promise<void> {
    const { agent } = loaded;
    if (agent === undefined) return;
    if (!(await advanceInput(inputId, ['pasted', 'submitting'], { state: 'submitting' }))) return;
    const receipt = await typed(agent.id, `${inputId}:enter`, ENTER);
    if (receipt === null) return;
    pasted.delete(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row?.state !== 'submitting') return;
      await tx.inputs.update(inputId, {
        state: 'submitted',
        submittedOffset: receipt.offset,
        submittedAt: deps.now().toISOString(),
      });
      if (row.taskId !== null) await tx.tasks.update(row.taskId, { sendNow: false, blocked: null });
      // The agent may have answered before its receipt was stored: its signs are looked at once more.
      const worker = await tx.workers.get(agent.id);
      if (worker === undefined) return;
      const said = row.acceptedBy === null ? undefined : withPromptTaken(receipt.offset, worker);
      if (said !== undefined) {
        const { lastActiveOffset, lastIdleOffset } = said;
        await tx.workers.update(agent.id, { lastActiveOffset, lastIdleOffset });
      }
      const signs = said ?? worker;
      if (isAccepted(receipt.offset, signs)) await applySigns(tx, deps, worker, signs, worker.activitySource);
    });
  }

  /** Null when the process has ended meanwhile: its exit says the rest. */
  async function typed(workerId: string, runnerInputId: string, text: string) {
    try {
      return await deps.runner.input(workerId, runnerInputId, Buffer.from(text));
    } catch (error) {
      if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** Takes a cancelled task's text out of the agent's line, or interrupts the agent that works on it. */
  async function withdraw({ session, agent, input }: Loaded, inputId: string): Promise<void> {
    if (agent === undefined || input === undefined) return;
    const clearing = input.state === 'clearing';
    const { clearLine, interrupt } = await deps.processes.keys(session.agentId);
    if ((await typed(agent.id, `${inputId}:withdraw`, clearing ? clearLine : interrupt)) === null) return;
    pasted.delete(inputId);
    const submittedAt = deps.now().toISOString();
    await advanceInput(
      inputId,
      ['clearing', 'interrupting'],
      clearing ? { state: 'dropped' } : { state: 'submitted', submittedAt },
    );
  }

  async function giveUp(sessionId: string, inputId: string): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const input = await tx.inputs.get(inputId);
      if (input?.state !== 'submitted') return;
      await tx.inputs.update(inputId, { state: input.kind === 'reminder' ? 'dropped' : 'uncertain' });
      await tx.record({
        type: 'input.uncertain',
        subject: { kind: 'worker', id: input.workerId },
        sessionId,
        data: { inputId, taskId: input.taskId },
      });
    });
  }

  async function advanceInput(
    inputId: string,
    from: readonly InputRow['state'][],
    patch: Partial<InputRow>,
  ): Promise<boolean> {
    return storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row === undefined || !from.includes(row.state)) return false;
      await tx.inputs.update(inputId, patch);
      return true;
    });
  }

  /** Shows people what holds the task back, or that nothing does. */
  async function show(loaded: Loaded, blocked: string | null): Promise<void> {
    const task = loaded.turn;
    if (task === undefined || task.blocked === blocked) return;
    await storage.write(SYSTEM, async (tx) => {
      await tx.tasks.update(task.id, { blocked });
      await tx.record({
        type: 'input.blocked',
        subject: { kind: 'task', id: task.id },
        sessionId: task.sessionId,
        data: { blocked },
      });
    });
  }

  return { perform, show, pastedAt: (inputId: string) => pasted.get(inputId) ?? null };
}

function noticeFacts(notice: NoticeRow) {
  const { kind, status, outcomeSource, certain, summary } = notice;
  return {
    kind,
    status,
    outcomeSource,
    certain,
    summary,
    about: { sessionId: notice.aboutSessionId, title: notice.title },
  };
}

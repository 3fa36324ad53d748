import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { NOTICES_PER_TURN } from '@agent-console/shared/limits/sessions';
import { CONTINUE_AFTER_QUOTA, formatNoticeBlock, REMINDER } from '@agent-console/shared/notice-block';
import { withImagePaths } from '../../domain/images.ts';
import type { NextStep } from '../../domain/next-step.ts';
import { isOver } from '../../domain/protocol.ts';
import { ACTIVE_STATUSES, failedBy, OPEN_STATUSES, outcomeWithoutReport } from '../../domain/tasks.ts';
import { textToType } from '../../domain/typing.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { Host } from '../../ports/host.ts';
import type { ImageFiles } from '../../ports/images.ts';
import type { AgentProtocol } from '../../ports/protocol.ts';
import type { InputRow, NoticeRow, TaskRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../changes/author.ts';
import { about, aboutSession } from '../changes/subjects.ts';
import { type ChangeDeps, finishTask, insertTask, setTaskRunning, startTask } from '../changes/task-changes.ts';
import type { Processes } from '../processes/processes.ts';
import { leadOf } from '../sessions/context-files.ts';
import { imagePaths } from '../sessions/images.ts';
import { reachedLiveLimit } from '../sessions/live-limit.ts';
import type { StartingSessions } from '../sessions/starting-sessions.ts';
import type { SettingsReader } from '../settings.ts';
import { lastMessagesOf } from '../transcripts/last-message.ts';
import { createInputEffects } from './input-effects.ts';
import type { LoadedSession } from './session-state.ts';

export interface EffectDeps extends ChangeDeps {
  storage: Storage;
  runner: Pick<Runner, 'input' | 'gone'>;
  protocol: Pick<AgentProtocol, 'frames'>;
  host: Pick<Host, 'readWorkerFile'>;
  images: ImageFiles;
  processes: Pick<Processes, 'startAgent' | 'end'>;
  catalogue: Pick<AgentCatalogue, 'kindOf'>;
  settings: Pick<SettingsReader, 'current'>;
  startingSessions: Pick<StartingSessions, 'ids'>;
}

type Step = Exclude<NextStep, { do: 'wait' }>;

/**
 * Creates the functions that carry out a session's next step. Each function checks inside its transaction whether the
 * step is still to be taken.
 */
export function createEffects(deps: EffectDeps) {
  const { storage } = deps;
  const typing = createInputEffects(deps);

  async function perform(loaded: LoadedSession, step: Step): Promise<void> {
    const { session, agent } = loaded;
    switch (step.do) {
      case 'resume':
        return storage.write(SYSTEM, async (tx) => {
          const current = await tx.sessions.get(session.id);
          if (current?.mark !== 'paused' || current.pausedBy !== 'idle') return;
          if ((await reachedLiveLimit(tx, deps, session.id)) !== null) return;
          await tx.sessions.update(session.id, { mark: 'open', pausedBy: null, updatedAt: deps.now().toISOString() });
          await tx.record({ type: 'session.resumed', ...aboutSession(session.id) });
          // In an open session, pending notices alone do not start an agent. The task that delivers them does, so it is
          // started here. It may have been queued while the session waited for the end of another.
          const queued = await tx.tasks.first({ sessionId: session.id, kind: 'notice', status: 'queued' });
          if (queued === undefined) await startNotices(tx, session.id);
          else await startTask(tx, deps, queued);
        });
      case 'queueNotices':
        return storage.write(SYSTEM, async (tx) => {
          const current = await tx.sessions.get(session.id);
          if (current?.mark !== 'paused' || current.pausedBy !== 'idle') return;
          const task = await insertNotices(tx, session.id);
          if (task === undefined) return;
          await tx.record({ type: 'task.queued', ...about('task', task), data: { status: 'queued', kind: 'notice' } });
        });
      case 'startAgent':
        return startAgent(loaded);
      case 'endAgent':
        return agent === undefined ? undefined : deps.processes.end(agent.id);
      case 'replaceAgent':
        return agent === undefined ? undefined : replaceAgent(agent.id);
      case 'startTask':
        return withTask(step.taskId, 'queued', async (tx, task) => {
          const current = await tx.sessions.get(session.id);
          if (current?.mark !== 'open' || current.queueHeld || current.archivedAt !== null) return;
          if (agent === undefined && (await reachedLiveLimit(tx, deps, session.id)) !== null) return;
          await startTask(tx, deps, task);
        });
      case 'startNotices':
        return storage.write(SYSTEM, (tx) => startNotices(tx, session.id));
      case 'prepareInput':
        // A task in `awaiting_input` gets its input too, because some agents ask whether to trust the folder before
        // they accept a prompt.
        return withTask(step.taskId, ACTIVE_STATUSES, async (tx, task) => {
          if (agent === undefined) return;
          const lead = await leadOf(tx, session, task);
          // Commands are allowed only in prompts that a person sent directly. Delegated prompts are plain text.
          const mayCommand = task.sourceKind === 'person' && task.delegationId === null;
          const kind = await deps.catalogue.kindOf(session.agentId);
          // If the task has waited for a subscription limit to be reset, the agent already has the prompt and is only
          // asked to continue.
          const text =
            task.waitingUntil === null
              ? textToType(withImages(task, kind), mayCommand, kind, lead)
              : textToType(CONTINUE_AFTER_QUOTA, false, kind, '');
          await addInput(tx, agent.id, task.id, task.waitingUntil === null ? task.kind : 'continuation', text);
        });
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
      case 'continueTask':
        return withTask(step.taskId, 'awaiting_input', async (tx, task) => {
          if (task.waitingFor === 'quota') await setTaskRunning(tx, task);
        });
      case 'closeUnreported':
        return withTask(step.taskId, 'awaiting_input', async (tx) => {
          const source = agent === undefined ? 'process' : agent.activitySource;
          const { workMessage, reply } = await lastMessagesOf(tx, step.taskId);
          await finishTask(tx, deps, step.taskId, outcomeWithoutReport(source, workMessage, reply));
        });
      default:
        return typing.effects[step.do](loaded, step.inputId);
    }
  }

  /**
   * Returns the text of a prompt, followed by the paths of its images. An agent over ACP gets only the text, because
   * the images themselves are sent with the prompt.
   */
  function withImages(task: TaskRow, { driver }: Pick<AgentKind, 'driver'>): string {
    return driver === 'acp' ? task.prompt : withImagePaths(task.prompt, imagePaths(deps, task));
  }

  /** Runs `change` if the task still has one of these statuses. */
  function withTask(
    taskId: string,
    status: TaskRow['status'] | readonly TaskRow['status'][],
    change: (tx: Transaction, task: TaskRow) => Promise<unknown>,
  ): Promise<void> {
    return storage.write(SYSTEM, async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task !== undefined && [status].flat().includes(task.status)) await change(tx, task);
    });
  }

  /**
   * Ends an agent that is outdated or does not stop its cancelled turn. Only an outdated agent is replaced by a new
   * one, so an agent with a protocol is first made outdated: its connection is marked as broken.
   */
  async function replaceAgent(workerId: string): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const worker = await tx.workers.get(workerId);
      if (worker?.protocol == null || isOver(worker.protocol)) return;
      await tx.workers.update(workerId, {
        protocol: { ...worker.protocol, phase: 'broken', choices: [], requests: [] },
      });
    });
    return deps.processes.end(workerId);
  }

  async function startAgent({ session, turn, head }: LoadedSession): Promise<void> {
    const { id: sessionId, queueHeld } = session;
    try {
      await deps.processes.startAgent(SYSTEM, sessionId);
    } catch (error) {
      // The reconciler retries after transient errors (locked database, runner gone). Any other error, and also
      // LIMIT_EXCEEDED, becomes the outcome of the tasks below.
      if (!(error instanceof ConsoleError) || (ERRORS[error.code].retryable && error.code !== 'LIMIT_EXCEEDED'))
        throw error;
      await storage.write(SYSTEM, async (tx) => {
        // If a budget has paused the session during the start, the tasks wait, and the agent starts once a person raises
        // the budget. The pause is `idle` if the orchestration with this budget has ended since; queued tasks then
        // resume the session.
        const current = await tx.sessions.get(sessionId);
        if (current?.mark === 'paused' && (current.pausedBy === 'budget' || current.pausedBy === 'idle')) return;
        const tasks = await tx.tasks.find({ sessionId, status: ACTIVE_STATUSES });
        // If no task was running, the agent was being started for the first queued task. That task fails with the same
        // error.
        const next = turn !== undefined || head === undefined || queueHeld ? undefined : await tx.tasks.get(head.id);
        if (next?.status === 'queued') tasks.push(next);
        for (const task of tasks) await finishTask(tx, deps, task.id, failedBy(error));
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
      createdAt: deps.now().toISOString(),
    });
  }

  async function startNotices(tx: Transaction, sessionId: string): Promise<void> {
    const task = await insertNotices(tx, sessionId);
    if (task !== undefined) await startTask(tx, deps, task);
  }

  /** Queues a task that delivers the pending notices. Returns undefined if there are none. */
  async function insertNotices(tx: Transaction, sessionId: string): Promise<TaskRow | undefined> {
    const notices = await tx.notices.find({ sessionId, state: 'pending' }, { limit: NOTICES_PER_TURN });
    if (notices.length === 0) return undefined;
    const prompt = formatNoticeBlock(notices.map(noticeFacts));
    const task = await insertTask(tx, deps, { sessionId, kind: 'notice', prompt, sourceKind: 'system' });
    for (const notice of notices) await tx.notices.update(notice.id, { state: 'delivering', taskId: task.id });
    return task;
  }

  /**
   * Shows in the dashboard what blocks the task, or clears the message. A task that has ended in the meantime is not
   * blocked.
   */
  async function show(loaded: LoadedSession, blocked: string | null): Promise<void> {
    const task = loaded.turn ?? loaded.head;
    if (task === undefined || task.blocked === blocked) return;
    await withTask(task.id, OPEN_STATUSES, async (tx) => {
      await tx.tasks.update(task.id, { blocked });
      await tx.record({ type: 'input.blocked', ...about('task', task), data: { blocked } });
    });
  }

  const { pastedAt, entersOf, isMenuClosed } = typing;
  return { perform, show, pastedAt, entersOf, isMenuClosed };
}

function noticeFacts({
  kind,
  status,
  outcomeSource,
  certain,
  summary,
  aboutSessionId,
  aboutOrchestrationId,
  title,
}: NoticeRow) {
  return {
    kind,
    status,
    outcomeSource,
    certain,
    summary,
    about: { sessionId: aboutSessionId, orchestrationId: aboutOrchestrationId, title },
  };
}

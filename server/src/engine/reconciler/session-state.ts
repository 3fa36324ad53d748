import { LIVE_INPUT } from '../../domain/inputs.ts';
import type { InputProgress, SessionState } from '../../domain/next-step.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import type { InputRow, SessionRow, TaskRow, WorkerRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import { type InputEvidence, lineView } from './input-evidence.ts';

export interface LoadedSession {
  session: SessionRow;
  agent: WorkerRow | undefined;
  input: InputRow | undefined;
  turn: TaskRow | undefined;
  /** The first task in the session's queue. */
  head: TaskRow | undefined;
  /** Text in the agent's input line; null if it is not visible or cannot be read now, undefined if it was not read. */
  line: string | null | undefined;
  state: SessionState;
}

const ms = (at: string | null): number | null => (at === null ? null : Date.parse(at));

/** Input states whose next step depends on the input line. */
const STATES_WITH_LINE: ReadonlySet<InputRow['state']> = new Set(['queued', 'pasted', 'submitted']);

/** Loads everything that determines a session's next step. */
export async function loadSessionState(
  read: Pick<Readers, 'sessions' | 'workers' | 'tasks' | 'inputs' | 'notices' | 'orchestrations'>,
  sessionId: string,
  context: {
    now: number;
    runnerGone: boolean;
    reminderMs: number;
    lastOutputAt(workerId: string): number;
    pastedAt(inputId: string): number | null;
    /** Returns the Enter presses for an input, once this server has probed or repeated them; null before. */
    entersOf(inputId: string): InputProgress['enterPresses'] | null;
    /** Whether this server has closed a menu that covered the input line, so that this input can be typed. */
    isMenuClosed(inputId: string): boolean;
    evidence: InputEvidence;
    queueWhenUnknown(agentId: string): Promise<'hold' | 'send'>;
    needsRestart(session: SessionRow, agent: WorkerRow): Promise<boolean>;
    reachedLiveLimit(sessionId: string): Promise<number | null>;
  },
): Promise<LoadedSession | undefined> {
  const session = await read.sessions.get(sessionId);
  if (session === undefined || session.removedAt !== null) return undefined;
  const agent = await read.workers.first({ sessionId, type: 'agent', state: LIVE_STATES });
  const tasks = await read.tasks.find({ sessionId, status: OPEN_STATUSES }, { order: ['position'] });
  const turn =
    tasks.find((task) => task.kind === 'notice' && task.status !== 'queued' && task.waitingFor !== 'quota') ??
    tasks.find((task) => task.status === 'running' || task.waitingFor === 'answer');
  const unreported = tasks.find((task) => task.waitingFor === 'report');
  const quota = tasks.find((task) => task.waitingFor === 'quota');
  const head = tasks.find((task) => task.status === 'queued');
  const input = agent && (await read.inputs.first({ workerId: agent.id, state: LIVE_INPUT }));
  const inputTask = tasks.find((task) => task.id === input?.taskId);
  const isCancelled =
    agent?.protocol != null &&
    input?.taskId != null &&
    inputTask === undefined &&
    (await read.tasks.get(input.taskId))?.status === 'cancelled';
  const readsLine = input !== undefined && STATES_WITH_LINE.has(input.state);
  const line =
    readsLine && agent
      ? await context.evidence.line(session.agentId, agent.id, input.state === 'submitted')
      : undefined;
  const before =
    input &&
    agent &&
    (await read.inputs.first(
      { workerId: agent.id, id: { not: input.id }, submittedOffset: { not: null } },
      { order: ['-id'] },
    ));
  const waitsForLine = input?.state === 'queued' && line === null && before !== undefined;
  const isCovered = waitsForLine && (await context.evidence.isCommand(session.agentId, before.text));
  const unconfirmed = input?.state === 'submitted' || input?.state === 'uncertain' ? input : undefined;
  const recorded = unconfirmed === undefined ? null : await context.evidence.recorded(session, unconfirmed);
  const isCommand = unconfirmed !== undefined && (await context.evidence.isCommand(session.agentId, unconfirmed.text));
  const pendingNotices = await read.notices.count({ sessionId, state: 'pending' });
  const state: SessionState = {
    now: context.now,
    runnerGone: context.runnerGone,
    mark: session.mark,
    pausedBy: session.pausedBy,
    archived: session.archivedAt !== null,
    queueHeld: session.queueHeld,
    agent: agent
      ? {
          workerId: agent.id,
          hasProtocol: agent.protocol !== null,
          state: agent.state === 'starting' ? 'starting' : 'running',
          activityState: agent.activityState,
          lastOutputAt: context.lastOutputAt(agent.id),
          // An agent that accepted an input has started, even if its hooks are disabled.
          hasReportedStart:
            agent.signalsOffset > 0 ||
            before !== undefined ||
            !(await context.evidence.reportsAtStart(session.agentId)),
          isFresh: before === undefined,
          hasShownActivity: agent.activitySource !== 'process',
          activitySince: Date.parse(agent.activitySince),
          dirtySince: ms(agent.dirtySince),
          queueWhenUnknown: await context.queueWhenUnknown(session.agentId),
          // `needsRestart` reads the file system, so it is called only when a task or notice is about to be delivered.
          needsRestart: (head !== undefined || pendingNotices > 0) && (await context.needsRestart(session, agent)),
        }
      : null,
    turnTaskId: turn?.id ?? null,
    unreported: unreported
      ? {
          taskId: unreported.id,
          quietSince: ms(unreported.quietSince),
          reminded: unreported.remindedAt !== null,
          source: unreported.sourceId ?? '',
        }
      : null,
    quota: quota ? { taskId: quota.id, until: Date.parse(quota.waitingUntil ?? quota.createdAt) } : null,
    input: input
      ? {
          inputId: input.id,
          state: input.state as Exclude<typeof input.state, 'ended' | 'dropped'>,
          kind: input.kind,
          taskOpen: inputTask !== undefined,
          sendNow: inputTask?.sendNow ?? false,
          pastedAt: context.pastedAt(input.id),
          submittedAt: ms(input.submittedAt),
          // For a cancelled input, `submittedAt` is the time of the cancellation.
          cancelSentAt: isCancelled ? ms(input.submittedAt) : null,
          createdAt: Date.parse(input.createdAt),
          line: lineView(line, input.text),
          // After a restart of the server, the count of Enter presses begins at 1 again. The next presses then have ids
          // that were already used, so the runner ignores them.
          enterPresses: context.entersOf(input.id) ?? { count: 1, lastAt: ms(input.submittedAt) ?? 0, probedAt: null },
          isLineCovered: isCovered && !context.isMenuClosed(input.id),
          recordedEnd: recorded?.how ?? null,
          isCommand: isCommand || recorded?.how === 'command',
        }
      : null,
    queueHead: head
      ? {
          taskId: head.id,
          source: head.sourceId ?? '',
          fromPerson: head.sourceKind === 'person',
          sendNow: head.sendNow,
        }
      : null,
    pendingNotices,
    // Counting the live sessions takes several queries, so they are counted only when an agent would start.
    reachedLiveLimit:
      agent === undefined && (head !== undefined || pendingNotices > 0)
        ? await context.reachedLiveLimit(sessionId)
        : null,
    delegatedTasks:
      (await delegatedTasks(read, sessionId)) +
      (await read.orchestrations.count({ createdBySessionId: sessionId, state: ['running', 'paused'] })),
    reminderMs: context.reminderMs,
  };
  return { session, agent, input, turn, head, line, state };
}

/**
 * Counts the open tasks that a session delegated to other sessions. Those of archived sessions do not count, because
 * they cannot end before a person unarchives their session.
 */
async function delegatedTasks(read: Pick<Readers, 'sessions' | 'tasks'>, sourceId: string): Promise<number> {
  const open = { sourceId, sessionId: { not: sourceId }, status: OPEN_STATUSES };
  if ((await read.tasks.count(open)) === 0) return 0;
  const tasks = await read.tasks.find(open);
  const sessionIds = tasks.map(({ sessionId }) => sessionId);
  const archived = new Set(await read.sessions.ids({ id: sessionIds, archivedAt: { not: null } }));
  return sessionIds.filter((id) => !archived.has(id)).length;
}

import type { Session } from './models/session.ts';
import type { Worker } from './models/worker.ts';

type BadgeKind = 'working' | 'idle' | 'needs' | 'done' | 'failed' | 'unknown' | 'paused' | 'stopped';

/** Status of a session as the dashboard and the command line show it: glyph, word, age and source. */
export interface SessionBadge {
  kind: BadgeKind;
  glyph: string;
  word: string;
  /** Time since which the session has had this status. */
  since: string;
  /** Source and confidence of the status, e.g. `hook, certain`. */
  source: string;
  unread: boolean;
}

/** The data on which the badge of a session depends, besides the session. */
export interface BadgeContext {
  /** Time up to which the viewer has read outcomes; null if the viewer has read none. */
  readUntil?: string | null | undefined;
}

const GLYPHS: Record<BadgeKind, string> = {
  working: '◐',
  idle: '○',
  needs: '▲',
  done: '○',
  failed: '⊘',
  unknown: '◌',
  paused: '‖',
  stopped: '–',
};

const UNREAD_GLYPH = '●';

/**
 * Returns the first of these workers that exists: the newest live agent, the newest live terminal, the newest agent,
 * the newest terminal.
 */
export function mainWorker(session: Session): Worker | undefined {
  const live = session.workers.filter(isLive);
  return (
    agentOf({ workers: live }) ??
    live.at(-1) ??
    agentOf(session) ??
    session.workers.findLast(({ type }) => type === 'terminal')
  );
}

/** Whether the worker's process is starting or running. False for a diff view, which has no process. */
export function isLive({ type, state }: Pick<Worker, 'type' | 'state'>): boolean {
  return type !== 'git-diff' && (state === 'starting' || state === 'running');
}

/** Returns the session's newest agent, live or not. */
export function agentOf({ workers }: Pick<Session, 'workers'>): Worker | undefined {
  return workers.findLast(({ type }) => type === 'agent');
}

/**
 * Returns the end time of the session's current task if the task completed, failed or was lost with its agent (see
 * `isLost`); otherwise undefined.
 */
export function taskEndOf(session: Session): string | undefined {
  const { task } = session;
  if (task === null || task.endedAt === null) return undefined;
  const hasEnded = task.status === 'completed' || task.status === 'failed' || isLost(session);
  return hasEnded ? task.endedAt : undefined;
}

/**
 * Whether the runner stopped while the session's agent worked, and the agent was not started again. False for an agent
 * of an orchestration, because the orchestration starts it again. Also false if the session is paused, stopped,
 * completed or failed.
 */
export function isLost(session: Session): boolean {
  const { task, orchestrationId } = session;
  if (task?.status !== 'interrupted' || task.error?.code !== 'RUNNER_UNAVAILABLE') return false;
  return agentOf(session)?.state === 'lost' && orchestrationId === null && !isMarked(session);
}

/**
 * Returns the badge of a session. It shows the first of these that applies: a question or blocked prompt, a used-up
 * budget, a manually set status, the outcome of the task, a pause, the activity. The badge is the same for every
 * viewer, except that `unread` and the glyph depend on `readUntil`.
 */
export function badgeOf(session: Session, { readUntil }: BadgeContext = {}): SessionBadge {
  // A console of an earlier version sends no `overBudgetSince`, so the field can be undefined here.
  const { overBudgetSince } = session;
  const needs = needOf(session);
  if (needs !== undefined) return needs;
  if (overBudgetSince != null) return badge('needs', 'budget used up', overBudgetSince, RECORDED);
  const end = endShown(session);
  const unread = end !== undefined && (readUntil == null || end > readUntil);
  const shown = markOf(session) ?? outcomeOf(session, end) ?? pauseOf(session) ?? activityOf(session);
  return unread ? { ...shown, unread, glyph: shown.kind === 'done' ? UNREAD_GLYPH : shown.glyph } : shown;
}

function needOf(session: Session): SessionBadge | undefined {
  const { held } = session;
  const blocked = held == null ? undefined : badge('needs', 'blocked', held.since, held.reason);
  // A paused session that is to be resumed may have to wait, for example because of the limit of live sessions.
  if (isMarked(session)) return session.status === 'paused' ? blocked : undefined;
  const agent = agentOf(session);
  if (agent !== undefined && isLive(agent)) {
    if (agent.activityState === 'asking') return badge('needs', 'asks', agent.activitySince, sourceOf(agent));
    if (session.task?.waitingFor === 'answer') return badge('needs', 'asks', agent.activitySince, RECORDED);
  }
  return blocked;
}

/**
 * Returns the end time of the current task if the badge may show its outcome, otherwise undefined. The badge may show
 * the outcome if the agent is idle or not live, or if the session is paused, stopped, completed or failed.
 */
function endShown(session: Session): string | undefined {
  const agent = agentOf(session);
  const isBusy = agent !== undefined && isLive(agent) && agent.activityState !== 'idle';
  return isBusy && !isMarked(session) ? undefined : taskEndOf(session);
}

function outcomeOf({ task }: Session, end: string | undefined): SessionBadge | undefined {
  if (task === null || end === undefined || task.status === 'interrupted') return undefined;
  const source = `${task.outcomeSource ?? 'console'}, ${task.certain === false ? 'uncertain' : 'certain'}`;
  return task.status === 'failed' ? badge('failed', 'failed', end, source) : badge('done', 'done', end, source);
}

const MARKS: Partial<Record<Session['status'], BadgeKind>> = {
  failed: 'failed',
  completed: 'done',
  stopped: 'stopped',
};

/** Returns the badge of a manually set status. `badgeOf` prefers it to the outcome of the task and to the activity. */
function markOf({ status, updatedAt }: Session): SessionBadge | undefined {
  const kind = MARKS[status];
  return kind && badge(kind, kind, updatedAt, RECORDED);
}

/**
 * Returns the badge of a paused session. `badgeOf` prefers the outcome of the task, which the automatic pause after a
 * session's work must not hide.
 */
function pauseOf({ status, updatedAt }: Session): SessionBadge | undefined {
  return status === 'paused' ? badge('paused', 'paused', updatedAt, RECORDED) : undefined;
}

function activityOf(session: Session): SessionBadge {
  const agent = agentOf(session);
  const { task } = session;
  if (agent === undefined || !isLive(agent)) {
    if (task?.status === 'running') return badge('working', 'starting', task.startedAt ?? session.updatedAt, RECORDED);
    if (agent === undefined) return badge('stopped', 'not started', session.createdAt, RECORDED);
    const exit = agent.exitCode ?? agent.signal;
    if (agent.state === 'lost') return badge('unknown', 'lost', agent.activitySince, RECORDED);
    if (exit === null)
      return badge(isRefused(agent) ? 'failed' : 'stopped', 'not started', agent.activitySince, RECORDED);
    if (exit === 0) return badge('stopped', 'exited', agent.activitySince, RECORDED);
    return badge('failed', `exited (${exit})`, agent.activitySince, RECORDED);
  }
  const { activitySince: since, activityState } = agent;
  const source = sourceOf(agent);
  if (agent.state === 'starting') return badge('working', 'starting', agent.createdAt, RECORDED);
  if (activityState === 'unknown') return badge('unknown', 'unknown', since, source);
  if (activityState === 'active') return badge('working', 'working', since, source);
  return badge('idle', WAITING[task?.waitingFor ?? 'answer'], since, source);
}

/**
 * Words for an idle agent, by what its task waits for. The word for `answer` is shown if no task waits for anything,
 * because `needOf` returns the badge of a task that waits for an answer.
 */
const WAITING = { answer: 'idle', report: 'awaiting report', quota: 'usage limit' } as const;

/** Whether the process was never started, for a reason that the last warning states. */
function isRefused({ state, exitCode, signal, warnings }: Worker): boolean {
  return state === 'exited' && exitCode === null && signal === null && warnings.length > 0;
}

/** Describes how an agent ended. */
export function describeEnd(agent: Worker): string {
  const { state, signal, exitCode, warnings } = agent;
  if (state === 'lost') return "The runner stopped unexpectedly, so the agent's exit status is unknown";
  if (isRefused(agent)) return `The agent could not be started: ${warnings.at(-1)}`;
  if (signal !== null) return `The agent was terminated by ${signal}`;
  return exitCode === null ? 'The agent was not started' : `The agent exited with code ${exitCode}`;
}

const RECORDED = 'console, certain';

function badge(kind: BadgeKind, word: string, since: string, source: string): SessionBadge {
  return { kind, glyph: GLYPHS[kind], word, since, source, unread: false };
}

function isMarked({ status }: Session): boolean {
  return status === 'paused' || status === 'stopped' || status === 'completed' || status === 'failed';
}

function sourceOf(worker: Worker): string {
  return `${worker.activitySource}, ${worker.confidence}`;
}

/** Returns the display name of a session: its title, otherwise its branch, otherwise its folder. */
export function sessionName({ title, gitState, cwd }: Pick<Session, 'title' | 'gitState' | 'cwd'>): string {
  return title.trim() || gitState?.ref || lastSegment(cwd);
}

export function lastSegment(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

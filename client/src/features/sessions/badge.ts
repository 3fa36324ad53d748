import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { formatAge } from '../../ui/format-age.ts';

type BadgeKind = 'working' | 'idle' | 'needs' | 'done' | 'failed' | 'unknown' | 'paused' | 'stopped';

/** How a session stands, for a glance: a glyph, a word, since when, and where that is known from. */
export interface SessionBadge {
  kind: BadgeKind;
  glyph: string;
  word: string;
  /** When it began to stand so. */
  since: string;
  /** Source and confidence, for those who ask: `hook, certain`. */
  source: string;
  /** Nobody has looked since it ended so. */
  unread: boolean;
}

/** A prompt that cannot be typed although it is its turn. */
export interface HeldPrompt {
  taskId: string;
  /** As the console says it: `waiting for the keyboard`. */
  reason: string;
  since: string;
}

/** What is known beside the session itself. */
export interface Known {
  held?: HeldPrompt | undefined;
  /** The end of a task that was last looked at; undefined when none was. */
  seen?: string | undefined;
}

const GLYPHS: Record<BadgeKind, string> = {
  working: '◐',
  idle: '○',
  needs: '▲',
  done: '○',
  failed: '⊘',
  unknown: '◌',
  paused: '❙❙',
  stopped: '–',
};

/** Of work that is done and that nobody has looked at since. */
const UNREAD_GLYPH = '●';

/** The worker whose terminal stands for the session: its newest living agent, else terminal, else the last that lived. */
export function mainWorker(session: Session): Worker | undefined {
  const withTerminal = session.workers.filter(({ type }) => type !== 'git-diff');
  const living = withTerminal.filter(isLive);
  return (
    living.findLast(({ type }) => type === 'agent') ??
    living.at(-1) ??
    withTerminal.findLast(({ type }) => type === 'agent') ??
    withTerminal.at(-1)
  );
}

/** Whether its process can still do something. */
export function isLive(worker: Worker): boolean {
  return worker.state === 'starting' || worker.state === 'running';
}

/** The session's newest agent, living or not. */
export function agentOf(session: Session): Worker | undefined {
  return session.workers.findLast(({ type }) => type === 'agent');
}

/** When the last prompt ended by itself, well or badly, and nothing was begun since; undefined otherwise. */
export function endOf({ task }: Session): string | undefined {
  if (task === null || task.endedAt === null) return undefined;
  return task.status === 'completed' || task.status === 'failed' ? task.endedAt : undefined;
}

/**
 * How the session stands: what needs a person first, then what was decided about it, how its work ended, and what it is
 * doing. The same for everybody: what was looked at changes only whether it is `unread`.
 */
export function badgeOf(session: Session, { held, seen }: Known = {}): SessionBadge {
  const needs = needOf(session, held);
  if (needs !== undefined) return needs;
  const end = endShown(session);
  const unread = end !== undefined && (seen === undefined || end > seen);
  const stands = markOf(session) ?? outcomeOf(session, end) ?? pauseOf(session) ?? activityOf(session);
  return unread ? { ...stands, unread, glyph: stands.kind === 'done' ? UNREAD_GLYPH : stands.glyph } : stands;
}

function needOf(session: Session, held: HeldPrompt | undefined): SessionBadge | undefined {
  const agent = agentOf(session);
  if (agent === undefined || !isLive(agent) || isMarked(session)) return undefined;
  if (agent.activityState === 'asking') return badge('needs', 'asks', agent.activitySince, sourceOf(agent));
  if (session.task?.waitingFor === 'answer') return badge('needs', 'asks', agent.activitySince, RECORDED);
  return held === undefined ? undefined : badge('needs', 'held up', held.since, held.reason);
}

/** The end of its work, unless its agent is at something again. */
function endShown(session: Session): string | undefined {
  const agent = agentOf(session);
  const isAtIt = agent !== undefined && isLive(agent) && agent.activityState !== 'idle';
  return isAtIt && !isMarked(session) ? undefined : endOf(session);
}

function outcomeOf({ task }: Session, end: string | undefined): SessionBadge | undefined {
  if (task === null || end === undefined) return undefined;
  const source = `${task.outcomeSource ?? 'console'}, ${task.certain === false ? 'not certain' : 'certain'}`;
  return task.status === 'failed' ? badge('failed', 'failed', end, source) : badge('done', 'done', end, source);
}

/** What was decided about a session, whatever its processes do. */
function markOf(session: Session): SessionBadge | undefined {
  const since = session.updatedAt;
  switch (session.status) {
    case 'failed':
      return badge('failed', 'failed', since, RECORDED);
    case 'completed':
      return badge('done', 'done', since, RECORDED);
    case 'stopped':
      return badge('stopped', 'stopped', since, RECORDED);
    default:
      return undefined;
  }
}

/** A session with nothing to do is paused by itself, which says less than how its work ended. */
function pauseOf({ status, updatedAt }: Session): SessionBadge | undefined {
  return status === 'paused' ? badge('paused', 'paused', updatedAt, RECORDED) : undefined;
}

function activityOf(session: Session): SessionBadge {
  const agent = agentOf(session);
  const { task } = session;
  if (agent === undefined || !isLive(agent)) {
    if (task?.status === 'running') return badge('working', 'starting', task.startedAt ?? session.updatedAt, RECORDED);
    if (agent === undefined) return badge('stopped', 'not started', session.createdAt, RECORDED);
    const how = agent.exitCode ?? agent.signal;
    if (agent.state === 'lost') return badge('unknown', 'lost', agent.activitySince, RECORDED);
    if (how === null)
      return badge(isRefused(agent) ? 'failed' : 'stopped', 'not started', agent.activitySince, RECORDED);
    if (how === 0) return badge('stopped', 'ended', agent.activitySince, RECORDED);
    return badge('failed', `ended (${how})`, agent.activitySince, RECORDED);
  }
  const { activitySince: since, activityState } = agent;
  const source = sourceOf(agent);
  if (agent.state === 'starting') return badge('working', 'starting', agent.createdAt, RECORDED);
  if (activityState === 'unknown') return badge('unknown', 'unknown', since, source);
  if (activityState === 'active') return badge('working', 'working', since, source);
  return badge('idle', task?.waitingFor === 'report' ? 'to report' : 'idle', since, source);
}

/** It got no process at all, and it is known why. */
function isRefused({ state, exitCode, signal, warnings }: Worker): boolean {
  return state === 'exited' && exitCode === null && signal === null && warnings.length > 0;
}

/** How an agent ended, in words; nobody knows of one whose runner was gone before it. */
export function describeEnd(agent: Worker): string {
  const { state, signal, exitCode, warnings } = agent;
  if (state === 'lost') return 'The runner is gone, and the agent with it: how it ended is not known';
  if (isRefused(agent)) return `The agent was not started: ${warnings.at(-1)}`;
  if (signal !== null) return `The agent was ended by ${signal}`;
  return exitCode === null ? 'The agent was not started' : `The agent ended with code ${exitCode}`;
}

const RECORDED = 'recorded by the console, certain';

function badge(kind: BadgeKind, word: string, since: string, source: string): SessionBadge {
  return { kind, glyph: GLYPHS[kind], word, since, source, unread: false };
}

function isMarked({ status }: Session): boolean {
  return status === 'paused' || status === 'stopped' || status === 'completed' || status === 'failed';
}

function sourceOf(worker: Worker): string {
  return `${worker.activitySource}, ${worker.confidence}`;
}

/** `idle 3 m · hook, certain` */
export function describe({ word, since, source }: SessionBadge, now?: number): string {
  return `${word} ${formatAge(since, now)} · ${source}`;
}

/** A name to call it by: its title, else its branch, else the folder it works in. */
export function sessionName({ title, gitState, cwd }: Pick<Session, 'title' | 'gitState' | 'cwd'>): string {
  return title.trim() || gitState?.ref || lastPart(cwd);
}

/** The last folder of a path. */
export function lastPart(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

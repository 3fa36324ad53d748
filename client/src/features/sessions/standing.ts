import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { age } from '../../ui/age.ts';

type StandingKind = 'working' | 'idle' | 'needs' | 'done' | 'failed' | 'unknown' | 'paused' | 'stopped';

/** How a session stands, for a glance: a glyph, a word, since when, and where that is known from. */
export interface Standing {
  kind: StandingKind;
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
export interface Held {
  taskId: string;
  /** As the console says it: `waiting for the keyboard`. */
  reason: string;
  since: string;
}

/** What is known beside the session itself. */
export interface Known {
  held?: Held | undefined;
  /** The end of a task that was last looked at; undefined when none was. */
  seen?: string | undefined;
}

const GLYPHS: Record<StandingKind, string> = {
  working: '◐',
  idle: '○',
  needs: '▲',
  done: '●',
  failed: '⊘',
  unknown: '◌',
  paused: '❙❙',
  stopped: '–',
};

/** The worker whose terminal stands for the session: its newest living agent, else terminal, else the last that lived. */
export function shownWorker(session: Session): Worker | undefined {
  const withTerminal = session.workers.filter(({ type }) => type !== 'git-diff');
  const living = withTerminal.filter(isLiving);
  return (
    living.findLast(({ type }) => type === 'agent') ??
    living.at(-1) ??
    withTerminal.findLast(({ type }) => type === 'agent') ??
    withTerminal.at(-1)
  );
}

/** Whether its process can still do something. */
export function isLiving(worker: Worker): boolean {
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

/** How the session stands. What needs a person comes first, then what nobody has read, then what it is doing. */
export function standingOf(session: Session, { held, seen }: Known = {}): Standing {
  return needOf(session, held) ?? unreadOf(session, seen) ?? markOf(session) ?? activityOf(session);
}

function needOf(session: Session, held: Held | undefined): Standing | undefined {
  const agent = agentOf(session);
  if (agent === undefined || !isLiving(agent) || isMarked(session)) return undefined;
  if (agent.activityState === 'asking') return standing('needs', 'asks', agent.activitySince, sourceOf(agent));
  if (session.task?.waitingFor === 'answer') return standing('needs', 'asks', agent.activitySince, RECORDED);
  return held === undefined ? undefined : standing('needs', 'held up', held.since, held.reason);
}

function unreadOf(session: Session, seen: string | undefined): Standing | undefined {
  const end = endOf(session);
  const agent = agentOf(session);
  if (end === undefined || (seen !== undefined && end <= seen) || session.task === null) return undefined;
  const isAtIt = agent !== undefined && isLiving(agent) && agent.activityState !== 'idle';
  if (isAtIt && !isMarked(session)) return undefined;
  const { status, outcomeSource, certain } = session.task;
  const source = `${outcomeSource ?? 'console'}, ${certain === false ? 'not certain' : 'certain'}`;
  const [kind, word] = status === 'failed' ? (['failed', 'failed'] as const) : (['done', 'done'] as const);
  return { ...standing(kind, word, end, source), unread: true };
}

/** What was decided about a session, whatever its processes do. */
function markOf(session: Session): Standing | undefined {
  const since = session.updatedAt;
  switch (session.status) {
    case 'failed':
      return standing('failed', 'failed', since, RECORDED);
    case 'completed':
      return standing('stopped', 'done', since, RECORDED);
    case 'paused':
      return standing('paused', 'paused', since, RECORDED);
    case 'stopped':
      return standing('stopped', 'stopped', since, RECORDED);
    default:
      return undefined;
  }
}

function activityOf(session: Session): Standing {
  const agent = agentOf(session);
  const { task } = session;
  if (agent === undefined || !isLiving(agent)) {
    if (task?.status === 'running')
      return standing('working', 'starting', task.startedAt ?? session.updatedAt, RECORDED);
    if (agent === undefined) return standing('stopped', 'not started', session.createdAt, RECORDED);
    if (agent.state === 'lost') return standing('unknown', 'lost', agent.activitySince, RECORDED);
    if (agent.exitCode === 0) return standing('stopped', 'ended', agent.activitySince, RECORDED);
    return standing('failed', `ended (${agent.exitCode ?? agent.signal ?? '?'})`, agent.activitySince, RECORDED);
  }
  const { activitySince: since, activityState } = agent;
  const source = sourceOf(agent);
  if (agent.state === 'starting') return standing('working', 'starting', agent.createdAt, RECORDED);
  if (activityState === 'unknown') return standing('unknown', 'unknown', since, source);
  if (activityState === 'active') return standing('working', 'working', since, source);
  return standing('idle', task?.waitingFor === 'report' ? 'to report' : 'idle', since, source);
}

const RECORDED = 'recorded by the console, certain';

function standing(kind: StandingKind, word: string, since: string, source: string): Standing {
  return { kind, glyph: GLYPHS[kind], word, since, source, unread: false };
}

function isMarked({ status }: Session): boolean {
  return status === 'paused' || status === 'stopped' || status === 'completed' || status === 'failed';
}

function sourceOf(worker: Worker): string {
  return `${worker.activitySource}, ${worker.confidence}`;
}

/** `idle 3 m · hook, certain` */
export function describe({ word, since, source }: Standing, now?: number): string {
  return `${word} ${age(since, now)} · ${source}`;
}

/** A name to call it by: its title, else its branch, else the folder it works in. */
export function nameOf({ title, gitState, cwd }: Pick<Session, 'title' | 'gitState' | 'cwd'>): string {
  return title || gitState?.ref || lastPart(cwd);
}

/** The last folder of a path. */
export function lastPart(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

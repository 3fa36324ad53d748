import type { Worker } from '@agent-console/shared/models/worker';
import { age } from './age.ts';
import type { KnownSession } from './store.ts';

/** How a session stands, for a glance: a glyph, a word, since when, and where that is known from. */
export interface Standing {
  kind: 'working' | 'idle' | 'needs' | 'done' | 'failed' | 'unknown' | 'paused' | 'stopped';
  glyph: string;
  word: string;
  since: string;
  /** Source and confidence, for those who ask. */
  source: string;
}

const GLYPHS: Record<Standing['kind'], string> = {
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
export function shownWorker(session: KnownSession): Worker | undefined {
  const withTerminal = session.workers.filter((worker) => worker.type !== 'git-diff');
  const living = withTerminal.filter(isLiving);
  return living.findLast((worker) => worker.type === 'agent') ?? living.at(-1) ?? withTerminal.at(-1);
}

function isLiving(worker: Worker): boolean {
  return worker.state === 'starting' || worker.state === 'running';
}

export function standingOf(session: KnownSession): Standing {
  const agent = session.workers.findLast((worker) => worker.type === 'agent');
  const living = agent !== undefined && isLiving(agent) ? agent : undefined;
  const stored = (kind: Standing['kind'], word: string): Standing => ({
    kind,
    glyph: GLYPHS[kind],
    word,
    since: session.updatedAt,
    source: 'recorded by the console, certain',
  });
  switch (session.status) {
    case 'failed':
      return stored('failed', 'failed');
    case 'completed':
      return stored('done', 'done');
    case 'paused':
      return stored('paused', 'paused');
    case 'stopped':
      return stored('stopped', 'stopped');
    default:
  }
  if (agent?.state === 'lost') return stored('unknown', 'lost');
  if (living === undefined) {
    if (session.status === 'running') return stored('working', 'starting');
    if (agent === undefined) return stored('idle', 'not started');
    const failed = agent.exitCode !== 0;
    return stored(failed ? 'failed' : 'stopped', failed ? `ended (${agent.exitCode ?? agent.signal})` : 'ended');
  }
  return { ...activityOf(session, living), since: living.activitySince, source: sourceOf(living) };
}

function activityOf(session: KnownSession, agent: Worker): Pick<Standing, 'kind' | 'glyph' | 'word'> {
  const seen = (kind: Standing['kind'], word: string) => ({ kind, glyph: GLYPHS[kind], word });
  const waiting = session.tasks?.find((task) => task.status === 'awaiting_input');
  if (agent.activityState === 'asking' || waiting?.waitingFor === 'answer') return seen('needs', 'asks');
  if (agent.state === 'starting') return seen('working', 'starting');
  if (agent.activityState === 'unknown') return seen('unknown', 'unknown');
  if (agent.activityState === 'active') return seen('working', 'working');
  return seen('idle', session.status === 'awaiting_input' ? 'to report' : 'idle');
}

function sourceOf(worker: Worker): string {
  return `${worker.activitySource}, ${worker.confidence}`;
}

/** `idle 3 m · hook, certain` */
export function describe(standing: Standing): string {
  return `${standing.word} ${age(standing.since)} · ${standing.source}`;
}

/** A name to call it by: its title, else the folder it works in. */
export function nameOf(session: KnownSession): string {
  return session.title || session.cwd.split('/').at(-1) || session.cwd;
}

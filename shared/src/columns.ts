import type { Approval } from './models/approval.ts';
import type { ConsoleEvent } from './models/event.ts';
import type { Session } from './models/session.ts';
import type { Task } from './models/task.ts';
import type { Worktree } from './models/worktree.ts';
import { type CliColumn, NOUNS } from './operation.ts';
import { badgeOf, sessionName } from './session-badge.ts';

/**
 * This file defines the columns of the command line's tables, which show what sessions, tasks and other entities are
 * doing.
 */

const ENDED = ['completed', 'failed', 'cancelled', 'interrupted'];

export const AGE: CliColumn = { heading: 'AGE', path: 'createdAt', as: 'age' };
const REPOSITORY: CliColumn = { heading: 'REPOSITORY', path: 'repositoryId', names: 'repository' };
const SESSION: CliColumn = { heading: 'SESSION', path: 'sessionId', names: 'session' };

/** Returns the time since which a session has needed a person, or null. */
function needsSince(session: Session): string | null {
  const { kind, since } = badgeOf(session);
  return kind === 'needs' ? since : null;
}

export const sessionColumns: readonly CliColumn[] = [
  'id',
  { heading: 'TITLE', value: sessionName },
  REPOSITORY,
  { heading: 'BRANCH', path: 'gitState.ref' },
  { heading: 'STATE', value: (session: Session) => badgeOf(session).word, as: 'state' },
  {
    heading: 'OUTCOME',
    value: ({ task }: Session) => (task !== null && ENDED.includes(task.status) ? task.status : null),
  },
  'agentId',
  AGE,
  { heading: 'NEEDS YOU', value: needsSince, as: 'age' },
  { heading: 'SOURCE', value: (session: Session) => badgeOf(session).source, wide: true },
  { heading: 'QUEUED', path: 'queued', wide: true },
  { heading: 'FOLDER', path: 'cwd', wide: true },
];

const taskState: CliColumn = {
  heading: 'STATUS',
  value: ({ status, waitingFor }: Task) => (waitingFor === 'answer' ? 'asks' : status),
  as: 'state',
};
const taskTail: readonly CliColumn[] = [
  { heading: 'PROMPT', path: 'prompt' },
  AGE,
  { heading: 'KIND', path: 'kind', wide: true },
  { heading: 'OUTCOME SOURCE', path: 'outcomeSource', wide: true },
  { heading: 'ENDED', path: 'endedAt', wide: true },
  { heading: 'SUMMARY', path: 'summary', wide: true },
];
export const taskColumns: readonly CliColumn[] = ['id', SESSION, taskState, ...taskTail];
export const sessionTaskColumns: readonly CliColumn[] = ['id', taskState, ...taskTail];

export const worktreeColumns: readonly CliColumn[] = [
  'id',
  'name',
  REPOSITORY,
  { heading: 'BRANCH', path: 'branch' },
  { heading: 'STATE', value: ({ kind, state, missing }: Worktree) => stateOf(kind, state, missing), as: 'state' },
  {
    heading: 'CHANGES',
    value: ({ gitStatus, gitState }: Worktree) => gitStatus?.dirtyFiles ?? gitState.hasChanges,
  },
  { heading: 'AHEAD', value: (worktree: Worktree) => comparisonOf(worktree)?.ahead },
  { heading: 'BEHIND', value: (worktree: Worktree) => comparisonOf(worktree)?.behind },
  {
    heading: 'MERGED',
    value: (worktree: Worktree) => (worktree.kind === 'main' ? null : comparisonOf(worktree)?.merged),
  },
  AGE,
  { heading: 'KIND', path: 'kind', wide: true },
  { heading: 'BASE', path: 'gitStatus.base', wide: true },
  { heading: 'PULL REQUEST', path: 'pullRequest.url', wide: true },
  { heading: 'PATH', path: 'path', wide: true },
];

/** Returns the git status of a worktree if it compares the worktree with its base, which may no longer exist. */
function comparisonOf({ gitStatus }: Worktree): Worktree['gitStatus'] {
  return gitStatus?.base == null ? null : gitStatus;
}

function stateOf(kind: Worktree['kind'], state: Worktree['state'], missing: true | undefined): string {
  if (missing) return 'missing';
  return kind === 'main' && state === 'ready' ? 'main checkout' : state;
}

export const delegationColumns: readonly CliColumn[] = [
  'id',
  SESSION,
  'branch',
  { heading: 'STATE', path: 'state', as: 'state' },
  { heading: 'DELEGATED BY', path: 'parentSessionId', names: 'session' },
  AGE,
  { heading: 'FAILED STEP', path: 'failedStep', wide: true },
  { heading: 'PATH', path: 'worktreePath', wide: true },
];

export const eventColumns: readonly CliColumn[] = [
  'seq',
  { heading: 'AGE', path: 'at', as: 'age' },
  { heading: 'EVENT', path: 'type' },
  {
    heading: 'SUBJECT',
    path: 'subject.id',
    names: ({ subject }: ConsoleEvent) => NOUNS.find((noun) => noun === subject.kind),
  },
  { heading: 'BY', value: ({ actor }: ConsoleEvent) => actor.replace(/:.*/, '') },
  { heading: 'ACTOR', path: 'actor', wide: true },
];

export const approvalColumns: readonly CliColumn[] = [
  'id',
  SESSION,
  { heading: 'STATE', path: 'state', as: 'state' },
  'tool',
  { heading: 'QUESTION', path: 'text' },
  {
    heading: 'ANSWERS',
    value: ({ options }: Approval) => options.map(({ id, label }) => `${id}: ${label}`).join('; '),
    wide: true,
  },
  AGE,
];

import type { ConsoleEvent, EventType } from '@agent-console/shared/models/event';
import { isolateText } from '../../ui/hidden-characters.ts';

/** What an event says, read leniently: events outlive the version that wrote them. */
type Say = (data: Readonly<Record<string, unknown>>) => string;

/** A sentence for every type of the catalogue; a new type does not compile until it has one. */
const SENTENCES: Record<EventType, Say> = {
  'server.started': () => 'The server started',
  'server.crashed': ({ hung }) =>
    hung === true
      ? 'The server did not answer any more and was replaced'
      : 'The server had crashed and was started again',
  'runner.lost': () => 'The runner ended, and every process with it',
  'repository.registered': ({ name }) => `Repository${named(name)} was added`,
  'repository.updated': () => 'The repository’s settings changed',
  'repository.removed': ({ name }) => `Repository${named(name)} was removed`,
  'worktree.created': ({ branch }) => `The worktree was made${onBranch(branch)}`,
  'worktree.failed': ({ error }) => `The worktree could not be made${because(error)}`,
  'worktree.updated': ({ name }) =>
    text(name) === '' ? 'The worktree changed' : `The worktree is called${named(name)}`,
  'worktree.removed': () => 'The worktree was removed; what it held is saved',
  'worktree.restored': ({ branch }) => `The worktree was brought back${onBranch(branch)}`,
  'board.created': ({ name }) => `Board${named(name)} was created`,
  'board.updated': ({ worktreeId }) =>
    text(worktreeId) === '' ? 'The board changed' : 'A worktree moved on, to or from the board',
  'board.duplicated': ({ name }) => `Board${named(name)} was made as a copy`,
  'board.removed': ({ name }) => `Board${named(name)} was removed; its worktrees stay`,
  'zone.created': ({ name }) => `Zone${named(name)} was added to the board`,
  'zone.updated': ({ name }) => `Zone${named(name)} of the board changed`,
  'zone.removed': ({ name }) => `Zone${named(name)} was removed from the board`,
  'job.started': ({ kind }) => `A job started${behindColon(kind)}`,
  'job.succeeded': ({ kind }) => `A job is done${behindColon(kind)}`,
  'job.failed': ({ kind, error }) => `A job failed${behindColon(kind)}${because(error)}`,
  'session.created': ({ agentId }) =>
    `The session was created${text(agentId) === '' ? '' : ` for ${isolateText(text(agentId))}`}`,
  'session.forked': () => 'The session began as a fork of another one',
  'session.spawned': () => 'The session began as a subsession of another one',
  'session.updated': ({ title, permission }) => {
    if (text(title) !== '') return `The session is called${named(title)}`;
    return permissionChange(permission) ?? 'The session changed';
  },
  'session.paused': ({ pausedBy }) =>
    text(pausedBy) === 'idle' ? 'The session was paused: it had nothing to do' : 'The session was paused',
  'session.resumed': () => 'The session goes on',
  'session.kept': () => 'The session has nothing to do; its agent is kept because it could not go on after a pause',
  'session.stopped': () => 'The session was stopped',
  'session.archived': () => 'The session was archived',
  'session.unarchived': () => 'The session was brought back from the archive',
  'session.removed': () => 'The session was removed',
  'conversation.grown': ({ count }) =>
    typeof count === 'number' && count > 0 ? `The conversation grew by ${count}` : 'More of its use was counted',
  'worker.started': ({ workerType, pid }) =>
    `${worker(workerType)} started${typeof pid === 'number' ? `, process ${pid}` : ''}`,
  'worker.exited': ({ workerType, exitCode, signal }) => `${worker(workerType)} ended${how(exitCode, signal)}`,
  'worker.lost': ({ workerType }) => `${worker(workerType)} was lost with its runner`,
  'activity.changed': (data) => `The agent is ${activity(data.activityState ?? data.state ?? data.activity)}`,
  'task.queued': ({ kind }) => (kind === 'notice' ? 'Notices wait to be told' : 'A prompt was queued'),
  'task.moved': () => 'A queued prompt got another place',
  'task.started': ({ kind, again }) => {
    if (again === true) return 'Work on the prompt goes on';
    return kind === 'notice' ? 'The agent is told its notices' : 'Work on the prompt began';
  },
  'task.progressed': ({ progress }) =>
    typeof progress === 'number' ? `${Math.round(progress * 100)} % of the work is done` : 'Some of the work is done',
  'task.waiting': ({ waitingFor }) =>
    text(waitingFor) === 'report' ? 'The turn is over; a report is awaited' : 'The agent waits for an answer',
  'task.ended': ({ kind, status, outcomeSource, certain }) =>
    `${kind === 'notice' ? 'Telling the notices' : 'The prompt'} ${outcome(status)}${knownBy(outcomeSource, certain)}`,
  'input.accepted': () => 'The agent took the prompt',
  'input.blocked': ({ blocked }) =>
    text(blocked) === '' ? 'Nothing holds the prompt any more' : `The prompt is held: ${isolateText(text(blocked))}`,
  'input.uncertain': () => 'The agent did not show that it took the prompt; it is not typed again by itself',
  'approval.requested': ({ text: asked }) =>
    firstLine(asked) === '' ? 'The agent asks something' : `The agent asks: ${isolateText(firstLine(asked))}`,
  'approval.updated': () => 'The agent’s question has its answers now',
  'approval.answered': ({ label }) => `The agent’s question was answered${named(label)}`,
  'approval.withdrawn': () => 'The agent does not ask that any more',
  'delegation.requested': ({ branch }) => `Work was delegated${onBranch(branch)}`,
  'delegation.advanced': ({ state }) =>
    STEPS[text(state)] ?? `The delegation is ${text(state).replaceAll('_', ' ') || 'further'}`,
  'delegation.rejected': ({ error }) => `The delegation failed and was undone${because(error)}`,
  'notice.created': ({ kind, status }) => `A notice came: ${notice(kind, status)}`,
  'notice.delivered': ({ kind }) => `A notice was delivered: ${notice(kind, undefined)}`,
  'agent.created': () => 'An agent was defined',
  'agent.updated': () => 'An agent’s definition changed',
  'agent.removed': () => 'An agent’s definition was removed',
  'agent.checked': ({ ok }) =>
    ok === true ? 'An agent was tried and works' : 'An agent was tried; something is amiss',
  'token.created': ({ name }) => `Access was given${named(name)}`,
  'token.revoked': ({ name }) => `Access was revoked${named(name)}`,
  'user.created': ({ username }) => `A user was added${named(username)}`,
  'user.updated': ({ username }) => `A user’s details changed${named(username)}`,
  'user.removed': ({ username }) => `A user was removed${named(username)}`,
  'mcpServer.created': ({ name }) => `MCP server${named(name)} was added`,
  'mcpServer.updated': ({ name }) => `MCP server${named(name)} changed`,
  'mcpServer.removed': ({ name }) => `MCP server${named(name)} was removed`,
  'settings.updated': () => 'The settings changed',
};

const STEPS: Readonly<Record<string, string>> = {
  creating_worktree: 'The delegation makes its worktree',
  starting_agent: 'The delegation starts the agent',
  prompting: 'The delegation gives the agent its prompt',
  handed_over: 'The agent has the delegated work',
};

/**
 * One sentence about an event, without who did it. A type of a newer console is said by its name. What others wrote
 * stands in it with its hidden characters told, and cannot reorder the rest.
 */
export function describeEvent({ type, data }: Pick<ConsoleEvent, 'type' | 'data'>): string {
  const say: Say | undefined = SENTENCES[type];
  return say === undefined ? type : say(data);
}

/** Kinds to choose from, as people think of them. */
export const EVENT_GROUPS = ['prompts', 'agent', 'session', 'delegation', 'notices', 'other'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

const GROUPS: Record<string, EventGroup> = {
  task: 'prompts',
  input: 'prompts',
  activity: 'agent',
  approval: 'agent',
  worker: 'agent',
  conversation: 'agent',
  session: 'session',
  delegation: 'delegation',
  notice: 'notices',
};

export function eventGroup({ type }: Pick<ConsoleEvent, 'type'>): EventGroup {
  return GROUPS[type.split('.')[0] ?? ''] ?? 'other';
}

/** How an event is to be read at a glance. */
export function eventTone({ type, data }: Pick<ConsoleEvent, 'type' | 'data'>): 'failed' | 'needs' | 'plain' {
  if (/\.(?:failed|crashed|lost|rejected)$/.test(type) || data.status === 'failed') return 'failed';
  if (type === 'worker.exited' && typeof data.exitCode === 'number' && data.exitCode !== 0) return 'failed';
  if (
    type === 'approval.requested' ||
    type === 'input.uncertain' ||
    (type === 'task.waiting' && data.waitingFor === 'answer')
  )
    return 'needs';
  if (data.activityState === 'asking' || data.state === 'asking') return 'needs';
  return 'plain';
}

/** The facts of an event one by one; nested ones as JSON. */
export function eventFacts(event: ConsoleEvent): { name: string; value: string }[] {
  const facts: [string, unknown][] = [
    ['event', event.seq],
    ['type', event.type],
    [event.subject.kind, event.subject.id],
    ['actor', event.actor],
    ['via session', event.viaSessionId],
    ...Object.entries(event.data),
  ];
  return facts
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => ({ name, value: typeof value === 'object' ? JSON.stringify(value) : String(value) }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function firstLine(value: unknown): string {
  return (
    text(value)
      .split('\n')
      .find((line) => line.trim() !== '') ?? ''
  );
}

function named(value: unknown): string {
  return text(value) === '' ? '' : ` “${isolateText(text(value))}”`;
}

function onBranch(value: unknown): string {
  return text(value) === '' ? '' : ` on branch ${isolateText(text(value))}`;
}

function behindColon(value: unknown): string {
  return text(value) === ''
    ? ''
    : `: ${text(value)
        .replace(/([A-Z])/g, ' $1')
        .toLowerCase()}`;
}

function because(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null ? text((error as { message?: unknown }).message) : text(error);
  return message === '' ? '' : `: ${isolateText(message)}`;
}

function worker(type: unknown): string {
  if (type === 'terminal') return 'A terminal';
  return type === 'git-diff' ? 'A diff view' : 'The agent';
}

function how(exitCode: unknown, signal: unknown): string {
  if (text(signal) !== '') return ` by ${text(signal)}`;
  if (typeof exitCode !== 'number') return '';
  return exitCode === 0 ? '' : ` with exit code ${exitCode}`;
}

function activity(state: unknown): string {
  const said: Record<string, string> = { active: 'working', idle: 'idle', asking: 'asking something' };
  return said[text(state)] ?? 'doing something unknown';
}

function outcome(status: unknown): string {
  const said: Record<string, string> = {
    completed: 'is done',
    failed: 'failed',
    cancelled: 'was cancelled',
    interrupted: 'was interrupted',
  };
  return said[text(status)] ?? 'ended';
}

/** What became of a session's permission mode and ceiling; null where that is not what changed. */
function permissionChange(permission: unknown): string | null {
  const { before, after, loweredBy } = (permission ?? {}) as Record<string, unknown>;
  const [was, is] = [before, after].map((state) => (state ?? {}) as Record<string, unknown>);
  const changes = [
    ['permission mode', text(was?.mode), text(is?.mode)],
    ['permission ceiling', text(was?.ceiling), text(is?.ceiling)],
  ].flatMap(([name, from, to]) => (to === '' || from === to ? [] : [`${name} is ${to} instead of ${from}`]));
  if (changes.length === 0) return null;
  return `Its ${changes.join(', its ')}${text(loweredBy) === '' ? '' : ', lowered with the session it came from'}`;
}

/** ` (by report, certain)` */
function knownBy(source: unknown, certain: unknown): string {
  if (text(source) === '') return '';
  const sure = typeof certain === 'boolean' ? `, ${certain ? 'certain' : 'uncertain'}` : '';
  return ` (known from ${text(source)}${sure})`;
}

function notice(kind: unknown, status: unknown): string {
  if (kind === 'message') return 'a message from another session';
  if (kind === 'waiting') return 'another session waits';
  return `another session’s work ${outcome(status)}`;
}

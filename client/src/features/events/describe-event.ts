import type { ConsoleEvent, EventType } from '@agent-console/shared/models/event';
import type { NoticeKind } from '@agent-console/shared/models/notice';
import { ORCHESTRATION_EVENT_TYPES, type OrchestrationEventType } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { describeSource } from '../../ui/outcome-source.ts';
import { BUDGET_LIMITS, isBudgetLimit } from '../runs/budget-limits.ts';
import { describeRunEvent } from '../runs/describe-run-event.ts';

/**
 * Returns a sentence for an event's data. Fields may be missing, because an older version of the console may have
 * written the event.
 */
type Describe = (data: Readonly<Record<string, unknown>>) => string;

/**
 * Sentences for events, by type, except events of runs. A type without a sentence, such as `session.archived`, is
 * described by the words of its name.
 */
const SENTENCES: Partial<Record<EventType, Describe>> = {
  'server.crashed': ({ hung }) =>
    hung === true ? 'Server stopped responding and was restarted' : 'Server crashed and was restarted',
  'runner.lost': () => 'Runner stopped, and all agents and terminals ended',
  'repository.registered': ({ name }) => `Repository${quoted(name)} added`,
  'repository.updated': () => 'Repository settings changed',
  'repository.removed': ({ name }) => `Repository${quoted(name)} removed`,
  'worktree.created': ({ branch }) => `Worktree created${onBranch(branch)}`,
  'worktree.failed': ({ error }) => `Worktree could not be created${because(error)}`,
  'worktree.updated': ({ name, currentSha }) =>
    text(name) === '' ? `Worktree updated${atCommit(currentSha)}` : `Worktree renamed to${quoted(name)}`,
  'worktree.saved': ({ recoveryRef }) => `Contents of the worktree saved${inRef(recoveryRef)}`,
  'worktree.removed': () => 'Worktree removed, contents saved',
  'worktree.checked': ({ passed, commit }) => `Check ${passed === true ? 'passed' : 'failed'}${atCommit(commit)}`,
  'worktree.committed': ({ commit }) =>
    `Changes committed${text(commit) === '' ? '' : ` as ${text(commit).slice(0, 12)}`}`,
  'worktree.discard_started': () => 'Changes saved before they are discarded',
  'worktree.discard_refused': () => 'Nothing discarded, because a file changed in the meantime',
  'worktree.discarded': ({ files }) => `Changes of ${pluralize(Number(files ?? 0), 'file')} saved and discarded`,
  'worktree.discard_undone': ({ files }) => `Discarded changes of ${pluralize(Number(files ?? 0), 'file')} restored`,
  'worktree.rebased': ({ base }) => `Branch updated from${quoted(base)}`,
  'worktree.pushed': ({ branch, forced }) =>
    `Branch${quoted(branch)} pushed${forced === true ? ', replacing the remote branch' : ''}`,
  'worktree.restored': ({ branch }) => `Worktree restored${onBranch(branch)}`,
  'overlap.found': ({ conflicts, files }) =>
    typeof conflicts === 'number' && conflicts > 0
      ? `Conflict with another worktree in ${pluralize(conflicts, 'file')}`
      : `Another worktree changes the same ${typeof files === 'number' && files > 1 ? pluralize(files, 'file') : 'file'}`,
  'overlap.resolved': () => 'Another worktree no longer changes the same files',
  'integration.started': ({ into }) => `Merge started${intoBranch(into)}`,
  'integration.integrated': ({ into, strategy }) =>
    `${text(strategy) === 'squash' ? 'Squashed and merged' : text(strategy) === 'rebase' ? 'Rebased and merged' : 'Merged'}${intoBranch(into)}`,
  'integration.conflicted': ({ into, conflicts }) =>
    `Not merged${intoBranch(into)}${typeof conflicts === 'number' ? `: ${pluralize(conflicts, 'file')} in conflict` : ''}`,
  'integration.failed': ({ into, error }) => `Could not merge${intoBranch(into)}${because(error)}`,
  'integration.undone': ({ into }) => `Merge${intoBranch(into)} undone`,
  'board.created': ({ name }) => `Board${quoted(name)} created`,
  'board.updated': ({ worktreeId }) =>
    text(worktreeId) === '' ? 'Board updated' : 'Position of a worktree on the board changed',
  'board.duplicated': ({ name }) => `Board${quoted(name)} created as a copy`,
  'board.removed': ({ name }) => `Board${quoted(name)} removed, worktrees kept`,
  'zone.created': ({ name }) => `Zone${quoted(name)} added to the board`,
  'zone.updated': ({ name }) => `Zone${quoted(name)} updated`,
  'zone.removed': ({ name }) => `Zone${quoted(name)} removed from the board`,
  'job.started': (data) => `${job(data)} started`,
  'job.succeeded': (data) => `${job(data)} finished`,
  'job.failed': (data) => `${job(data)} failed${because(data.error)}`,
  'user.marked': ({ readUntil }) => (readUntil === null ? 'Outcomes marked as unread' : 'Outcomes marked as read'),
  'user.pinned': ({ pinnedAt }) => `Session ${pinnedAt === null ? 'unpinned' : 'pinned'}`,
  'session.created': ({ agentId }) =>
    `Session created${text(agentId) === '' ? '' : ` with ${isolateText(text(agentId))}`}`,
  'session.forked': () => 'Session forked from another session',
  'session.spawned': () => 'Session started by another session',
  'session.updated': ({ title, permission }) => {
    if (text(title) !== '') return `Session renamed to${quoted(title)}`;
    return permissionChange(permission) ?? 'Session updated';
  },
  'session.paused': ({ pausedBy }) =>
    text(pausedBy) === 'idle' ? 'Session paused because it was idle' : 'Session paused',
  'session.budget_used': ({ limit, exhausted }) => {
    const what = isBudgetLimit(limit) ? ` (${BUDGET_LIMITS[limit].name.toLowerCase()})` : '';
    return exhausted === true ? `Session has used up its budget${what}` : `Session has used most of its budget${what}`;
  },
  'session.kept': () => 'Idle session kept running, because its agent cannot resume a conversation',
  'session.options_changed': () => 'Options of the agent changed',
  'conversation.grown': ({ count }) =>
    typeof count === 'number' && count > 0 ? pluralize(count, 'new message') : 'Token usage updated',
  'worker.started': ({ workerType, pid }) =>
    `${worker(workerType)} started${typeof pid === 'number' ? ` (pid ${pid})` : ''}`,
  'worker.exited': ({ workerType, exitCode, signal }) => `${worker(workerType)} ${exit(exitCode, signal)}`,
  'worker.lost': ({ workerType }) => `${worker(workerType)} lost when the runner stopped`,
  'worker.removed': ({ workerType }) => `${worker(workerType)} removed`,
  'worker.warned': ({ warnings }) =>
    Array.isArray(warnings) ? `Warning: ${warnings.join(' ')}` : 'Warning about the agent',
  'activity.changed': (data) => `Agent is ${activity(data.activityState ?? data.state ?? data.activity)}`,
  'task.queued': ({ kind }) => (kind === 'notice' ? 'Notices queued' : 'Prompt queued'),
  'task.moved': () => 'Queued prompt moved to another position',
  'task.started': ({ kind, again }) => {
    if (again === true) return 'Agent continued its work on the prompt';
    return kind === 'notice' ? 'Delivering notices' : 'Agent started its work on the prompt';
  },
  'task.progressed': ({ progress }) =>
    typeof progress === 'number' ? `${Math.round(progress * 100)} % complete` : 'Progress reported',
  'task.waiting': ({ waitingFor }) =>
    text(waitingFor) === 'report'
      ? "Agent's turn ended without a report"
      : text(waitingFor) === 'quota'
        ? 'Agent is waiting until its usage limit is reset'
        : 'Agent is waiting for an answer',
  'task.ended': ({ kind, status, outcomeSource, certain }) =>
    kind === 'notice' && status === 'completed'
      ? 'Notices delivered'
      : `${kind === 'notice' ? 'Delivery of notices' : 'Work on the prompt'} ${outcome(status)}${knownFrom(outcomeSource, certain)}`,
  'input.accepted': () => 'Prompt accepted by the agent',
  'input.blocked': ({ blocked }) =>
    text(blocked) === '' ? 'Prompt no longer blocked' : `Prompt blocked: ${isolateText(text(blocked))}`,
  'input.uncertain': () => 'Agent did not confirm the prompt, which is not sent again automatically',
  'approval.requested': ({ text: question }) =>
    firstLine(text(question)) === ''
      ? 'Agent asked a question'
      : `Agent asked: ${isolateText(firstLine(text(question)))}`,
  'approval.updated': () => "Agent's question updated",
  'approval.answered': ({ label }) => `Question answered${text(label) === '' ? '' : ` with${quoted(label)}`}`,
  'approval.withdrawn': () => 'Question withdrawn',
  'delegation.requested': ({ branch }) => `Work delegated${onBranch(branch)}`,
  'delegation.advanced': ({ state }) =>
    STEPS[text(state)] ?? `Delegation ${text(state).replaceAll('_', ' ') || 'advanced'}`,
  'delegation.rejected': ({ error }) => `Delegation failed and was undone${because(error)}`,
  'notice.created': ({ kind, status }) => `Notice received${notice(kind, status)}`,
  'notice.delivered': ({ kind }) => `Notice delivered${notice(kind, undefined)}`,
  'agent.created': () => 'Agent added',
  'agent.checked': ({ ok }) => (ok === true ? 'Agent check passed' : 'Agent check failed'),
  'token.created': ({ name }) => `Token${quoted(name)} created`,
  'token.revoked': ({ name }) => `Token${quoted(name)} revoked`,
  'user.created': ({ username }) => `User${quoted(username)} added`,
  'user.updated': ({ username }) => `User${quoted(username)} updated`,
  'user.removed': ({ username }) => `User${quoted(username)} removed`,
  'mcpServer.created': ({ name }) => `MCP server${quoted(name)} added`,
  'mcpServer.updated': ({ name }) => `MCP server${quoted(name)} updated`,
  'mcpServer.removed': ({ name }) => `MCP server${quoted(name)} removed`,
  'settings.updated': () => 'Settings changed',
};

/** Types of the events of runs, as in a run's own list of events. */
const RUN_EVENTS: Partial<Record<EventType, OrchestrationEventType>> = ORCHESTRATION_EVENT_TYPES;

const STEPS: Readonly<Record<string, string>> = {
  creating_worktree: 'Delegation: creating the worktree',
  starting_agent: 'Delegation: starting the agent',
  prompting: 'Delegation: sending the prompt',
  handed_over: 'Delegation: prompt accepted',
};

/**
 * Returns a sentence that describes an event without naming its actor. For types without a sentence, including types of
 * newer consoles, returns the words of the type: `session.archived` becomes "Session archived". Untrusted text is
 * bidi-isolated, and its hidden characters are escaped.
 */
export function describeEvent({ type, data }: Pick<ConsoleEvent, 'type' | 'data'>): string {
  const eventType = RUN_EVENTS[type];
  if (eventType !== undefined) {
    return describeRunEvent({ eventType, agentId: text(data.agentId) || null, data }, { namesRun: true });
  }
  return SENTENCES[type]?.(data) ?? `${type.charAt(0).toUpperCase()}${type.slice(1).replace('.', ' ')}`;
}

/** Groups of event types by which the list of events can be filtered. */
export const EVENT_GROUPS = [
  'prompts',
  'agent',
  'session',
  'delegation',
  'notices',
  'worktrees',
  'runs',
  'other',
] as const;
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
  worktree: 'worktrees',
  overlap: 'worktrees',
  integration: 'worktrees',
  job: 'worktrees',
  orchestration: 'runs',
};

export function eventGroup({ type }: Pick<ConsoleEvent, 'type'>): EventGroup {
  return GROUPS[type.split('.')[0] ?? ''] ?? 'other';
}

/** Returns whether an event is shown as a failure, as something that needs a person, or without emphasis. */
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

/** Returns the details of an event as names and values; nested values are JSON. */
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

function quoted(value: unknown): string {
  return text(value) === '' ? '' : ` “${isolateText(text(value))}”`;
}

function atCommit(commit: unknown): string {
  return text(commit) === '' ? '' : ` at commit ${text(commit).slice(0, 12)}`;
}

function intoBranch(value: unknown): string {
  return text(value) === '' ? '' : ` into ${isolateText(text(value))}`;
}

function inRef(value: unknown): string {
  return text(value) === '' ? '' : ` in ${isolateText(text(value))}`;
}

function onBranch(value: unknown): string {
  return text(value) === '' ? '' : ` on branch ${isolateText(text(value))}`;
}

const JOBS: Readonly<Record<string, string>> = {
  'repository-clone': 'Clone of a repository',
  'worktree-creation': 'Creation of a worktree',
  check: 'Check',
  commit: 'Commit',
  'base-update': 'Update from the base branch',
  push: 'Push',
  'pull-request': 'Push with a pull request',
  integration: 'Merge',
};

function job({ kind, dryRun }: Readonly<Record<string, unknown>>): string {
  const work = JOBS[text(kind)];
  if (dryRun === true) return work === undefined ? 'Preview' : `Preview of a ${work.toLowerCase()}`;
  return work ?? 'Background work';
}

function because(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null ? text((error as { message?: unknown }).message) : text(error);
  return message === '' ? '' : `: ${isolateText(message)}`;
}

function worker(type: unknown): string {
  if (type === 'terminal') return 'Terminal';
  return type === 'git-diff' ? 'Diff view' : 'Agent';
}

function exit(exitCode: unknown, signal: unknown): string {
  if (text(signal) !== '') return `terminated by ${text(signal)}`;
  return typeof exitCode === 'number' && exitCode !== 0 ? `exited with code ${exitCode}` : 'exited';
}

function activity(state: unknown): string {
  const words: Record<string, string> = { active: 'working', idle: 'idle', asking: 'asking a question' };
  return words[text(state)] ?? 'in an unknown state';
}

function outcome(status: unknown): string {
  const words: Record<string, string> = { failed: 'failed', cancelled: 'cancelled', interrupted: 'interrupted' };
  return words[text(status)] ?? 'completed';
}

/**
 * Describes how a session's permission mode and ceiling (the highest allowed mode) changed; null if neither changed.
 */
function permissionChange(permission: unknown): string | null {
  const { before, after, loweredBy } = (permission ?? {}) as Record<string, unknown>;
  const [old, now] = [before, after].map((state) => (state ?? {}) as Record<string, unknown>);
  const changes = [
    ['permission mode', text(old?.mode), text(now?.mode)],
    ['highest allowed mode', text(old?.ceiling), text(now?.ceiling)],
  ].flatMap(([name, from, to]) => (to === '' || from === to ? [] : [`${name} changed from ${from} to ${to}`]));
  if (changes.length === 0) return null;
  const sentence = `${changes.join(', ')}${text(loweredBy) === '' ? '' : ', because the permission of the parent session was lowered'}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Formats how the outcome of a task is known, e.g. ` (reported by the agent, certain)`. */
function knownFrom(source: unknown, certain: unknown): string {
  if (text(source) === '') return '';
  return ` (${describeSource(text(source), typeof certain === 'boolean' ? certain : null)})`;
}

const NOTICES: Readonly<Record<NoticeKind, (status: unknown) => string>> = {
  ended: (status) => (status === undefined ? 'result of another session' : `another session's work ${outcome(status)}`),
  waiting: () => 'another session needs input',
  message: () => 'message from another session',
  conflict: () => 'changes of other sessions conflict',
};

/** Returns what a notice says, after a colon; empty for a kind that a newer console may have stored. */
function notice(kind: unknown, status: unknown): string {
  const describe: Partial<typeof NOTICES>[NoticeKind] = NOTICES[text(kind) as NoticeKind];
  return describe === undefined ? '' : `: ${describe(status)}`;
}

import { AGE } from '@agent-console/shared/columns';
import type { Approval } from '@agent-console/shared/models/approval';
import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { CliColumn, Contract } from '@agent-console/shared/operation';
import { badgeOf, sessionName } from '@agent-console/shared/session-badge';

/** Layout of the details of one entity: its lines, and tables of the entities that belong to it. */
export interface Details {
  lines: readonly CliColumn[];
  tables: readonly { path: string; title: string; columns: readonly CliColumn[] }[];
}

const CREATED: CliColumn = { heading: 'Created', path: 'createdAt' };
const ID: CliColumn = { heading: 'ID', path: 'id' };

const session: Details = {
  lines: [
    { heading: 'Session', value: sessionName },
    ID,
    { heading: 'State', value: stateOf, as: 'state' },
    { heading: 'Outcome', value: ({ task }: Session) => outcomeOf(task) },
    { heading: 'Result', path: ['task.summary', 'task.error.message'] },
    { heading: 'Repository', path: 'repositoryId', names: 'repository' },
    { heading: 'Branch', path: 'gitState.ref' },
    { heading: 'Folder', path: 'cwd' },
    { heading: 'Agent', path: 'agentId' },
    { heading: 'Permission mode', path: 'permissionConfig.mode' },
    { heading: 'Started by', path: 'genealogy.parentSessionId', names: 'session' },
    { heading: 'Forked from', path: 'genealogy.forkedFromSessionId', names: 'session' },
    { heading: 'Children', value: ({ genealogy }: Session) => countOf(genealogy.children.length, 'session') },
    { heading: 'Queue', value: ({ queued }: Session) => countOf(queued, 'prompt') },
    { heading: 'Description', path: 'description' },
    { heading: 'Visible to', value: ({ visibility }: Session) => (visibility === 'private' ? 'its owner only' : null) },
    CREATED,
    { heading: 'Archived', path: 'archivedAt' },
  ],
  tables: [
    {
      path: 'tasks',
      title: 'Tasks',
      columns: ['id', { heading: 'STATUS', path: 'status', as: 'state' }, 'prompt', AGE],
    },
    {
      path: 'workers',
      title: 'Workers',
      columns: ['id', 'type', 'state', { heading: 'ACTIVITY', path: 'activityState' }, 'pid', AGE],
    },
  ],
};

function stateOf(session: Session): string {
  return badgeOf(session).word;
}

function outcomeOf(task: Session['task']): string | null {
  if (task === null || task.endedAt === null) return null;
  return `${task.status}${task.certain === false ? ' (not certain)' : ''}`;
}

/** Returns a text such as `3 prompts`; null if `count` is 0. */
function countOf(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const task: Details = {
  lines: [
    { heading: 'Task', path: 'id' },
    { heading: 'Session', path: 'sessionId', names: 'session' },
    { heading: 'Status', path: 'status', as: 'state' },
    { heading: 'Waiting for', path: 'waitingFor' },
    { heading: 'Blocked', path: 'blocked' },
    {
      heading: 'Outcome source',
      value: ({ outcomeSource, certain }: Task) =>
        outcomeSource === null ? null : `${outcomeSource}${certain === false ? ' (not certain)' : ''}`,
    },
    { heading: 'Prompt', path: 'prompt' },
    { heading: 'Result', path: 'summary' },
    { heading: 'Artifacts', value: ({ artifacts }: Task) => artifacts.join('\n') },
    { heading: 'Error', path: 'error.message' },
    {
      heading: 'Progress',
      value: ({ progress }: Task) => (progress === null ? null : `${Math.round(progress * 100)} %`),
    },
    CREATED,
    { heading: 'Started', path: 'startedAt' },
    { heading: 'Ended', path: 'endedAt' },
  ],
  tables: [],
};

const worktree: Details = {
  lines: [
    { heading: 'Worktree', path: 'name' },
    ID,
    { heading: 'Repository', path: 'repositoryId', names: 'repository' },
    { heading: 'Branch', path: 'branch' },
    { heading: 'Kind', path: 'kind' },
    { heading: 'State', path: 'state', as: 'state' },
    { heading: 'Changes', value: changesOf },
    { heading: 'Compared with', value: distanceOf },
    { heading: 'Check', value: ({ gitStatus }: Worktree) => checkOf(gitStatus?.check?.passed) },
    { heading: 'Pull request', path: 'pullRequest.url' },
    { heading: 'Path', path: 'path' },
    { heading: 'Recovery ref', path: 'recoveryRef' },
    CREATED,
  ],
  tables: [],
};

function changesOf({ gitStatus, gitState }: Worktree): string | null {
  if (gitStatus !== null)
    return gitStatus.dirtyFiles === 0 ? 'none' : `${countOf(gitStatus.dirtyFiles, 'file')} not committed`;
  return gitState.hasChanges === null ? null : gitState.hasChanges ? 'not committed' : 'none';
}

function distanceOf({ gitStatus }: Worktree): string | null {
  if (gitStatus === null || gitStatus.base === null) return null;
  const { base, ahead, behind, merged, conflictsWithBase } = gitStatus;
  const state = merged ? ', merged' : conflictsWithBase === true ? ', conflicts' : '';
  return `${base}: ${ahead} ahead, ${behind} behind${state}`;
}

function checkOf(passed: boolean | undefined): string | null {
  return passed === undefined ? null : passed ? 'passed' : 'failed';
}

const approval: Details = {
  lines: [
    { heading: 'Question', path: 'text' },
    ID,
    { heading: 'Session', path: 'sessionId', names: 'session' },
    { heading: 'State', path: 'state', as: 'state' },
    { heading: 'Tool', path: 'tool' },
    {
      heading: 'Answers',
      value: ({ options }: Approval) => options.map(({ id, label }) => `${id}  ${label}`).join('\n'),
    },
    { heading: 'Page', path: 'url' },
    { heading: 'Answer', path: 'optionId' },
    { heading: 'Asked', path: 'createdAt' },
    { heading: 'Ended', path: 'endedAt' },
  ],
  tables: [],
};

const delegation: Details = {
  lines: [
    ID,
    { heading: 'State', path: 'state', as: 'state' },
    { heading: 'Session', path: 'sessionId', names: 'session' },
    { heading: 'Delegated by', path: 'parentSessionId', names: 'session' },
    { heading: 'Branch', path: 'branch' },
    { heading: 'Path', path: 'worktreePath' },
    { heading: 'Failed step', path: 'failedStep' },
    { heading: 'Error', path: 'error.message' },
    { heading: 'Task', path: 'taskId' },
    { heading: 'Warnings', value: ({ warnings }: { warnings: readonly string[] }) => warnings.join('\n') },
    CREATED,
  ],
  tables: [],
};

/**
 * Layouts by the first part of the operation name, such as `sessions` for `sessions.get`. A layout is used only if the
 * output contains the field that `has` names.
 */
const DETAILS: Readonly<Record<string, { has: string; details: Details }>> = {
  sessions: { has: 'permissionConfig', details: session },
  tasks: { has: 'outcomeSource', details: task },
  worktrees: { has: 'gitState', details: worktree },
  approvals: { has: 'options', details: approval },
  delegations: { has: 'failedStep', details: delegation },
};

/** Returns the layout in which a command prints an operation's output; undefined if the command prints all fields. */
export function detailsOf({ name }: Pick<Contract, 'name'>, output: object): Details | undefined {
  const found = DETAILS[name.split('.')[0] ?? ''];
  return found !== undefined && found.has in output ? found.details : undefined;
}

import { ConsoleError } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../../domain/call.ts';
import type { ChosenAgent } from '../../engine/agents/catalogue.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { repositoryRow, sessionRow } from '../../engine/rows.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import { queuePrompt } from '../../engine/task-changes.ts';
import { withDeadline } from '../../engine/timeouts.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { DelegationRow } from '../../ports/rows/tasks.ts';
import type { RepositoryRow } from '../../ports/rows/worktrees.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { depthWithinLimits } from './limits.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'git' | 'maker' | 'saga' | 'catalogue' | 'naming' | 'settings' | 'now' | 'newId'
>;
type Input = InputOf<'delegations.create'>;
type Answer = OutputOf<'delegations.create'>;

/** Work to give away, and what else its caller may have said of the worktree. */
export interface Wanted extends Input {
  worktreeName?: string | undefined;
  /** Answers the branch to take as it is, instead of a new one. */
  takeBranch?: ((repository: RepositoryRow) => Promise<string>) | undefined;
}

/** Where the work goes: the caller's repository; people and quick sessions name one. */
async function repositoryOf(needs: Needs, input: Input, parent: SessionRow | null): Promise<RepositoryRow> {
  const id = input.repositoryId ?? parent?.repositoryId;
  if (id == null) {
    throw new ConsoleError(
      'VALIDATION',
      'repositoryId: is required, since the caller is in no repository; see GET /api/repositories',
      { field: 'repositoryId' },
    );
  }
  if (parent !== null && parent.repositoryId !== null && id !== parent.repositoryId) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'An agent delegates within its own repository only. Leave repositoryId out.',
      { repositoryId: id },
    );
  }
  return repositoryRow(needs.storage.read.repositories, id);
}

async function insert(
  tx: Transaction,
  needs: Needs,
  call: Call,
  plan: {
    input: Wanted;
    parent: SessionRow | null;
    repository: RepositoryRow;
    agent: ChosenAgent;
    base: string;
    baseSha: string | null;
    branch: string;
    warnings: string[];
    answered: boolean;
  },
): Promise<DelegationRow> {
  const { input, parent, repository, agent, base, baseSha, branch, warnings, answered } = plan;
  const depth = await depthWithinLimits(tx, needs, parent);
  const useRemote = input.useRemote ?? false;
  const worktree = await needs.maker.reserve(tx, repository, {
    id: needs.newId(),
    branch,
    branchCreated: input.takeBranch === undefined,
    base,
    useRemote,
    baseSha,
    ...(input.worktreeName === undefined ? {} : { name: input.worktreeName }),
  });
  const session = await insertSession(tx, needs, call, {
    worktree: { id: worktree.id, repositoryId: repository.id },
    cwd: worktree.path,
    agent,
    title: input.title ?? titleFrom(input.prompt),
    description: '',
    parent,
    depth,
    mode: undefined,
    ceiling: undefined,
    queueHeld: true,
  });
  const id = needs.newId();
  const prompt = { sessionId: session.id, prompt: input.prompt, delegationId: id, ...sourceOf(call) };
  const { task } = await queuePrompt(tx, needs, { ...prompt, notifyOnCompletion: input.notifyOnCompletion });
  const at = needs.now().toISOString();
  const row: DelegationRow = {
    id,
    parentSessionId: parent?.id ?? null,
    repositoryId: repository.id,
    sessionId: session.id,
    workerId: needs.newId(),
    taskId: task.id,
    worktreeId: worktree.id,
    worktreePath: worktree.path,
    branch,
    base,
    useRemote,
    state: 'requested',
    failedStep: null,
    errorCode: null,
    errorMessage: null,
    warnings,
    notify: input.notifyOnCompletion,
    answered,
    createdAt: at,
    updatedAt: at,
  };
  await tx.delegations.insert(row);
  await tx.record({
    type: 'delegation.requested',
    subject: { kind: 'delegation', id },
    sessionId: session.id,
    data: { parentSessionId: row.parentSessionId, branch, taskId: task.id, worktreeId: worktree.id },
  });
  return row;
}

function answerOf(row: DelegationRow): Answer {
  const { sessionId, workerId, worktreePath, branch, id: delegationId, taskId, warnings } = row;
  const state = row.state === 'prompting' || row.state === 'handed_over' ? 'prompting' : 'preparing';
  return { sessionId, workerId, worktreePath, branch, delegationId, taskId, state, warnings };
}

/**
 * Stores a delegation and lets it begin. `remember` runs in the same transaction, and stores what a repeat of the call is
 * answered by. `answered` says that the caller does not wait, and is told of a failure by a notice.
 */
export async function beginDelegation(
  needs: Needs,
  input: Wanted,
  call: Call,
  remember: (tx: Transaction, row: DelegationRow) => Promise<void>,
  answered = false,
): Promise<DelegationRow> {
  const { storage, git, maker } = needs;
  const parent = call.caller.kind === 'worker' ? await sessionRow(storage.read.sessions, call.caller.sessionId) : null;
  const repository = await repositoryOf(needs, input, parent);
  const { defaultAgentId } = await needs.settings.current();
  const agent = await needs.catalogue.choose(input.agentId, parent?.agentId, defaultAgentId);
  const base = input.baseBranch ?? repository.defaultBranch;
  const useRemote = input.useRemote ?? false;
  const { takeBranch, prompt } = input;
  const isNew = takeBranch === undefined;
  // A fetch may take long, so it belongs to the steps that can be waited for; everything else fails here, before a row.
  const baseSha = useRemote || !isNew ? null : (await git.resolveBase(repository.path, base, false)).sha;
  const { suggestion, warn } = await suggestBranch(needs, input, agent);
  const row = await maker.alone(repository.id, async () => {
    const branch = isNew
      ? await maker.chooseBranch(repository, { branch: input.branch, prompt, suggestion })
      : await takeBranch(repository);
    const plan = { input, parent, repository, agent, base, baseSha, branch, warnings: warn(branch), answered };
    return storage.write(authorOf(call), async (tx) => {
      const stored = await insert(tx, needs, call, plan);
      await remember(tx, stored);
      return stored;
    });
  });
  needs.saga.run(row.id);
  return row;
}

export function createDelegation(needs: Needs): Implementation<'delegations.create'> {
  const { saga, now } = needs;
  return async (input, call) => {
    const endsAt = now().getTime() + CALL_MAX_MS - ANSWER_MS;
    const row = await beginDelegation(needs, input, call, (tx, { id }) => tx.remember({ delegationId: id }));
    const left = withDeadline(call.signal, Math.max(endsAt - now().getTime(), 1));
    try {
      return answerOf(await saga.wait(row.id, left.signal));
    } finally {
      left.release();
    }
  };
}

/** What the agent calls the branch where it is asked, and what the caller is told of the name that it got. */
async function suggestBranch({ naming }: Needs, input: Wanted, agent: ChosenAgent) {
  if (input.branch !== undefined) return { suggestion: null, warn: () => [] };
  const { name, warning } = await naming.suggest(agent, input.prompt);
  const warn = (branch: string) => [
    ...(warning === null ? [] : [warning]),
    name === null
      ? `The branch name ${branch} was made from the prompt.`
      : `The branch name ${branch} was made by ${agent.name}.`,
  ];
  return { suggestion: name, warn };
}

/** Left of a call's time for its answer to travel. */
const ANSWER_MS = 1_000;

/** A repeat waits for the delegation that the first call began. */
export function replayDelegation({ saga }: Pick<OperationContext, 'saga'>) {
  return async (remembered: Record<string, unknown>, call: Call): Promise<Answer> =>
    answerOf(await saga.wait(String(remembered.delegationId), call.signal));
}

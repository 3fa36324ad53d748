import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import type { PromptImage } from '@agent-console/shared/models/image';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import { see } from '@agent-console/shared/see';
import type { Call } from '../domain/call.ts';
import { PREPARING } from '../domain/delegation.ts';
import { LIVE_STATES } from '../domain/states.ts';
import type { ChosenAgent } from '../engine/agents/catalogue.ts';
import { authorOf, sourceOf, sourceOfOrchestration } from '../engine/changes/author.ts';
import { queuePrompt } from '../engine/changes/task-changes.ts';
import { refuseUnsupportedServers } from '../engine/mcp-servers/attached.ts';
import { presentDelegation } from '../engine/present.ts';
import { repositoryRow, sessionRow } from '../engine/rows.ts';
import { imagesForFirstPrompt, insertWithImages } from '../engine/sessions/images.ts';
import { insertSession, titleFrom } from '../engine/sessions/new-session.ts';
import type { DelegationRow, RepositoryRow, SessionRow } from '../ports/rows.ts';
import type { StoreReader, Transaction } from '../ports/storage.ts';
import { RESPONSE_MARGIN_MS } from './job-answer.ts';
import { depthOfNew } from './limits.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

type Input = InputOf<'delegations.create'>;
type Answer = OutputOf<'delegations.create'>;

/**
 * Input of a delegation. The fields below can only be set by other operations, such as `worktrees.create`, not by a
 * caller of `delegations.create`.
 */
export interface DelegationRequest extends Input {
  worktreeName?: string | undefined;
  /**
   * Returns the existing branch to check out in the worktree. Without this function, the worktree gets a new branch.
   */
  existingBranch?: ((repository: RepositoryRow) => Promise<string>) | undefined;
  /** Orchestration that delegates the work. The delegation is made in the name of the orchestration's creator. */
  orchestrationId?: string | undefined;
  permissionMode?: PermissionMode | undefined;
}

/**
 * Returns the repository of a delegation: the one that the input names or, by default, that of the calling agent's
 * session.
 */
async function repositoryOf(
  context: OperationContext,
  input: Input,
  parent: SessionRow | null,
): Promise<RepositoryRow> {
  const id = input.repositoryId ?? parent?.repositoryId;
  if (id == null) {
    const list = see('repositories.list');
    throw fieldError(
      'repositoryId',
      `is required because the caller does not work in a repository; ${list.rest} lists the repositories`,
      {
        see: list,
      },
    );
  }
  if (parent !== null && parent.repositoryId !== null && id !== parent.repositoryId) {
    throw fieldError(
      'repositoryId',
      'agents can only delegate within their own repository; omit this field',
      { repositoryId: id },
      'PERMISSION_DENIED',
    );
  }
  return repositoryRow(context.storage.read.repositories, id);
}

/**
 * Returns the session that delegates. @throws NOT_FOUND for a removed session, unless the delegation is made by an
 * orchestration of this session, because the orchestration continues after the session was removed.
 */
async function parentRow(
  sessions: StoreReader<SessionRow>,
  id: string,
  { orchestrationId }: DelegationRequest,
): Promise<SessionRow> {
  const row = orchestrationId === undefined ? undefined : await sessions.get(id);
  return row ?? sessionRow(sessions, id);
}

/**
 * Naming a branch takes seconds. If a person stops the calling agent in the meantime, nothing must start in its name.
 * @throws CONFLICT if the caller is an agent that has ended.
 */
async function refuseEndedCaller(tx: Transaction, { caller }: Call): Promise<void> {
  const worker = caller.kind === 'worker' ? await tx.workers.get(caller.workerId) : undefined;
  if (worker === undefined || LIVE_STATES.includes(worker.state)) return;
  const message =
    'The agent that delegates has ended, so nothing was delegated. Resume its session, then delegate again.';
  throw new ConsoleError('CONFLICT', message, { workerId: worker.id });
}

async function insertDelegation(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  plan: {
    sessionId: string;
    images: PromptImage[];
    input: DelegationRequest;
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
  const { input, repository, agent, base, baseSha, branch, warnings, answered, images } = plan;
  await refuseEndedCaller(tx, call);
  // The parent is read again, because its visibility or permissions may have changed while the branch was named.
  const parent = plan.parent && (await parentRow(tx.sessions, plan.parent.id, input));
  const depth = await depthOfNew(tx, context, parent, input.orchestrationId);
  const useRemote = input.useRemote ?? false;
  const worktree = await context.maker.reserve(tx, repository, {
    id: context.newId(),
    branch,
    branchCreated: input.existingBranch === undefined,
    base,
    useRemote,
    baseSha,
    ...(input.worktreeName === undefined ? {} : { name: input.worktreeName }),
  });
  const session = await insertSession(tx, context, call, {
    id: plan.sessionId,
    worktree: { id: worktree.id, repositoryId: repository.id },
    cwd: worktree.path,
    agent,
    title: input.title ?? titleFrom(input.prompt),
    parent,
    depth,
    mode: input.permissionMode,
    orchestrationId: input.orchestrationId,
    queueHeld: true,
    mcpServerIds: input.mcpServerIds ?? [],
  });
  const id = context.newId();
  const source = input.orchestrationId === undefined ? sourceOf(call) : sourceOfOrchestration(input.orchestrationId);
  const prompt = { sessionId: session.id, prompt: input.prompt, images, delegationId: id, ...source };
  const { task } = await queuePrompt(tx, context, { ...prompt, notifyOnCompletion: input.notifyOnCompletion });
  const at = context.now().toISOString();
  const row = await tx.delegations.insert({
    id,
    parentSessionId: parent?.id ?? null,
    repositoryId: repository.id,
    sessionId: session.id,
    workerId: context.newId(),
    taskId: task.id,
    worktreeId: worktree.id,
    worktreePath: worktree.path,
    branch,
    base,
    useRemote,
    warnings,
    notify: input.notifyOnCompletion,
    answered,
    createdAt: at,
    updatedAt: at,
  });
  await tx.record({
    type: 'delegation.requested',
    subject: { kind: 'delegation', id },
    sessionId: session.id,
    data: { parentSessionId: row.parentSessionId, branch, taskId: task.id, worktreeId: worktree.id },
  });
  return row;
}

function answerOf(row: DelegationRow): Answer {
  const { sessionId, workerId, worktreeId, worktreePath, branch, id: delegationId, taskId, warnings } = row;
  const state = row.state === 'prompting' || row.state === 'handed_over' ? 'prompting' : 'preparing';
  return { sessionId, workerId, worktreeId, worktreePath, branch, delegationId, taskId, state, warnings };
}

/**
 * Stores a delegation and starts to carry it out.
 * @param remember stores the data needed to answer a repeated call, in the transaction that stores the delegation.
 * @param answered whether the call returns before the delegation is prepared. If so, a notice reports a failure, unless
 * `notifyOnCompletion` is false.
 */
export async function beginDelegation(
  context: OperationContext,
  input: DelegationRequest,
  call: Call,
  remember: (tx: Transaction, row: DelegationRow) => Promise<void>,
  answered = false,
): Promise<DelegationRow> {
  const { storage, git, maker } = context;
  const parent =
    call.caller.kind === 'worker' ? await parentRow(storage.read.sessions, call.caller.sessionId, input) : null;
  const repository = await repositoryOf(context, input, parent);
  const { defaultAgentId } = await context.settings.current();
  const agent = await context.catalogue.choose(input.agentId, parent?.agentId, defaultAgentId);
  await refuseUnsupportedServers(context, agent, input.mcpServerIds ?? []);
  const kind = await context.catalogue.kindOf(agent.id);
  const newImages = await imagesForFirstPrompt(
    { secrets: context.secrets, read: storage.read },
    agent.id,
    kind,
    input.images ?? [],
  );
  const base = input.baseBranch ?? repository.defaultBranch;
  const useRemote = input.useRemote ?? false;
  const { existingBranch, prompt } = input;
  const isNew = existingBranch === undefined;
  // With `useRemote`, the base is fetched and resolved later, while the worktree is created, because a fetch may take
  // long. An existing branch needs no base commit. Everything else is checked here, before a row is stored.
  const baseSha = useRemote || !isNew ? null : (await git.resolveBase(repository, base, false)).sha;
  const { suggestion, warn } = await suggestBranch(context, input, agent);
  const sessionId = context.newId();
  const images = newImages.map(({ image }) => image);
  const insert = () =>
    maker.alone(repository.id, async () => {
      const branch = isNew
        ? await maker.chooseBranch(repository, { branch: input.branch, prompt, suggestion })
        : await existingBranch(repository);
      const choice = { parent, repository, agent, base, baseSha, branch };
      const plan = { sessionId, images, input, ...choice, warnings: warn(branch), answered };
      return storage.write(authorOf(call), async (tx) => {
        const stored = await insertDelegation(tx, context, call, plan);
        await remember(tx, stored);
        return stored;
      });
    });
  const row = await insertWithImages({ images: context.images, read: storage.read }, sessionId, newImages, insert);
  context.saga.run(row.id);
  return row;
}

function createDelegation(context: OperationContext): Implementation<'delegations.create'> {
  const { saga, now } = context;
  return async (input, call) => {
    const deadline = now().getTime() + CALL_MAX_MS - RESPONSE_MARGIN_MS;
    const row = await beginDelegation(context, input, call, (tx, { id }) => tx.remember({ delegationId: id }));
    const timeout = withDeadline(call.signal, Math.max(deadline - now().getTime(), 1));
    try {
      return answerOf(await saga.wait(row.id, timeout.signal));
    } finally {
      timeout.release();
    }
  };
}

/**
 * Asks the agent for a branch name unless the input has one. `warn` returns warnings that say where the name of the
 * branch comes from.
 */
async function suggestBranch({ naming }: OperationContext, input: DelegationRequest, agent: ChosenAgent) {
  if (input.branch !== undefined) return { suggestion: null, warn: () => [] };
  const { name, warning } = await naming.suggest(agent, input.prompt);
  const warn = (branch: string) => [
    ...(warning === null ? [] : [warning]),
    name === null
      ? `The branch name ${branch} was derived from the prompt.`
      : `The branch name ${branch} was suggested by ${agent.name}.`,
  ];
  return { suggestion: name, warn };
}

/** Returns the function that answers a repeated call: it waits for the delegation that the first call created. */
export function replayDelegation({ saga }: OperationContext) {
  return async (remembered: Record<string, unknown>, call: Call): Promise<Answer> =>
    answerOf(await saga.wait(String(remembered.delegationId), call.signal));
}

function listDelegations({ storage }: OperationContext): Implementation<'delegations.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.delegations, omitUndefined(filter), { limit, skip }, presentDelegation, ['-id']);
}

function getDelegation({ storage }: OperationContext): Implementation<'delegations.get'> {
  return async ({ delegationId }) => {
    const row = await storage.read.delegations.get(delegationId);
    if (row === undefined) throw notFound('Delegation', delegationId);
    return presentDelegation(row);
  };
}

/**
 * Whether a delegation is still preparing the session. The session's prompts wait in the queue until the delegation
 * starts the agent.
 */
export async function isPreparing(delegations: StoreReader<DelegationRow>, sessionId: string): Promise<boolean> {
  return (await delegations.count({ sessionId, state: [...PREPARING] })) > 0;
}

/** @throws CONFLICT (retryable) while a delegation prepares the session. */
export async function refusePreparing(delegations: StoreReader<DelegationRow>, sessionId: string): Promise<void> {
  if (!(await isPreparing(delegations, sessionId))) return;
  throw new ConsoleError(
    'CONFLICT',
    'A delegation is still preparing this session, and will start its agent. Wait until the agent runs.',
    { sessionId },
    { retryable: true },
  );
}

export function delegationOperations(context: OperationContext) {
  return {
    'delegations.create': createDelegation(context),
    'delegations.list': listDelegations(context),
    'delegations.get': getDelegation(context),
  } satisfies Partial<Implementations>;
}

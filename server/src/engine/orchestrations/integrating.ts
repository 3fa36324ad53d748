import { ConsoleError, ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import { ATTEMPTS_MAX, WAITING_RETRY_MS } from '@agent-console/shared/limits/orchestrations';
import type { OrchestrationIntegration } from '@agent-console/shared/models/orchestration';
import { isLost } from '../../domain/orchestration/outcome.ts';
import { wavesOf } from '../../domain/orchestration/plan.ts';
import { isOpen } from '../../domain/tasks.ts';
import type { Git } from '../../ports/git.ts';
import type {
  IntegrationRow,
  OrchestrationAgentRow,
  OrchestrationRow,
  RepositoryRow,
  SessionRow,
  TaskRow,
} from '../../ports/rows.ts';
import type { Readers, Storage } from '../../ports/storage.ts';
import { repositoryRow } from '../rows.ts';
import { runningCheck } from '../worktree-changes/check.ts';
import type { OrchestrationActions } from './actions.ts';
import { continuationPrompt } from './prompts.ts';

export interface IntegratingDeps {
  storage: Pick<Storage, 'read'>;
  git: Pick<Git, 'tipOf' | 'contains'>;
  actions: Pick<
    OrchestrationActions,
    'prepareTarget' | 'integrate' | 'resolve' | 'continue' | 'canContinue' | 'check' | 'stop'
  >;
  now: () => Date;
}

/** One integration pass over the branches of an orchestration's agents. */
interface Pass {
  orchestration: OrchestrationRow;
  repository: RepositoryRow;
  into: string;
  /**
   * Time of the last start or retry of the orchestration. Branches whose integration failed before this time are
   * integrated again.
   */
  since: string;
  /**
   * Returns the result of `work`, or rejects once the pass is stopped. Work that has begun then continues in the
   * background.
   */
  unlessStopped: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * Result of an integration pass. While the integration is `running`, another pass follows: at `wakeAt`, or after an
 * event.
 */
interface PassResult {
  integration: OrchestrationIntegration;
  /**
   * Name of the agent whose branch was integrated last or, if that was not possible, could not be integrated; null
   * without such an agent.
   */
  agentId: string | null;
  /** Time of the next pass in milliseconds since the epoch; null if only an event begins it. */
  wakeAt: number | null;
}

/** Maximum number of successive attempts to resolve the conflicts of one branch. */
const RESOLUTIONS_MAX = 3;
/** Maximum number of successive checks of one commit. A check without a result for the commit is repeated. */
const CHECKS_MAX = 3;

type Result =
  | { state: 'integrated' }
  | { state: 'waiting'; wakeAt: number | null }
  | (Pick<OrchestrationIntegration, 'conflicts' | 'errorMessage'> & { state: 'conflicts' | 'failed' });

/** Whether the branches of the agents must be integrated before the orchestration can end as completed. */
export function mustIntegrate(
  { integrate, integration }: Pick<OrchestrationRow, 'integrate' | 'integration'>,
  agents: readonly OrchestrationAgentRow[],
): boolean {
  const isDone = integration !== null && integration.state !== 'pending' && integration.state !== 'running';
  return (
    integrate !== null && !isDone && agents.some((agent) => agent.state === 'completed' && agent.worktreeId !== null)
  );
}

/**
 * Integrates the branches of completed agents into the target branch, in the order of their dependencies, and checks
 * the result. What is left to do is derived from the branches and the stored integrations, so a pass can be repeated at
 * any time. `store` is called after each branch.
 * @throws an error that ends the integration, unless it is transient (`isTransient`).
 */
export async function integrateAgents(
  deps: IntegratingDeps,
  orchestration: OrchestrationRow,
  agents: readonly OrchestrationAgentRow[],
  unlessStopped: Pass['unlessStopped'],
  store: (result: Pick<PassResult, 'integration' | 'agentId'>) => Promise<void>,
): Promise<PassResult> {
  const { read } = deps.storage;
  const { into = '', check = false } = orchestration.integrate ?? {};
  const repository = await repositoryRow(read.repositories, orchestration.repositoryId);
  const pass: Pass = { orchestration, repository, into, since: await startOf(deps, orchestration), unlessStopped };
  let progress = newIntegration(into);
  let agentId: string | null = null;
  await store({ integration: progress, agentId });
  const target = await unlessStopped(deps.actions.prepareTarget(orchestration, into));
  if (target === null) return { integration: progress, agentId, wakeAt: null };
  for (const agent of inOrder(orchestration, agents)) {
    const result = await integrateWorktree(deps, pass, agent, agent.worktreeId ?? '', RESOLUTIONS_MAX);
    if (result.state === 'waiting') return { integration: progress, agentId, wakeAt: result.wakeAt };
    agentId = agent.agentId;
    if (result.state !== 'integrated') return { integration: { ...progress, ...result }, agentId, wakeAt: null };
    progress = { ...progress, integrated: [...progress.integrated, agentId] };
    await store({ integration: progress, agentId });
  }
  const commit = await deps.git.tipOf(repository, into);
  const checkPassed = check ? await runCheck(deps, pass, target.id, commit) : null;
  if (checkPassed === 'running') return { integration: progress, agentId, wakeAt: null };
  return { integration: { ...progress, state: 'integrated', commit, checkPassed }, agentId: null, wakeAt: null };
}

/**
 * Whether the operation that threw this error may succeed if it is repeated later. While the runner is gone, no pass
 * begins.
 */
export function isTransient(error: unknown): error is ConsoleError {
  return error instanceof ConsoleError && (error.retryable || error.code === 'RUNNER_UNAVAILABLE');
}

/** Returns the state of an integration whose first branch is not integrated yet. */
export function newIntegration(into: string): OrchestrationIntegration {
  return {
    into,
    state: 'running',
    integrated: [],
    conflicts: [],
    checkPassed: null,
    commit: null,
    errorMessage: null,
  };
}

async function startOf({ storage: { read } }: IntegratingDeps, { id, startedAt }: OrchestrationRow): Promise<string> {
  const where = { subjectId: id, type: 'orchestration.started' } as const;
  return (await read.events.first(where, { order: ['-seq'] }))?.at ?? startedAt ?? '';
}

/**
 * Returns the completed agents in the order of their dependencies, but only the first of several agents that share a
 * worktree and its branch.
 */
function inOrder({ strategy }: OrchestrationRow, agents: readonly OrchestrationAgentRow[]): OrchestrationAgentRow[] {
  const byName = new Map(agents.map((agent) => [agent.agentId, agent]));
  const worktrees = new Set<string>();
  return wavesOf(strategy, agents)
    .flat()
    .flatMap((agentId) => byName.get(agentId) ?? [])
    .filter(({ state, worktreeId }) => {
      if (state !== 'completed' || worktreeId === null || worktrees.has(worktreeId)) return false;
      worktrees.add(worktreeId);
      return true;
    });
}

async function integrateWorktree(
  deps: IntegratingDeps,
  pass: Pass,
  agent: OrchestrationAgentRow,
  worktreeId: string,
  resolutions: number,
): Promise<Result> {
  const { read } = deps.storage;
  const { orchestration, repository, into, unlessStopped } = pass;
  const tip = await tipOf(deps, pass, worktreeId);
  const target = await deps.git.tipOf(repository, into);
  if (tip !== null && (await deps.git.contains(repository, target, tip))) {
    return { state: 'integrated' };
  }
  const latest = () => read.integrations.first({ repositoryId: repository.id, worktreeId, into }, { order: ['-id'] });
  const previous = await latest();
  if (previous?.state === 'running') return { state: 'waiting', wakeAt: null };
  if (previous === undefined || !(await isStillValid(deps, pass, previous, { tip, target }))) {
    await unlessStopped(deps.actions.integrate(orchestration, worktreeId, into));
  }
  const row = await latest();
  switch (row?.state) {
    case 'running':
      return { state: 'waiting', wakeAt: null };
    case 'integrated':
      return { state: 'integrated' };
    case 'conflicts':
      return resolveConflicts(deps, pass, agent, row, resolutions);
    default: {
      const errorMessage = row?.errorMessage ?? `The branch of ${agent.agentId} was not integrated.`;
      if (row !== undefined && hasTransientError(row)) throw new ConsoleError(row.errorCode as ErrorCode, errorMessage);
      return { state: 'failed', conflicts: [], errorMessage };
    }
  }
}

/** Returns the newest commit of a worktree's branch, or null if the branch does not exist any more. */
async function tipOf({ storage, git }: IntegratingDeps, { repository }: Pass, worktreeId: string) {
  const worktree = await storage.read.worktrees.get(worktreeId);
  if (worktree?.branch == null) return null;
  return git.tipOf(repository, worktree.branch).catch((error: unknown) => {
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
}

/**
 * Whether the result of an earlier integration of a branch is still valid. It is invalid if:
 * - the branch has newer commits
 * - the integration was undone
 * - the target no longer contains the result, because somebody has reset the target
 * - the integration failed or had conflicts before the last start or retry of the orchestration, because the cause may
 *   have been fixed
 * - the integration failed with an error that may not occur again, such as a locked database
 */
async function isStillValid(
  { git }: Pick<IntegratingDeps, 'git'>,
  { since, repository }: Pass,
  row: IntegrationRow,
  { tip, target }: { tip: string | null; target: string },
): Promise<boolean> {
  if (tip !== null && row.sourceSha !== tip) return false;
  if (row.state === 'integrated') return row.afterSha !== null && git.contains(repository, target, row.afterSha);
  return row.state !== 'undone' && row.createdAt >= since && !hasTransientError(row);
}

function hasTransientError({ state, errorCode }: IntegrationRow): boolean {
  return state === 'failed' && errorCode !== null && ERRORS[errorCode as ErrorCode].retryable;
}

/**
 * Lets an agent resolve the conflicts of an integration, if requested, and integrates the branch of that agent. The
 * resolving agent has the time limit of the agent whose branch conflicts.
 */
async function resolveConflicts(
  deps: IntegratingDeps,
  pass: Pass,
  agent: OrchestrationAgentRow,
  row: IntegrationRow,
  resolutions: number,
): Promise<Result> {
  const { read } = deps.storage;
  const { orchestration, unlessStopped } = pass;
  const { agentId } = agent;
  const conflicts = row.conflicts.map((conflict) => ({ agentId, ...conflict }));
  const errorMessage = `The branch of ${agentId} has conflicts in ${conflicts.map(({ path }) => path).join(', ')}.`;
  const failed = (why: string): Result => ({ state: 'conflicts', conflicts, errorMessage: `${errorMessage}${why}` });
  const { resolvingSessionId } = row;
  if (resolvingSessionId === null) {
    if (orchestration.integrate?.resolve !== true || resolutions === 0) return failed('');
    await unlessStopped(deps.actions.resolve(orchestration, row));
    return { state: 'waiting', wakeAt: deps.now().getTime() + agent.timeoutSeconds * 1_000 };
  }
  const session = await read.sessions.get(resolvingSessionId);
  const ownTask = { sessionId: resolvingSessionId, kind: 'prompt', sourceKind: 'orchestration' } as const;
  // Prompts of others to the same session are not the resolution. A person's own integration is resolved by their task.
  const task =
    (await read.tasks.first(ownTask, { order: ['-id'] })) ??
    (await read.tasks.first({ sessionId: resolvingSessionId, kind: 'prompt' }, { order: ['-id'] }));
  const endAt = Date.parse(task?.waitingUntil ?? task?.createdAt ?? '') + agent.timeoutSeconds * 1_000;
  const timeoutReason = ` The agent that should resolve the conflicts did not finish within ${agent.timeoutSeconds} s.`;
  if (task !== undefined && isOpen(task.status)) {
    if (deps.now().getTime() < endAt) return { state: 'waiting', wakeAt: endAt };
    // The limit of the agent's subscription should have been reset by now, but the agent has not continued yet. So
    // another pass begins a little later.
    if (task.waitingFor === 'quota') return { state: 'waiting', wakeAt: deps.now().getTime() + WAITING_RETRY_MS };
    // A session that resolves the conflicts of a person's own integration does not belong to the orchestration, so it is
    // not stopped.
    if (session?.orchestrationId !== orchestration.id) return failed(timeoutReason);
    let hasEnded = false;
    const decide = async (tx: Pick<Readers, 'tasks'>) => {
      const current = await tx.tasks.get(task.id);
      hasEnded = current === undefined || !isOpen(current.status);
      return hasEnded ? 'keep' : 'stop';
    };
    await unlessStopped(deps.actions.stop(resolvingSessionId, decide));
    // If the task has just ended, the session may already work on another prompt, so it is not stopped. Another pass
    // reads the outcome of the task.
    return hasEnded ? { state: 'waiting', wakeAt: deps.now().getTime() } : failed(timeoutReason);
  }
  // An earlier pass may have cancelled the task at its time limit but not stored the failure, for example because a
  // pause of the orchestration stopped the pass.
  if (task?.status === 'cancelled' && Date.parse(task.endedAt ?? '') >= endAt) return failed(timeoutReason);
  if (task !== undefined && session?.orchestrationId === orchestration.id) {
    const next = await continueResolution(deps, pass, row, { task, session });
    if (next === 'wait') return { state: 'waiting', wakeAt: deps.now().getTime() + agent.timeoutSeconds * 1_000 };
    if (next === 'replace') {
      await unlessStopped(deps.actions.integrate(orchestration, row.worktreeId, row.into));
      return integrateWorktree(deps, pass, agent, row.worktreeId, resolutions);
    }
  }
  if (task?.status !== 'completed' || session?.worktreeId == null) {
    return failed(' The agent that should resolve the conflicts did not complete its task.');
  }
  return integrateWorktree(deps, pass, agent, session.worktreeId, resolutions - 1);
}

/**
 * Continues the resolution of conflicts if it was interrupted or its agent was lost with the runner. Returns how:
 * - `wait`: the agent continues now, or once somebody resumes the paused session.
 * - `replace`: the agent cannot continue. The branch must be integrated again, so that another agent resolves the
 *   conflicts.
 * - `none`: the resolution has ended, or a lost agent must not continue.
 */
async function continueResolution(
  { actions, storage: { read } }: Pick<IntegratingDeps, 'actions' | 'storage'>,
  pass: Pass,
  row: IntegrationRow,
  { task, session }: { task: TaskRow; session: SessionRow },
): Promise<'wait' | 'replace' | 'none'> {
  const { orchestration, unlessStopped } = pass;
  const { id: sessionId, mark, archivedAt, removedAt } = session;
  const lost = isLost(task);
  if (lost && !(await mayContinueLost(read, pass, row, sessionId))) return 'none';
  if (task.status === 'failed') return lost ? 'replace' : 'none';
  const isClosed = archivedAt !== null || removedAt !== null || (mark !== 'open' && mark !== 'paused');
  if (task.status !== 'interrupted' || isClosed) return 'none';
  if (isHeld(session)) return 'wait';
  if (!(await actions.canContinue(sessionId))) return 'replace';
  const prompt = continuationPrompt({ state: 'interrupted' });
  await unlessStopped(
    actions.continue(orchestration, sessionId, prompt, async (tx, _, before) => {
      const state = (await tx.orchestrations.get(orchestration.id))?.state;
      if (state !== 'running') {
        throw new ConsoleError('CONFLICT', 'This orchestration is not running, so no agent resolves its conflicts.', {
          orchestrationId: orchestration.id,
        });
      }
      if (isHeld(before)) {
        throw new ConsoleError('BUSY', `Session ${sessionId} was paused at the same moment.`, { sessionId });
      }
    }),
  );
  return 'wait';
}

/** Whether the session is paused until somebody resumes it or raises its budget. */
function isHeld({ mark, pausedBy }: SessionRow): boolean {
  return mark === 'paused' && pausedBy !== 'idle';
}

/**
 * Whether the resolution by an agent that was lost may go on. As for other agents, the recovery policy decides, and
 * ATTEMPTS_MAX is the limit, because the agent itself may have crashed the machine.
 */
async function mayContinueLost(
  read: Pick<Readers, 'tasks' | 'integrations'>,
  { orchestration, since }: Pass,
  { repositoryId, worktreeId, into }: IntegrationRow,
  sessionId: string,
): Promise<boolean> {
  if (orchestration.onInterrupted === 'fail') return false;
  const work = { sessionId, kind: 'prompt', sourceKind: 'orchestration', sourceId: orchestration.id } as const;
  const resolved = { repositoryId, worktreeId, into, resolvingSessionId: { not: null }, createdAt: { above: since } };
  return (await read.tasks.count(work)) + (await read.integrations.count(resolved)) <= ATTEMPTS_MAX;
}

/**
 * Returns whether the check of the target's commit passed, or `running` while an earlier check still runs. A check of
 * this commit that passed is not repeated. A check that failed is repeated only after the orchestration was started or
 * retried.
 * @throws CONFLICT if no check has a result for the commit, because the worktree changed during each check.
 */
async function runCheck(
  { storage: { read }, actions }: IntegratingDeps,
  { orchestration, repository, into, since, unlessStopped }: Pass,
  worktreeId: string,
  commit: string,
): Promise<boolean | 'running'> {
  for (let count = 0; count <= CHECKS_MAX; count += 1) {
    // Running checks are looked up before the results are read, so that a check that ends in between is found by its
    // result.
    if ((await runningCheck(read, worktreeId)) !== undefined) return 'running';
    const row = await read.worktreeChecks.first(
      { repositoryId: repository.id, commit, state: ['passed', 'failed'] },
      { order: ['-id'] },
    );
    if (row !== undefined && (row.state === 'passed' || row.createdAt >= since)) return row.state === 'passed';
    if (count < CHECKS_MAX) await unlessStopped(actions.check(orchestration, worktreeId));
  }
  throw new ConsoleError(
    'CONFLICT',
    `The check of ${into} has no result for commit ${commit.slice(0, 12)}, because the branch was changed in the meantime. Try again.`,
    { worktreeId, commit },
  );
}

import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import {
  ORCHESTRATION_EVENT_TYPES,
  type Orchestration,
  type OrchestrationAgent,
  type OrchestrationEvent,
  type OrchestrationStatus,
} from '@agent-console/shared/models/orchestration';
import type { InputOf } from '@agent-console/shared/operations/table';
import { see } from '@agent-console/shared/see';
import { type Call, sessionOrOwn } from '../domain/call.ts';
import { planAgents } from '../domain/orchestration/plan.ts';
import { estimateEnd, roleDistribution } from '../domain/orchestration/progress.ts';
import { isMatch } from '../domain/orchestration/query.ts';
import { schedule } from '../domain/orchestration/schedule.ts';
import { exceeds } from '../domain/permission-mode.ts';
import { refuseWithoutCost } from '../engine/budgets/enforce.ts';
import { useOf } from '../engine/budgets/use.ts';
import { authorOf } from '../engine/changes/author.ts';
import { agentsOf } from '../engine/orchestrations/changes.ts';
import { creatorOf, repositoryRow } from '../engine/rows.ts';
import type { EventRow, OrchestrationAgentRow, OrchestrationRow, RepositoryRow, SessionRow } from '../ports/rows.ts';
import type { Readers, Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf, slicePage } from './paging.ts';

type Create = InputOf<'orchestrations.create'>;

export async function repositoryOf(
  { storage }: OperationContext,
  repositoryId: string | undefined,
  creator: SessionRow | null,
): Promise<RepositoryRow> {
  const id = repositoryId ?? creator?.repositoryId;
  if (id == null) {
    const list = see('repositories.list');
    const hint = `is required because the caller does not work in a repository; ${list.rest} lists the repositories`;
    throw fieldError('repositoryId', hint, { see: list });
  }
  if (creator?.repositoryId != null && id !== creator.repositoryId) {
    const hint = 'agents can only orchestrate within their own repository; omit this field';
    throw fieldError('repositoryId', hint, { repositoryId: id }, 'PERMISSION_DENIED');
  }
  return repositoryRow(storage.read.repositories, id);
}

/** Returns a hash of the path of the common git directory, which is the same for all checkouts of a repository. */
function workspaceHashOf({ secrets }: OperationContext, { commonDir }: RepositoryRow): string {
  return secrets.sha256(commonDir).slice(0, 16);
}

/**
 * Checks the agents of a plan against this machine and the caller: every agent definition must be usable, and no
 * permission mode may exceed the caller's ceiling. If the budget limits money, every agent must report its cost.
 */
async function checkAgents(
  { catalogue, settings }: OperationContext,
  agents: Create['agents'],
  creator: SessionRow | null,
  budget: Create['budget'] | null,
): Promise<void> {
  const { defaultAgentId } = await settings.current();
  for (const [index, { agenticTool, permissionMode }] of agents.entries()) {
    const chosen = await catalogue.choose(agenticTool, creator?.agentId, defaultAgentId);
    if (budget?.money !== undefined) refuseWithoutCost(chosen);
    if (permissionMode === undefined || creator === null) continue;
    if (exceeds(permissionMode, creator.permissionCeiling)) {
      throw fieldError(
        `agents[${index}].permissionMode`,
        `${permissionMode} is above this session's ceiling ${creator.permissionCeiling}; choose a lower mode`,
        { ceiling: creator.permissionCeiling },
        'PERMISSION_DENIED',
      );
    }
  }
}

/**
 * Checks the branch that receives the work of all agents. An agent may name only a new branch, or the branch of its own
 * worktree.
 * @throws VALIDATION for the base branch or the default branch, PERMISSION_DENIED for a branch that the agent may not
 * name.
 */
async function checkTarget(
  { storage, git }: OperationContext,
  repository: RepositoryRow,
  base: string,
  into: string | undefined,
  creator: SessionRow | null,
): Promise<void> {
  if (into === undefined) return;
  if (into === base || into === repository.defaultBranch) {
    throw fieldError(
      'integrate.into',
      'must be neither the base nor the default branch, because an orchestration never changes these branches',
    );
  }
  if (creator === null || !(await git.branchExists(repository, into))) return;
  const own = creator.worktreeId === null ? undefined : await storage.read.worktrees.get(creator.worktreeId);
  if (own?.branch === into) return;
  const hint = 'already exists; agents can name only a new branch, or the branch of their own worktree';
  throw fieldError('integrate.into', hint, { into }, 'PERMISSION_DENIED');
}

/**
 * @param from the definition from which the orchestration is created, if any. The function `from.stored` runs in the
 * transaction that stores the orchestration.
 */
export function createOrchestration(
  context: OperationContext,
  from?: { name: string; contentHash: string; stored: (tx: Transaction) => Promise<void> },
): Implementation<'orchestrations.create'> {
  const { storage, git, orchestrations } = context;
  return async (input, call) => {
    // `planAgents` is called first, so that a caller learns of mistakes in the input before problems of the repository
    // or this machine.
    const agents = planAgents(input.strategy, input.agents);
    const creator = await creatorOf(context, call);
    const repository = await repositoryOf(context, input.repositoryId, creator);
    await checkAgents(context, input.agents, creator, input.budget);
    const base = input.baseBranch ?? repository.defaultBranch;
    await git.resolveBase(repository, base, false);
    await checkTarget(context, repository, base, input.integrate?.into, creator);
    const plan = {
      workspaceHash: workspaceHashOf(context, repository),
      repositoryId: repository.id,
      createdBySessionId: creator?.id ?? null,
      createdByUserId: call.caller.kind === 'user' ? call.caller.userId : (creator?.createdByUserId ?? null),
      objective: input.objective,
      strategy: input.strategy,
      isolation: input.isolation,
      base,
      maxConcurrent: input.maxConcurrent ?? null,
      onFailure: input.onFailure,
      onInterrupted: input.onInterrupted,
      acceptUnreported: input.acceptUnreported,
      roleLimits: input.roleLimits,
      metadata: input.metadata,
      budget: input.budget ?? null,
      integrate: input.integrate ?? null,
      agents,
      definition: from === undefined ? null : { name: from.name, contentHash: from.contentHash },
    };
    const id = await orchestrations.create(authorOf(call), plan, input.start, async (tx, orchestrationId) => {
      await from?.stored(tx);
      await tx.remember({ orchestrationId });
    });
    return statusOf(context, storage.read, id);
  };
}

/** Answers a repeated call with the current state of the orchestration. */
export function replayOrchestration(context: OperationContext) {
  return (remembered: Record<string, unknown>) =>
    statusOf(context, context.storage.read, String(remembered.orchestrationId));
}

function present({ orchestrationFiles }: OperationContext, row: OrchestrationRow): Orchestration {
  const {
    base: _base,
    budgetWarned: _budgetWarned,
    createdByUserId: _createdByUserId,
    integrate,
    worktreeId: _worktreeId,
    pausedMs: _pausedMs,
    ...shown
  } = row;
  const planned = integrate === null ? null : { into: integrate.into, state: 'pending' as const };
  return {
    ...shown,
    progress: row.agentCount === 0 && row.state === 'completed' ? 1 : row.progress,
    integration:
      row.integration ??
      (planned && {
        ...planned,
        integrated: [],
        conflicts: [],
        checkPassed: null,
        commit: null,
        errorMessage: null,
      }),
    sharedDirectory: orchestrationFiles.sharedFolder(row),
  };
}

function presentAgent(row: OrchestrationAgentRow, usage: OrchestrationAgent['usage'] = null): OrchestrationAgent {
  const { id: _id, orchestrationId: _orchestrationId, commit: _commit, ...shown } = row;
  return { ...shown, usage };
}

/** Returns the usage of the sessions of all attempts, summed by agent. */
async function usageOf(
  { orchestrationAttempts, usage }: Readers,
  where: { orchestrationId: string; agentId?: string },
): Promise<Map<string, NonNullable<OrchestrationAgent['usage']>>> {
  const attempts = await orchestrationAttempts.find(where);
  const byAgent = new Map<string, NonNullable<OrchestrationAgent['usage']>>();
  if (attempts.length === 0) return byAgent;
  // Several attempts may have the same session. The map contains the session only once, so that its usage is not
  // counted twice.
  const agents = new Map(attempts.map(({ sessionId, agentId }) => [sessionId, agentId]));
  const columns = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'costUsd'] as const;
  for (const [sessionId, used] of await usage.sumBy({ sessionId: [...agents.keys()] }, 'sessionId', columns)) {
    const agentId = agents.get(sessionId) ?? '';
    const before = byAgent.get(agentId);
    const costs = [before?.costUsd, used.costUsd].filter((cost) => cost != null);
    byAgent.set(agentId, {
      inputTokens: (before?.inputTokens ?? 0) + (used.inputTokens ?? 0),
      outputTokens: (before?.outputTokens ?? 0) + (used.outputTokens ?? 0),
      cacheReadTokens: (before?.cacheReadTokens ?? 0) + (used.cacheReadTokens ?? 0),
      costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    });
  }
  return byAgent;
}

async function statusOf(context: OperationContext, read: Readers, id: string): Promise<OrchestrationStatus> {
  const row = await read.orchestrations.get(id);
  if (row === undefined) throw notFound('Orchestration', id);
  const agents = await agentsOf(read, id);
  const usage = await usageOf(read, { orchestrationId: id });
  return {
    ...present(context, row),
    agents: withWaiting(row, agents).map((agent) => presentAgent(agent, usage.get(agent.agentId))),
    roleDistribution: roleDistribution(agents),
    budgetUsed: await useOf(read, { kind: 'orchestration', row }, context.now()),
    estimatedCompletion: estimateEnd(row, agents, context.now()),
  };
}

/** Returns the agents. Adds the `reason` to each agent that waits because of a limit of its orchestration. */
function withWaiting(row: OrchestrationRow, agents: OrchestrationAgentRow[]): OrchestrationAgentRow[] {
  const waiting = new Map(schedule(row, agents).waiting.map(({ agentId, reason }) => [agentId, reason]));
  return agents.map((agent) => ({ ...agent, reason: agent.reason ?? waiting.get(agent.agentId) ?? null }));
}

function presentEvent(row: EventRow): OrchestrationEvent {
  const { agentId, ...data } = row.data as EventDataOf<'orchestration.agent_started'>;
  return {
    id: row.seq,
    timestamp: row.at,
    eventType: ORCHESTRATION_EVENT_TYPES[row.type as keyof typeof ORCHESTRATION_EVENT_TYPES],
    agentId: agentId ?? null,
    data,
  };
}

function listOrchestrations(context: OperationContext): Implementation<'orchestrations.list'> {
  const { read } = context.storage;
  return async ({ archived, query, limit, skip, ...filter }) => {
    const page = { limit, skip };
    const where = {
      ...omitUndefined(filter),
      ...(archived === undefined ? {} : { archivedAt: archived ? { not: null } : null }),
    };
    if (query === undefined) {
      return pageOf(read.orchestrations, where, page, (row) => present(context, row), ['-id']);
    }
    const names = new Map((await read.repositories.find({})).map(({ id, name }) => [id, name]));
    const rows = await read.orchestrations.find(where, { order: ['-id'] });
    const found = slicePage(
      rows.filter((row) => isMatch(row, query, names.get(row.repositoryId))),
      page,
    );
    return { ...found, data: await Promise.all(found.data.map((row) => present(context, row))) };
  };
}

function listEvents({ storage }: OperationContext): Implementation<'orchestrations.events'> {
  return ({ orchestrationId, after, ...page }) =>
    pageOf(storage.read.events, { subjectId: orchestrationId, seq: { above: after } }, page, presentEvent, ['seq']);
}

/** Returns who pauses or resumes an orchestration: a person or, if an agent calls, the agent's session. */
const callerKind = (call: Call): 'person' | 'session' => (call.caller.kind === 'worker' ? 'session' : 'person');

export function orchestrationOperations(context: OperationContext) {
  const { storage, orchestrations } = context;
  const status = (id: string) => statusOf(context, storage.read, id);
  return {
    'orchestrations.create': createOrchestration(context),
    'orchestrations.list': listOrchestrations(context),
    'orchestrations.get': ({ orchestrationId }) => status(orchestrationId),
    'orchestrations.start': async ({ orchestrationId }, call) => {
      await orchestrations.start(authorOf(call), orchestrationId);
      return status(orchestrationId);
    },
    'orchestrations.pause': async ({ orchestrationId, interrupt }, call) => {
      await orchestrations.pause(authorOf(call), orchestrationId, callerKind(call), interrupt);
      return status(orchestrationId);
    },
    'orchestrations.resume': async ({ orchestrationId }, call) => {
      const row = await storage.read.orchestrations.get(orchestrationId);
      if (row?.pausedBy === 'budget' && call.caller.kind === 'worker') {
        throw new ConsoleError(
          'PERMISSION_DENIED',
          'The budget of this orchestration is used up; only a person can resume the orchestration.',
          {},
        );
      }
      await orchestrations.resume(authorOf(call), orchestrationId, callerKind(call));
      return status(orchestrationId);
    },
    'orchestrations.cancel': async ({ orchestrationId }, call) => {
      const row = await storage.read.orchestrations.get(orchestrationId);
      const isOwn = call.caller.kind === 'worker' && row?.createdBySessionId === call.caller.sessionId;
      await orchestrations.cancel(authorOf(call), orchestrationId, !isOwn);
      return status(orchestrationId);
    },
    'orchestrations.addAgents': async ({ orchestrationId, agents }, call) => {
      const row = await storage.read.orchestrations.get(orchestrationId);
      await checkAgents(context, agents, await creatorOf(context, call), row?.budget);
      await orchestrations.addAgents(authorOf(call), orchestrationId, agents, (tx) => tx.remember({ orchestrationId }));
      return status(orchestrationId);
    },
    'orchestrations.retryAgent': async ({ orchestrationId, agentId }, call) => {
      await orchestrations.retryAgent(authorOf(call), orchestrationId, agentId);
      return status(orchestrationId);
    },
    'orchestrations.retryIntegration': async ({ orchestrationId }, call) => {
      await orchestrations.retryIntegration(authorOf(call), orchestrationId);
      return status(orchestrationId);
    },
    'orchestrations.archive': async ({ orchestrationId }, call) => {
      await orchestrations.setArchived(authorOf(call), orchestrationId, true);
      return status(orchestrationId);
    },
    'orchestrations.unarchive': async ({ orchestrationId }, call) => {
      await orchestrations.setArchived(authorOf(call), orchestrationId, false);
      return status(orchestrationId);
    },
    'orchestrations.report': async ({ sessionId, ...report }, call) => {
      const agent = await orchestrations.report(authorOf(call), sessionOrOwn(sessionId, call), report);
      const { orchestrationId, agentId } = agent;
      return presentAgent(agent, (await usageOf(storage.read, { orchestrationId, agentId })).get(agentId));
    },
    'orchestrations.events': listEvents(context),
  } satisfies Partial<Implementations>;
}

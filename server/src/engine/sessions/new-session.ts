import { firstChars } from '@agent-console/shared/cut';
import type { PermissionMode, Visibility } from '@agent-console/shared/models/session';
import type { Call } from '../../domain/call.ts';
import { permissionOfNewSession } from '../../domain/permission-mode.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChosenAgent } from '../agents/catalogue.ts';
import { enforceAbove, refuseOverBudget } from '../budgets/enforce.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { attach, attachedIds } from '../mcp-servers/attached.ts';

export interface SessionPlan {
  id?: string;
  /** The worktree of the session; null for a quick session, which has only a folder. */
  worktree: { id: string; repositoryId: string } | null;
  cwd: string;
  agent: ChosenAgent;
  title: string;
  description?: string | undefined;
  parent: SessionRow | null;
  origin?: Origin;
  depth: number;
  mode?: PermissionMode | undefined;
  ceiling?: PermissionMode | undefined;
  queueHeld: boolean;
  /**
   * Defaults to the visibility of the origin or, without one, of the parent; without both to that of the session that
   * creates this one, and for a person to `workspace`.
   */
  visibility?: Visibility | undefined;
  /** Paths as returned by `contextFilesIn`. By default, a fork gets the paths of its original session. */
  contextFiles?: string[];
  /** Orchestration that the session's agent belongs to. */
  orchestrationId?: string | undefined;
  /** Full ids of attached MCP servers. By default, a fork or subsession gets the servers of its origin. */
  mcpServerIds?: readonly string[];
}

/** The existing session from which a fork or subsession is created. */
interface Origin {
  kind: 'fork' | 'subsession';
  session: SessionRow;
  /**
   * For a fork, the last task of the origin that the copied conversation contains. For a subsession, the task of the
   * origin that the caller named or, without it, that the origin was working on; null if there is none.
   */
  taskId: string | null;
  /** The highest permission ceiling that the new session may have. */
  ceiling: PermissionMode;
}

function permissions(
  plan: SessionPlan,
  source: SessionRow | null,
): Pick<SessionRow, 'permissionMode' | 'requestedMode' | 'permissionCeiling'> {
  const { origin, agent, mode, ceiling } = plan;
  const maxCeiling = origin?.ceiling ?? source?.permissionCeiling;
  const parent =
    source === null || maxCeiling === undefined
      ? null
      : { sessionId: source.id, mode: source.permissionMode, ceiling: maxCeiling };
  const given = permissionOfNewSession({ mode, ceiling }, { parent, defaultMode: agent.defaultMode });
  return {
    permissionMode: agent.permission(given.requested).mode,
    requestedMode: mode ?? null,
    permissionCeiling: given.ceiling,
  };
}

/**
 * Stores a new session with its MCP servers, and records who created the session.
 * @throws LIMIT_EXCEEDED and UNSUPPORTED, see `refuseOverBudget`. PERMISSION_DENIED and VALIDATION, see
 * `permissionOfNewSession`. NOT_FOUND for a removed MCP server.
 */
export async function insertSession(
  tx: Transaction,
  deps: ChangeDeps,
  call: Pick<Call, 'caller'>,
  plan: SessionPlan,
): Promise<SessionRow> {
  const at = deps.now().toISOString();
  const { origin } = plan;
  const fork = origin?.kind === 'fork' ? origin : null;
  const creator = call.caller.kind === 'worker' ? call.caller.sessionId : null;
  // An agent can prompt every session that it created, so a session without an origin and a parent gets the limits of
  // the agent that created it.
  const above = origin?.session ?? plan.parent;
  const source = above ?? (creator === null ? null : ((await tx.sessions.get(creator)) ?? null));
  const budgetScope = {
    sessionIds: [plan.parent?.id ?? null, creator],
    orchestrationIds: [plan.orchestrationId ?? null],
  };
  await refuseOverBudget(tx, deps, budgetScope, { isNew: true, agent: plan.agent });
  const row = await tx.sessions.insert({
    ...permissions(plan, source),
    id: plan.id ?? deps.newId(),
    type: plan.worktree === null ? 'quick' : 'worktree',
    worktreeId: plan.worktree?.id ?? null,
    repositoryId: plan.worktree?.repositoryId ?? null,
    cwd: plan.cwd,
    agentId: plan.agent.id,
    title: plan.title,
    description: plan.description ?? '',
    queueHeld: plan.queueHeld,
    parentSessionId: plan.parent?.id ?? null,
    forkedFromSessionId: fork?.session.id ?? null,
    spawnPointTaskId: origin?.kind === 'subsession' ? origin.taskId : null,
    forkPointTaskId: fork?.taskId ?? null,
    depth: plan.depth,
    createdByUserId: call.caller.kind === 'user' ? call.caller.userId : (source?.createdByUserId ?? null),
    createdBySessionId: creator,
    orchestrationId: plan.orchestrationId ?? null,
    viaSessionId: creator,
    visibility: plan.visibility ?? source?.visibility ?? 'workspace',
    contextFiles: plan.contextFiles ?? fork?.session.contextFiles ?? [],
    createdAt: at,
    updatedAt: at,
  });
  await enforceAbove(tx, deps, row.id);
  const servers = plan.mcpServerIds ?? (origin === undefined ? [] : await attachedIds(tx, origin.session.id));
  await attach(tx, deps, row.id, servers);
  await tx.record({
    type: 'session.created',
    ...aboutSession(row.id),
    data: { title: row.title, agentId: row.agentId, worktreeId: row.worktreeId, parentSessionId: row.parentSessionId },
  });
  if (origin !== undefined) {
    await tx.record({
      type: fork === null ? 'session.spawned' : 'session.forked',
      ...aboutSession(row.id),
      data: {
        ...(fork === null ? { parentSessionId: origin.session.id } : { forkedFromSessionId: origin.session.id }),
        childSessionId: row.id,
        taskId: origin.taskId,
      },
    });
  }
  return row;
}

/** Returns a default title: the first line of the prompt that is not blank, cut to 80 characters. */
export function titleFrom(prompt: string | undefined): string {
  const line =
    prompt
      ?.split('\n')
      .find((each) => each.trim() !== '')
      ?.trim() ?? '';
  return firstChars(line.replaceAll('\t', ' '), 80);
}

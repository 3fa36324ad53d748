import type { Budget } from '@agent-console/shared/models/budget';
import {
  type Bound,
  changedPermission,
  loweredTo,
  type Permission,
  type PermissionRequest,
} from '../../domain/permission-mode.ts';
import { markForStatus } from '../../domain/session-mark.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { setSessionBudget } from '../../engine/budgets/change.ts';
import { refuseWithoutCost } from '../../engine/budgets/enforce.ts';
import { subtreeOf } from '../../engine/budgets/use.ts';
import { authorOf } from '../../engine/changes/author.ts';
import { noteProgress } from '../../engine/changes/task-changes.ts';
import { requestMode, sendChoices } from '../../engine/protocol/options.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

function updateSession(context: OperationContext): Implementation<'sessions.update'> {
  const { storage, views, now } = context;
  return async ({ sessionId, permissionMode, permissionCeiling, status, progress, budget, ...fields }, call) => {
    const requested = { mode: permissionMode, ceiling: permissionCeiling };
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      // An event with the visibility `private` is also sent to followers who cannot see the session, because they may
      // have seen the session until now. So the event contains the visibility only if it changes.
      const visibility = fields.visibility === session.visibility ? undefined : fields.visibility;
      const patch = omitUndefined({ ...fields, visibility });
      const permission = await changePermission(tx, context, session, requested, {
        person: call.caller.kind === 'user',
      });
      const active = await tx.tasks.count({ sessionId, status: [...ACTIVE_STATUSES] });
      const reported = status === undefined ? {} : markForStatus(status, { mark: session.mark, working: active > 0 });
      // A new mark ends a pause, so `pausedBy` becomes null.
      const mark = reported.mark === undefined ? {} : { ...reported, pausedBy: null };
      if (progress !== undefined) await noteProgress(tx, sessionId, progress);
      if (budget !== undefined) await changeBudget(tx, context, session, budget);
      await tx.sessions.update(sessionId, { ...patch, ...mark, updatedAt: now().toISOString() });
      const data = { ...patch, ...omitUndefined({ status, progress, budget }), ...permission };
      await tx.record({ type: 'session.updated', subject: { kind: 'session', id: sessionId }, sessionId, data });
    });
    if (permissionMode !== undefined || permissionCeiling !== undefined) await sendChoices(context);
    return views.session(sessionId);
  };
}

/**
 * Stores a new budget for a session, or removes the session's budget.
 * @throws UNSUPPORTED for a budget with `money` if the agent of the session or of one of its descendants does not
 * report its cost.
 */
async function changeBudget(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  budget: Budget | null,
): Promise<void> {
  if (budget?.money !== undefined) {
    const rows = await tx.sessions.find({ id: await subtreeOf(tx, [session.id]), removedAt: null, archivedAt: null });
    for (const { agentId } of rows) {
      refuseWithoutCost({ id: agentId, driver: await context.catalogue.driverOf(agentId) });
    }
  }
  await setSessionBudget(tx, context, session.id, budget);
}

/** Event data of a permission change. `loweredBy` is the session whose lowered permission ceiling caused the change. */
interface PermissionChange {
  permission: { before: Permission; after: Permission; loweredBy?: string };
}

/**
 * Changes the permission mode and ceiling of a session. If the ceiling is lowered, also lowers the modes and ceilings
 * of the session's descendants.
 * @returns event data; empty if no change was requested.
 * @throws PERMISSION_DENIED and VALIDATION, see `changedPermission`.
 */
export async function changePermission(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  requested: PermissionRequest,
  by: { person: boolean },
): Promise<PermissionChange | Record<string, never>> {
  if (requested.mode === undefined && requested.ceiling === undefined) return {};
  const before = permissionOf(session);
  const bounds = await ancestorBounds(tx, session);
  const after = await storePermission(tx, context, session, changedPermission(before, requested, { ...by, bounds }));
  await lowerDescendants(tx, context, session.id, after.ceiling);
  return { permission: { before, after } };
}

function permissionOf(row: SessionRow): Permission {
  return { mode: row.permissionMode, requested: row.requestedMode, ceiling: row.permissionCeiling };
}

async function storePermission(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  { requested, ceiling }: Pick<Permission, 'requested' | 'ceiling'>,
): Promise<Permission> {
  const { catalogue, now } = context;
  const isUnchanged = requested === null || requested === session.requestedMode;
  const mode = isUnchanged ? session.permissionMode : await catalogue.effectiveMode(session.agentId, requested);
  await tx.sessions.update(session.id, {
    permissionMode: mode,
    requestedMode: requested,
    permissionCeiling: ceiling,
    updatedAt: now().toISOString(),
  });
  await requestMode(tx, context, await catalogue.kindOf(session.agentId), session.id, mode);
  return { mode, requested, ceiling };
}

/**
 * Returns the permission ceilings of the session's parent and creator. If one of them was removed, returns the ceilings
 * of its own parent and creator instead.
 */
async function ancestorBounds(tx: Transaction, session: SessionRow, seen = new Set<string>()): Promise<Bound[]> {
  const bounds: Bound[] = [];
  for (const id of [session.parentSessionId, session.createdBySessionId]) {
    if (id === null || seen.has(id)) continue;
    seen.add(id);
    const row = await tx.sessions.get(id);
    if (row === undefined) continue;
    if (row.removedAt === null) bounds.push({ sessionId: id, ceiling: row.permissionCeiling });
    else bounds.push(...(await ancestorBounds(tx, row, seen)));
  }
  return bounds;
}

/**
 * Lowers the permission modes and ceilings of all descendants of the session `from` to `ceiling`. A session that `from`
 * or a descendant created counts as a descendant, even if it is not a child.
 */
async function lowerDescendants(
  tx: Transaction,
  context: OperationContext,
  from: string,
  ceiling: Permission['ceiling'],
): Promise<void> {
  const seen = new Set([from]);
  const pending = [from];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const created = await tx.sessions.find({ createdBySessionId: id });
    for (const row of [...(await tx.sessions.find({ parentSessionId: id })), ...created]) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      pending.push(row.id);
      const before = permissionOf(row);
      const lowered = loweredTo(before, ceiling);
      if (lowered.requested === before.requested && lowered.ceiling === before.ceiling) continue;
      const after = await storePermission(tx, context, row, lowered);
      const data: PermissionChange = { permission: { before, after, loweredBy: from } };
      await tx.record({ type: 'session.updated', subject: { kind: 'session', id: row.id }, sessionId: row.id, data });
    }
  }
}

export function sessionUpdates(context: OperationContext) {
  return {
    'sessions.update': updateSession(context),
  } satisfies Partial<Implementations>;
}

import type { AuditEntry } from '@agent-console/shared/models/audit';
import type { Contract } from '@agent-console/shared/operation';
import type { Call } from '../domain/call.ts';
import { actorOf, type Caller } from '../domain/caller.ts';
import type { Ownership } from '../engine/ownership.ts';
import type { AuditRow } from '../ports/rows.ts';
import type { Storage, Where } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

function presentEntry({ result, ...row }: AuditRow): AuditEntry {
  return { ...row, outcome: result };
}

function between(after: string | undefined, before: string | undefined): Where<AuditRow> {
  if (after !== undefined && before !== undefined) return { at: { above: after, below: before } };
  if (after !== undefined) return { at: { above: after } };
  return before === undefined ? {} : { at: { below: before } };
}

/** Lists audited calls, newest first. */
function listAudit({ storage }: OperationContext): Implementation<'audit.list'> {
  return ({ limit, skip, sessionId, operation, outcome, after, before }) => {
    const result = outcome === 'error' ? { not: 'ok' } : outcome;
    const where: Where<AuditRow> = { ...omitUndefined({ sessionId, operation, result }), ...between(after, before) };
    return pageOf(storage.read.audit, where, { limit, skip }, presentEntry, ['-id']);
  };
}

export interface AuditDeps {
  storage: Pick<Storage, 'write'>;
  ownership: Pick<Ownership, 'personOf'>;
  now: () => Date;
  newId: () => string;
  onBug: (error: unknown, about: { operation: string; requestId: string }) => void;
}

/**
 * Records the caller of a call, its operation, the person for whom it was made, its result and its duration, but never
 * inputs or outputs.
 */
export interface Audit {
  /**
   * Stores one row. `result` is `ok` or the error code; `startedAt` comes from `performance.now()`. Never rejects: the
   * operation has already taken effect, so a missing row must not make the caller repeat it.
   */
  note(
    about: Pick<Contract, 'name' | 'effect'>,
    call: Pick<Call, 'caller' | 'surface'>,
    result: string,
    startedAt: number,
  ): Promise<void>;
}

/**
 * Whether a call is audited. Successful reads by people are not audited, because dashboards poll many times a second.
 */
function isAudited(effect: Contract['effect'], { caller, surface }: Pick<Call, 'caller' | 'surface'>, result: string) {
  // Unauthenticated calls are not audited, because anyone who can reach the port could fill the disk with them.
  if (caller.kind === 'nobody') return false;
  return effect !== 'read' || surface === 'mcp' || caller.kind === 'worker' || result !== 'ok';
}

export function createAudit({ storage, ownership, now, newId, onBug }: AuditDeps): Audit {
  const sessionOf = (caller: Caller) => (caller.kind === 'worker' ? caller.sessionId : null);
  return {
    async note({ name, effect }, call, result, startedAt) {
      const { caller, surface } = call;
      if (!isAudited(effect, call, result)) return;
      try {
        const row = {
          id: newId(),
          at: now().toISOString(),
          actor: actorOf(caller),
          sessionId: sessionOf(caller),
          userId: await ownership.personOf(caller),
          surface,
          operation: name,
          result,
          milliseconds: performance.now() - startedAt,
        };
        await storage.write({ actor: row.actor }, (tx) => tx.audit.add(row));
      } catch (error) {
        onBug(error, { operation: name, requestId: 'audit' });
      }
    },
  };
}

export function auditOperations(context: OperationContext) {
  return {
    'audit.list': listAudit(context),
  } satisfies Partial<Implementations>;
}

import type { Contract } from '@agent-console/shared/operation';
import type { Call } from '../../domain/call.ts';
import { actorOf, type Caller } from '../../domain/caller.ts';
import type { AuditRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Ownership } from './ownership.ts';

interface AuditDeps {
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
   * Returns the row of a call, which the caller of this function stores in its own transaction. `result` is `ok` or the
   * error code; `startedAt` comes from `performance.now()`.
   */
  row(name: string, call: Pick<Call, 'caller' | 'surface'>, result: string, startedAt: number): Promise<AuditRow>;
  /**
   * Stores the row of a call if it is audited. Never rejects: the operation has already taken effect, so the caller
   * must not repeat it only because the row could not be stored.
   */
  note(
    about: Pick<Contract, 'name' | 'effect'>,
    call: Pick<Call, 'caller' | 'surface'>,
    result: string,
    startedAt: number,
  ): Promise<void>;
}

/**
 * Whether a call is audited. Successful reads by people are audited only over MCP, because dashboards poll many times a
 * second.
 */
function isAudited(effect: Contract['effect'], { caller, surface }: Pick<Call, 'caller' | 'surface'>, result: string) {
  // Unauthenticated calls are not audited, because anyone who can reach the port could fill the disk with them.
  if (caller.kind === 'nobody') return false;
  return effect !== 'read' || surface === 'mcp' || caller.kind === 'worker' || result !== 'ok';
}

export function createAudit({ storage, ownership, now, newId, onBug }: AuditDeps): Audit {
  const sessionOf = (caller: Caller) => (caller.kind === 'worker' ? caller.sessionId : null);
  const row: Audit['row'] = async (name, { caller, surface }, result, startedAt) => ({
    id: newId(),
    at: now().toISOString(),
    actor: actorOf(caller),
    sessionId: sessionOf(caller),
    userId: await ownership.personOf(caller),
    surface,
    operation: name,
    result,
    milliseconds: performance.now() - startedAt,
  });
  return {
    row,
    async note({ name, effect }, call, result, startedAt) {
      if (!isAudited(effect, call, result)) return;
      try {
        const added = await row(name, call, result, startedAt);
        await storage.write({ actor: added.actor }, (tx) => tx.audit.add(added));
      } catch (error) {
        onBug(error, { operation: name, requestId: 'audit' });
      }
    },
  };
}

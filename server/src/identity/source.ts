import type { IdentitySource } from '../operations/ports/identity.ts';
import type { Storage } from '../operations/ports/storage.ts';

/** Workers and tokens as the database has them. */
export function createIdentitySource(storage: Pick<Storage, 'read'>, ownerId: string, now: () => Date): IdentitySource {
  return {
    localOwnerId: () => ownerId,
    async liveWorkers() {
      const rows = await storage.read.workers.find({ state: 'running', type: ['agent', 'terminal'] });
      return rows.flatMap(({ id, sessionId, pid, startTime }) =>
        pid === null || startTime === null ? [] : [{ workerId: id, sessionId, pid, startTime }],
      );
    },
    async findToken(sha256) {
      const row = await storage.read.tokens.first({ sha256, revokedAt: null });
      if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now().toISOString())) return undefined;
      if (row.kind === 'worker' && row.workerId !== null && row.sessionId !== null) {
        return { kind: 'worker', workerId: row.workerId, sessionId: row.sessionId };
      }
      return row.userId === null ? undefined : { kind: 'user', userId: row.userId, scopes: row.scopes };
    },
  };
}

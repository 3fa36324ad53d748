import type { EventHub } from '../operations/ports/events.ts';
import type { IdentitySource } from '../operations/ports/identity.ts';
import type { Storage } from '../operations/ports/storage.ts';

/** Workers and tokens as the database has them; living workers are asked for by every request, so they are remembered. */
export function createIdentitySource(
  { storage, hub, now }: { storage: Pick<Storage, 'read'>; hub: Pick<EventHub, 'onEvents'>; now: () => Date },
  ownerId: string,
): IdentitySource {
  let live: ReturnType<IdentitySource['liveWorkers']> | undefined;
  hub.onEvents((events) => {
    if (events.some(({ event }) => event.type.startsWith('worker.'))) live = undefined;
  });

  async function loadLive() {
    const rows = await storage.read.workers.find({ state: 'running', type: ['agent', 'terminal'] });
    return rows.flatMap(({ id, sessionId, pid, startTime }) =>
      pid === null || startTime === null ? [] : [{ workerId: id, sessionId, pid, startTime }],
    );
  }

  return {
    localOwnerId: () => ownerId,
    liveWorkers() {
      if (live === undefined) {
        live = loadLive();
        live.catch(() => {
          live = undefined;
        });
      }
      return live;
    },
    async findToken(sha256) {
      const row = await storage.read.tokens.first({ sha256 });
      if (row === undefined) return undefined;
      if (row.revokedAt !== null) return { kind: 'refused', why: `was revoked at ${row.revokedAt}` };
      if (row.expiresAt !== null && row.expiresAt <= now().toISOString()) {
        return { kind: 'refused', why: `expired at ${row.expiresAt}` };
      }
      if (row.kind === 'worker' && row.workerId !== null && row.sessionId !== null) {
        return { kind: 'worker', workerId: row.workerId, sessionId: row.sessionId };
      }
      const { userId, scopes, expiresAt } = row;
      if (userId === null) return undefined;
      return { kind: 'user', userId, scopes, ...(expiresAt === null ? {} : { expiresAt }) };
    },
  };
}

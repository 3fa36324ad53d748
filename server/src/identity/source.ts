import { LOGIN_UNUSED_MS, TOKEN_USE_STORED_MS } from '@agent-console/shared/limits/access';
import { SYSTEM_ACTOR } from '../domain/caller.ts';
import type { EventHub } from '../ports/events.ts';
import type { IdentitySource } from '../ports/identity.ts';
import type { TokenRow } from '../ports/rows.ts';
import type { Storage } from '../ports/storage.ts';

interface Dependencies {
  storage: Pick<Storage, 'read' | 'write'>;
  hub: Pick<EventHub, 'onEvents'>;
  now: () => Date;
  onError: (error: unknown) => void;
}

/**
 * Creates the source from which the identification of callers reads live workers and tokens. Live workers are cached,
 * because every request needs them.
 */
export function createIdentitySource({ storage, hub, now, onError }: Dependencies, ownerId: string): IdentitySource {
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

  const recording = new Set<string>();

  /**
   * Stores the time at which a token was used. The request does not wait for the write, and succeeds even if the write
   * fails.
   */
  function recordUse({ id, lastUsedAt }: TokenRow): void {
    const at = now().getTime();
    const isRecent = lastUsedAt !== null && Math.abs(at - Date.parse(lastUsedAt)) < TOKEN_USE_STORED_MS;
    if (isRecent || recording.has(id)) return;
    recording.add(id);
    storage
      .write({ actor: SYSTEM_ACTOR }, async (tx) => {
        const row = await tx.tokens.get(id);
        if (row === undefined || row.revokedAt !== null) return;
        const expiresAt = row.login ? new Date(at + LOGIN_UNUSED_MS).toISOString() : row.expiresAt;
        await tx.tokens.update(id, { lastUsedAt: new Date(at).toISOString(), expiresAt });
      })
      .catch(onError)
      .finally(() => recording.delete(id));
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
      const { id, userId, scopes, expiresAt, login: isLogin } = row;
      if (userId === null) return undefined;
      recordUse(row);
      return { kind: 'user', userId, scopes, tokenId: id, isLogin, ...(expiresAt === null ? {} : { expiresAt }) };
    },
  };
}

import { asc, count, eq, inArray, lt } from 'drizzle-orm';
import type { Storage } from '../ports/storage.ts';
import { mcpSessions } from './schema/records.ts';
import type { Database } from './store.ts';

interface McpSessionRow {
  id: string;
  protocolVersion: string;
  client: { name: string; version: string };
  watched: readonly string[];
  createdAt: Date;
  usedAt: Date;
}

/**
 * Creates the store of MCP sessions, which only the 2025 revisions of MCP have. They are stored so that clients can
 * continue after a restart of the server.
 * @param storage runs each write in a transaction of its own. Otherwise, a write could become part of another
 * transaction, and be undone with it.
 */
export function createMcpSessionStore(db: Database, storage: Pick<Storage, 'write'>) {
  const write = (work: () => void) => storage.write({ actor: 'system' }, async () => work());

  return {
    async save({ id, protocolVersion, client, watched, createdAt, usedAt }: McpSessionRow): Promise<void> {
      const row = {
        id,
        record: { protocolVersion, client, watched },
        createdAt: createdAt.toISOString(),
        lastUsedAt: usedAt.toISOString(),
      };
      await write(() => {
        db.insert(mcpSessions).values(row).onConflictDoUpdate({ target: mcpSessions.id, set: row }).run();
      });
    },
    async find(id: string): Promise<McpSessionRow | undefined> {
      const row = db.select().from(mcpSessions).where(eq(mcpSessions.id, id)).get();
      if (row === undefined) return undefined;
      return { id, watched: [], ...row.record, createdAt: new Date(row.createdAt), usedAt: new Date(row.lastUsedAt) };
    },
    async touch(id: string, usedAt: Date): Promise<void> {
      await write(() => {
        db.update(mcpSessions).set({ lastUsedAt: usedAt.toISOString() }).where(eq(mcpSessions.id, id)).run();
      });
    },
    async watch(id: string, watched: readonly string[]): Promise<void> {
      await write(() => {
        const known = db.select({ record: mcpSessions.record }).from(mcpSessions).where(eq(mcpSessions.id, id)).get();
        if (known === undefined) return;
        db.update(mcpSessions)
          .set({ record: { ...known.record, watched } })
          .where(eq(mcpSessions.id, id))
          .run();
      });
    },
    async remove(id: string): Promise<void> {
      await write(() => {
        db.delete(mcpSessions).where(eq(mcpSessions.id, id)).run();
      });
    },
    async removeIdle(before: Date, keep: number): Promise<void> {
      await write(() => {
        db.delete(mcpSessions).where(lt(mcpSessions.lastUsedAt, before.toISOString())).run();
        const rows = db.select({ rows: count() }).from(mcpSessions).get()?.rows ?? 0;
        if (rows <= keep) return;
        const { id, lastUsedAt } = mcpSessions;
        const oldest = db
          .select({ id })
          .from(mcpSessions)
          .orderBy(asc(lastUsedAt))
          .limit(rows - keep);
        db.delete(mcpSessions).where(inArray(id, oldest)).run();
      });
    },
  };
}

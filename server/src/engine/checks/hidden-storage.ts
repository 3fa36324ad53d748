import type { Storage } from '../../ports/storage.ts';

/**
 * The same storage for a session that nobody is to see: the log does not speak of it, and what it asks is asked of nobody.
 * That a process began and ended is recorded all the same, since callers are recognised by it.
 */
export function hiddenStorage(storage: Storage, onWritten: () => void): Storage {
  return {
    read: storage.read,
    async write(author, work) {
      const done = await storage.write(author, (tx) =>
        work({
          ...tx,
          approvals: { ...tx.approvals, async insert() {} },
          async record(event) {
            if (event.type.startsWith('worker.')) await tx.record({ ...event, sessionId: null });
          },
        }),
      );
      onWritten();
      return done;
    },
  };
}

import type { Storage, Transaction } from '../../ports/storage.ts';

/** Hides the sessions of agent checks from readers of events and approvals. */
export interface HiddenStorage {
  /** Storage for the code that runs processes. It does not store the approvals and most events of hidden sessions. */
  storage: Storage;
  isHidden(sessionId: string): boolean;
  hide(sessionId: string): void;
  forget(sessionId: string): void;
}

export function createHiddenStorage(storage: Storage): HiddenStorage {
  const hidden = new Set<string>();
  return {
    storage: {
      read: storage.read,
      write: (author, work) => storage.write(author, (tx) => work(hidden.size === 0 ? tx : conceal(tx, hidden))),
    },
    isHidden: (sessionId) => hidden.has(sessionId),
    hide: (sessionId) => void hidden.add(sessionId),
    forget: (sessionId) => void hidden.delete(sessionId),
  };
}

/**
 * Events that are stored even for hidden sessions, but without the session id. They refresh the cached live workers, by
 * which callers are identified.
 */
const RECORDED: readonly string[] = ['worker.started', 'worker.exited', 'worker.lost'];

function conceal(tx: Transaction, hidden: ReadonlySet<string>): Transaction {
  return {
    ...tx,
    approvals: {
      ...tx.approvals,
      async insert(row) {
        const approval = await tx.approvals.insert(row);
        if (hidden.has(row.sessionId)) await tx.approvals.remove({ id: approval.id });
        return approval;
      },
    },
    async record(event) {
      if (event.sessionId == null || !hidden.has(event.sessionId)) return tx.record(event);
      if (RECORDED.includes(event.type)) await tx.record({ ...event, sessionId: null });
    },
  };
}

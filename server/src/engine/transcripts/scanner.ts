import { TRANSCRIPT_POLL_GAP_MS, TRANSCRIPT_POLL_MS } from '@agent-console/shared/limits/transcripts';
import type { AgentKinds, Conversations } from '../../ports/agents.ts';
import type { EventHub } from '../../ports/events.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import type { TranscriptPosition, Transcripts } from '../../ports/transcripts.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { ingestPage } from './ingest.ts';
import { progressOf, reachedOffset } from './position.ts';
import { claim, tracedConversation } from './traced-conversation.ts';

/** Ingests the conversations that agents record themselves. */
export interface TranscriptScanner {
  /** Schedules a scan of a session's conversation. Further calls before that scan begins do nothing. */
  schedule(sessionId: string): void;
  /** Resolves when all messages that the agent has recorded so far are stored; rejects if they cannot be stored. */
  scan(sessionId: string): Promise<void>;
  /**
   * Scans the session's conversation. Resolves to the offset in the worker's output up to which messages are stored;
   * null without a transcript, or if the session has a newer agent worker.
   */
  reach(sessionId: string, workerId: string): Promise<number | null>;
  /** Scans conversations that may have grown while the server was down. Failures are reported, never thrown. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface TranscriptScannerDeps extends ChangeDeps {
  storage: Storage;
  hub: Pick<EventHub, 'onEvents'>;
  runner: Pick<Runner, 'extent'>;
  transcripts: Transcripts;
  conversations: Conversations;
  kinds: AgentKinds;
  catalogue: Pick<AgentCatalogue, 'find'>;
  onError: (error: unknown, sessionId: string) => void;
}

/** Events after which an agent may have recorded new messages. */
const SCAN_AFTER: ReadonlySet<string> = new Set([
  'activity.changed',
  'input.accepted',
  'task.waiting',
  'task.ended',
  'worker.exited',
  'worker.lost',
]);

interface Scan {
  /** Whether another scan was requested since the running scan began. */
  again: boolean;
  done: Promise<void>;
}

export function createTranscriptScanner(deps: TranscriptScannerDeps): TranscriptScanner {
  const { storage, runner } = deps;
  const scans = new Map<string, Scan>();
  const scheduled = new Map<string, NodeJS.Timeout>();
  let closed = false;

  async function nativeIdOf(session: SessionRow) {
    const definition = await deps.catalogue.find(session.agentId);
    if (definition === undefined) return undefined;
    const kind = deps.kinds(definition.kind);
    // Until the first start is stored, the conversation can only have the id that the console chose. Later, only the
    // stored id counts, because another conversation may have replaced the first one. An id that the agent chooses is
    // unknown until the agent reports it.
    const chosen = kind.nativeId === 'console' && !session.begun ? kind.conversationId(session.id) : null;
    const known = session.nativeId ?? chosen;
    const nativeId = known ?? (await tracedConversation(deps, session, kind));
    return nativeId === null ? undefined : { kind: kind.id, nativeId, isTraced: known === null };
  }

  async function scanOnce(sessionId: string): Promise<void> {
    const session = await storage.read.sessions.get(sessionId);
    if (session === undefined || session.removedAt !== null) return;
    const known = await nativeIdOf(session);
    const row = await storage.read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
    if (known === undefined || row === undefined) return;
    const { kind, nativeId, isTraced } = known;
    let more = !isTraced || (await claim(deps, session, known));
    while (more && !closed) {
      // The end of the output is read before the transcript, so that messages recorded later get higher offsets.
      const offset = (await runner.extent(row.id)).next;
      const stored = await storage.read.transcripts.get(sessionId);
      const { reader } = progressOf(stored, nativeId);
      const page = await deps.transcripts.read(kind, nativeId, reader);
      if (page === null) return;
      const isNew = page.readings.length > 0 || !isSamePosition(page.position, reader) || isBehind(stored, row, offset);
      if (!isNew) return;
      const worker = { row, offset };
      const pageRead = { nativeId, page, worker };
      const sessionExists = await storage.write(SYSTEM, (tx) => ingestPage(tx, deps, sessionId, pageRead));
      more = sessionExists && page.more;
    }
  }

  /** Scans a conversation. A call during a scan causes one more scan after it. Rejects if a scan fails. */
  function scan(sessionId: string): Promise<void> {
    const current = scans.get(sessionId);
    if (closed) return Promise.resolve();
    if (current !== undefined) {
      current.again = true;
      return current.done;
    }
    const state: Scan = { again: true, done: Promise.resolve() };
    scans.set(sessionId, state);
    state.done = (async () => {
      try {
        while (state.again && !closed) {
          state.again = false;
          await scanOnce(sessionId);
        }
      } finally {
        scans.delete(sessionId);
      }
    })();
    return state.done;
  }

  function schedule(sessionId: string): void {
    if (closed || scheduled.has(sessionId)) return;
    const timer = setTimeout(() => {
      scheduled.delete(sessionId);
      // A failed scan is only reported, because the next scan reads the same data again.
      scan(sessionId).catch((error) => deps.onError(error, sessionId));
    }, TRANSCRIPT_POLL_GAP_MS);
    scheduled.set(sessionId, timer.unref());
  }

  async function scanRunning(): Promise<void> {
    for (const { sessionId } of await storage.read.workers.find({ type: 'agent', state: 'running' }))
      schedule(sessionId);
  }

  const stopListening = deps.hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (sessionId !== null && SCAN_AFTER.has(event.type)) schedule(sessionId);
    }
  });
  const timer = setInterval(() => scanRunning().catch((error) => deps.onError(error, '')), TRANSCRIPT_POLL_MS).unref();

  return {
    schedule,
    scan,
    async reach(sessionId, workerId) {
      await scan(sessionId);
      return reachedOffset(await storage.read.transcripts.get(sessionId), workerId);
    },
    async recover() {
      const { read } = storage;
      const seen = new Map((await read.transcripts.find({})).map((row) => [row.sessionId, row.updatedAt]));
      const mayHaveGrown = (await read.workers.find({ type: 'agent' })).filter(
        ({ sessionId, endedAt }) => endedAt === null || (seen.get(sessionId) ?? '') < endedAt,
      );
      for (const sessionId of new Set(mayHaveGrown.map((worker) => worker.sessionId))) {
        await scan(sessionId).catch((error) => deps.onError(error, sessionId));
      }
    },
    async close() {
      closed = true;
      stopListening();
      clearInterval(timer);
      for (const each of scheduled.values()) clearTimeout(each);
      await Promise.allSettled([...scans.values()].map(({ done }) => done));
    },
  };
}

function isSamePosition(one: TranscriptPosition, other: TranscriptPosition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the worker has printed output beyond the offset up to which messages are stored. */
function isBehind(stored: Parameters<typeof reachedOffset>[0], worker: WorkerRow, offset: number): boolean {
  const reached = reachedOffset(stored, worker.id);
  return reached === null || reached < offset;
}

import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKinds, Conversations, ScreenQuestion, Transition } from '../../ports/agents.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit, Runner } from '../../ports/runner.ts';
import type { Author } from '../../ports/storage.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { refuseUnansweredQuestion } from '../approvals/questions.ts';
import { tracedConversation } from '../transcripts/traced-conversation.ts';
import { type AgentWatch, type AgentWatchDeps, watchAgent } from './agent-watch.ts';
import { startsAsCopy } from './conversation-to-start.ts';
import { applyObservations } from './observations.ts';
import { type ProtocolWatchDeps, watchProtocol } from './protocol-watch.ts';

export interface WorkerWatcher {
  watch(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): void;
  correct(author: Author, worker: WorkerRow, seen: Transition): Promise<void>;
  /**
   * Returns the question on a worker's current screen; null if nothing is asked or the worker no longer runs.
   * @throws BUSY if the screen cannot be read now, or the console is still reattaching to the worker.
   */
  question(workerId: string): Promise<ScreenQuestion | null>;
  /**
   * Called after an answer was typed to a worker. If the screen still shows the question ANSWER_ACCEPTED_MS later, the
   * question is reported again.
   */
  answered(workerId: string): void;
  /**
   * Sends the agent the protocol messages that the stored state of its connection requires. Call it after each change
   * of that state.
   */
  proceed(workerId: string): void;
  /** @see AgentWatch.leave */
  leave(workerId: string): Promise<void>;
  lastOutputAt(workerId: string): number;
  close(): Promise<void>;
}

export interface WorkerWatcherDeps extends AgentWatchDeps, ProtocolWatchDeps {
  runner: Pick<Runner, 'onExit' | 'input' | 'end' | 'read'>;
  catalogue: Pick<AgentCatalogue, 'find'>;
  kinds: AgentKinds;
  conversations: Conversations;
  onError: (error: unknown, workerId: string) => void;
}

/** Interval between attempts to store observations or to follow the output again. */
const RETRY_MS = 1_000;
/** Maximum number of exits that are retained for processes that end before they are watched. */
const EARLY_MAX = 1_000;

export function createWorkerWatcher(deps: WorkerWatcherDeps): WorkerWatcher {
  const { storage } = deps;
  const lastOutput = new Map<string, number>();
  const open = new Map<string, AgentWatch>();
  const exits = new Map<string, (exit: ProcessExit) => void>();
  const early = new Map<string, ProcessExit>();
  let closed = false;

  deps.runner.onExit((workerId, exit) => {
    const listener = exits.get(workerId);
    if (listener !== undefined) listener(exit);
    else if (!open.has(workerId) && early.size < EARLY_MAX) early.set(workerId, exit);
  });

  /**
   * Calls `work` again until it succeeds, because observations must not be lost while the disk is full. Never rejects.
   */
  async function retryUntilDone(work: () => Promise<void>, workerId: string): Promise<void> {
    while (!closed) {
      try {
        return await work();
      } catch (error) {
        // The server is stopping. The next server repeats the work.
        if (closed) return;
        deps.onError(error, workerId);
        await new Promise((resolve) => {
          setTimeout(resolve, RETRY_MS).unref();
        });
      }
    }
  }

  function watchTerminal(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): void {
    const ended = (exit: ProcessExit) => {
      exits.delete(worker.id);
      void retryUntilDone(() => onExit(exit), worker.id);
    };
    exits.set(worker.id, ended);
    const before = early.get(worker.id);
    early.delete(worker.id);
    if (before !== undefined) ended(before);
  }

  async function startAgentWatch(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): Promise<void> {
    const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
    const session = await storage.read.sessions.get(worker.sessionId);
    const kind = deps.kinds(definition?.kind ?? 'custom');
    early.delete(worker.id);
    if (closed) return;
    lastOutput.set(worker.id, deps.now().getTime());
    const watched = {
      worker,
      retryUntilDone: (work: () => Promise<void>) => retryUntilDone(work, worker.id),
      onOutput: () => void lastOutput.set(worker.id, deps.now().getTime()),
      async onExit(exit: ProcessExit) {
        await onExit(exit);
        open.delete(worker.id);
        lastOutput.delete(worker.id);
      },
      onFailed(error: unknown) {
        deps.onError(error, worker.id);
        open.delete(worker.id);
        watchLater(worker.id, onExit);
      },
    };
    if (worker.protocol !== null) {
      const { name = kind.name, command = [] } = definition ?? {};
      const agent = { name, command, kind };
      if (session !== undefined) open.set(worker.id, watchProtocol(deps, { ...watched, session, agent }));
      return;
    }
    const watch = watchAgent(deps, {
      ...watched,
      session,
      kind: kind.id,
      findConversation:
        session !== undefined && kind.nativeId === 'agent' ? () => tracedConversation(deps, session, kind) : null,
      isConversation: (nativeId) => deps.conversations.exists(kind.id, nativeId),
      recordsTurnEnds: kind.recordsTurnEnds,
      readFailure: kind.readFailure ?? null,
      learnsId: session !== undefined && (kind.nativeId === 'agent' || kind.switchesConversation),
      showsCopy: startsAsCopy(session, worker) ? (kind.showsConversation ?? null) : null,
    });
    open.set(worker.id, watch);
  }

  /**
   * Watches an agent after RETRY_MS, because its log or its row could not be read. Retries until this succeeds, because
   * otherwise nobody would notice the end of the agent.
   */
  function watchLater(workerId: string, onExit: (exit: ProcessExit) => Promise<void>): void {
    setTimeout(() => void retryUntilDone(() => watchAgain(workerId, onExit), workerId), RETRY_MS).unref();
  }

  /** Watches an agent that still runs, from the stored position in its output. */
  async function watchAgain(workerId: string, onExit: (exit: ProcessExit) => Promise<void>): Promise<void> {
    if (closed) return;
    const worker = await storage.read.workers.get(workerId);
    if (!closed && worker?.state === 'running') await startAgentWatch(worker, onExit);
  }

  return {
    watch(worker, onExit) {
      if (worker.type !== 'agent') return watchTerminal(worker, onExit);
      startAgentWatch(worker, onExit).catch((error) => {
        deps.onError(error, worker.id);
        watchLater(worker.id, onExit);
      });
    },
    leave: async (workerId) => open.get(workerId)?.leave(),
    async correct(author, worker, seen) {
      const watch = open.get(worker.id);
      if (watch !== undefined) return watch.correct(author, seen);
      await storage.write(author, async (tx) => {
        await refuseUnansweredQuestion(tx, worker.id);
        await applyObservations(tx, deps, worker.id, [seen], worker);
      });
    },
    async question(workerId) {
      const watch = open.get(workerId);
      if (watch !== undefined) return watch.question();
      const worker = await storage.read.workers.get(workerId);
      if (worker?.state !== 'running') return null;
      throw new ConsoleError('BUSY', 'The console is reattaching to the agent. Try again in a moment.', { workerId });
    },
    answered: (workerId) => open.get(workerId)?.answered(),
    proceed: (workerId) => open.get(workerId)?.proceed(),
    lastOutputAt: (workerId) => lastOutput.get(workerId) ?? 0,
    async close() {
      closed = true;
      for (const each of open.values()) each.close();
      await Promise.all([...open.values()].map((each) => each.settled()));
    },
  };
}

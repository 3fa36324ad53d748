import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../author.ts';
import { applyTransitions } from '../conductor/signs.ts';
import type { ActivityWatchers, Transition } from '../ports/agents.ts';
import type { WorkerRow } from '../ports/rows.ts';
import type { ProcessExit, Runner } from '../ports/runner.ts';
import type { Storage } from '../ports/storage.ts';
import type { OutputStreams } from '../ports/terminals.ts';
import type { Pen } from '../task-changes.ts';

/** Follows the output of workers for signs of what they do, and for their end. */
export interface Watching {
  watch(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): void;
  lastOutputAt(workerId: string): number;
  close(): Promise<void>;
}

export interface WatchingDeps extends Pen {
  storage: Storage;
  runner: Pick<Runner, 'onExit'>;
  streams: OutputStreams;
  catalogue: Pick<AgentCatalogue, 'find'>;
  watchers: ActivityWatchers;
  onError: (error: unknown, workerId: string) => void;
}

/** Signs waiting to be stored; an agent that shows more at once is not telling anything by their order. */
const PENDING_MAX = 1_000;
/** Output read without a sign before the place is stored, so that a restart does not read it all again. */
const STORE_EVERY_BYTES = 4 * 1024 * 1024;

/** Between two attempts to store what was seen. */
const STORE_AGAIN_MS = 1_000;
/** Exits kept of processes that ended before their start was stored. */
const EARLY_MAX = 1_000;

export function createWatching(deps: WatchingDeps): Watching {
  const { storage } = deps;
  const lastOutput = new Map<string, number>();
  const open = new Map<string, { close(): void; settled(): Promise<void> }>();
  const exits = new Map<string, (exit: ProcessExit) => void>();
  const early = new Map<string, ProcessExit>();
  let closed = false;

  deps.runner.onExit((workerId, exit) => {
    const listener = exits.get(workerId);
    if (listener !== undefined) listener(exit);
    else if (!open.has(workerId) && early.size < EARLY_MAX) early.set(workerId, exit);
  });

  /** What was seen must not be lost to a full disk: it is stored when there is room again. Never rejects. */
  async function untilDone(work: () => Promise<void>, workerId: string): Promise<void> {
    while (!closed) {
      try {
        return await work();
      } catch (error) {
        deps.onError(error, workerId);
        await new Promise((resolve) => {
          setTimeout(resolve, STORE_AGAIN_MS).unref();
        });
      }
    }
  }

  function watchTerminal(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): void {
    const ended = (exit: ProcessExit) => {
      exits.delete(worker.id);
      void untilDone(() => onExit(exit), worker.id);
    };
    exits.set(worker.id, ended);
    const before = early.get(worker.id);
    early.delete(worker.id);
    if (before !== undefined) ended(before);
  }

  async function watchAgent(worker: WorkerRow, onExit: (exit: ProcessExit) => Promise<void>): Promise<void> {
    const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
    lastOutput.set(worker.id, deps.now().getTime());
    early.delete(worker.id);
    const { activityState: state, confidence } = worker;
    const watcher = deps.watchers(definition?.kind ?? 'custom', { offset: worker.scanOffset, state, confidence });
    const pending: Transition[] = [];
    let stored = worker.scanOffset;
    let work = Promise.resolve();
    let scheduled = false;

    function schedule(): void {
      if (scheduled) return;
      scheduled = true;
      work = work.then(store);
    }

    async function store(): Promise<void> {
      scheduled = false;
      const transitions = pending.splice(0);
      const offset = watcher.safeOffset();
      await untilDone(
        () => storage.write(SYSTEM, (tx) => applyTransitions(tx, deps, worker.id, transitions, offset)),
        worker.id,
      );
      stored = offset;
    }

    const following = deps.streams.follow(worker.id, worker.scanOffset, {
      onData(offset, data) {
        lastOutput.set(worker.id, deps.now().getTime());
        const transitions = watcher.push(offset, data);
        for (const transition of transitions) {
          if (pending.length >= PENDING_MAX) pending.pop();
          pending.push(transition);
        }
        if (transitions.length > 0 || offset + data.length - stored >= STORE_EVERY_BYTES) schedule();
      },
      onResized() {},
      onFailed(error) {
        deps.onError(error, worker.id);
        open.delete(worker.id);
        setTimeout(() => void watchAgain(worker.id, onExit), STORE_AGAIN_MS).unref();
      },
      onExit(exit) {
        if (pending.length > 0) schedule();
        work = work
          .then(() => untilDone(() => onExit(exit), worker.id))
          .finally(() => {
            open.delete(worker.id);
            lastOutput.delete(worker.id);
          });
      },
    });
    open.set(worker.id, { close: () => following.close(), settled: () => work });
  }

  /** A log that could not be read is read on from where its signs were last stored. */
  async function watchAgain(workerId: string, onExit: (exit: ProcessExit) => Promise<void>): Promise<void> {
    const worker = await storage.read.workers.get(workerId);
    if (!closed && worker?.state === 'running') await watchAgent(worker, onExit);
  }

  return {
    watch(worker, onExit) {
      if (worker.type === 'agent') watchAgent(worker, onExit).catch((error) => deps.onError(error, worker.id));
      else watchTerminal(worker, onExit);
    },
    lastOutputAt: (workerId) => lastOutput.get(workerId) ?? 0,
    async close() {
      closed = true;
      for (const each of open.values()) each.close();
      await Promise.all([...open.values()].map((each) => each.settled()));
    },
  };
}

import { ConsoleError } from '@agent-console/shared/errors';
import { ANSWER_ACCEPTED_MS } from '@agent-console/shared/limits/approvals';
import type { Agent } from '@agent-console/shared/models/agent';
import type {
  ActivityWatchers,
  AgentObservation,
  AgentSignal,
  ScreenContent,
  ScreenQuestion,
  SignalFiles,
  SignalLine,
  Transition,
} from '../../ports/agents.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import type { OutputStreams } from '../../ports/terminals.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { ingestLastMessages } from '../transcripts/last-message.ts';
import type { TranscriptScanner } from '../transcripts/scanner.ts';
import { applyObservations, type ReadUpTo } from './observations.ts';
import { createQuestionTracker } from './question-tracker.ts';
import { pollScreen, snapshotOf } from './screen-poller.ts';

export interface AgentWatchDeps extends ChangeDeps {
  storage: Storage;
  streams: Pick<OutputStreams, 'follow'>;
  screens: Pick<Screens, 'peek' | 'view'>;
  signals: SignalFiles;
  watchers: ActivityWatchers;
  scanner: Pick<TranscriptScanner, 'scan'>;
}

export interface AgentWatch {
  /**
   * Stores a person's correction of the agent's activity, after the observations that were made before it. Rejects if
   * the correction cannot be stored.
   */
  correct(author: Author, seen: Transition): Promise<void>;
  /**
   * Returns the question on the current screen; null if there is none. @throws BUSY if the screen cannot be read now.
   */
  question(): Promise<ScreenQuestion | null>;
  /**
   * Must be called after the console has typed an answer. If the screen still shows the question ANSWER_ACCEPTED_MS
   * later, the watch reports the question again.
   */
  answered(): void;
  /**
   * Sends the agent the protocol messages that the stored state of its connection requires. Does nothing for an agent
   * in a terminal.
   */
  proceed(): void;
  /**
   * Closes the conversation before the process is ended, if the agent is idle and can close it. Resolves when the agent
   * has answered or ended, after ACP_CLOSE_MS at the latest.
   */
  leave(): Promise<void>;
  close(): void;
  /** Resolves when all observations are stored. */
  settled(): Promise<void>;
}

interface Watched {
  worker: WorkerRow;
  session: SessionRow | undefined;
  kind: Agent['kind'];
  /**
   * Finds the conversation of the agent by the cwd and the start time of the agent; resolves to null unless exactly one
   * conversation matches. The function is null for agents that do not choose the conversation id themselves.
   */
  findConversation: (() => Promise<string | null>) | null;
  /** Whether the agent has stored a conversation with this id, other than a conversation of a subagent. */
  isConversation(nativeId: string): Promise<boolean>;
  /** Whether the conversation id that the agent reports may differ from the known id, so that it must be stored. */
  learnsId: boolean;
  /**
   * Whether the screen shows the copied conversation yet. Null if the agent does not start with a copy, or if its
   * screen does not reveal it.
   */
  showsCopy: ((picture: ScreenContent) => boolean) | null;
  recordsTurnEnds: boolean;
  /** Reads the error that ended the last turn from the screen; null for kinds that report errors by other means. */
  readFailure: ((picture: ScreenContent) => string | null) | null;
  /** Calls `work`, and repeats the call until `work` has stored its changes; never rejects. */
  retryUntilDone(work: () => Promise<void>): Promise<void>;
  onOutput(): void;
  onExit(exit: ProcessExit): Promise<void>;
  /** Called when the agent's output can no longer be read. After that, the agent is no longer watched. */
  onFailed(error: unknown): void;
}

/** Maximum number of observations that wait to be stored. If more arrive, each replaces the last waiting one. */
const PENDING_MAX = 1_000;
/**
 * Number of bytes of output after which the read position is stored even if nothing was observed, so that a restarted
 * server has less to read.
 */
const STORE_EVERY_BYTES = 4 * 1024 * 1024;

const isIdle = (seen: AgentObservation) => 'state' in seen && seen.state === 'idle';

/**
 * Returns the last message or the error of a turn that this signal ends; empty if the signal ends no turn or contains
 * neither.
 */
function endOfTurn(signal: AgentSignal): AgentObservation[] {
  if (signal.type !== 'turnEnded') return [];
  const { lastMessage, failed } = signal;
  if (failed) {
    return [
      { failure: { message: lastMessage ?? 'The agent did not say why it failed.', source: 'hook', certain: true } },
    ];
  }
  return lastMessage === null ? [] : [{ words: lastMessage }];
}

/**
 * Passes an agent's output, screens and signals to an `AgentWatcher`. Stores the changes that the `AgentWatcher` finds,
 * together with the read positions.
 */
export function watchAgent(deps: AgentWatchDeps, watched: Watched): AgentWatch {
  const { storage } = deps;
  const { worker, session } = watched;
  const { activityState: state, activitySource: source, confidence, scanOffset: offset } = worker;
  const nativeId = session?.nativeId ?? null;
  const watcher = deps.watchers(watched.kind, { offset, state, confidence, source, nativeId });
  const now = () => deps.now().getTime();
  const pending: AgentObservation[] = [];
  let stored: ReadUpTo = { scanOffset: worker.scanOffset, signalsOffset: worker.signalsOffset };
  let signalsOffset = worker.signalsOffset;
  /**
   * Output offset of the newest change of activity that the output itself reported, for example in the terminal title.
   * Earlier screens are ignored, because they show an older state.
   */
  let newest = -1;
  let reportedId: string | undefined;
  let work = Promise.resolve();
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let askAgainTimer: NodeJS.Timeout | undefined;
  let closed = false;
  let copied = state !== 'unknown';
  const questions = createQuestionTracker(watcher, now);

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    work = work.then(store);
  }

  async function store(): Promise<void> {
    if (pending.some(isIdle)) {
      await ingestLastMessages(deps, worker, watched.recordsTurnEnds);
      await observeFailure();
    }
    scheduled = false;
    const observations = pending.splice(0);
    const read: ReadUpTo = {
      scanOffset: watcher.safeOffset(),
      signalsOffset,
      ...(reportedId === undefined ? {} : { nativeId: reportedId }),
    };
    await watched.retryUntilDone(() =>
      storage.write(SYSTEM, (tx) => applyObservations(tx, deps, worker.id, observations, read)),
    );
    stored = read;
  }

  /**
   * Reads from the screen why a turn failed, if no other source shows the error. Called before the end of the turn is
   * stored.
   */
  async function observeFailure(): Promise<void> {
    const { readFailure } = watched;
    if (readFailure === null || pending.some((seen) => 'failure' in seen)) return;
    const view = await deps.screens.peek(worker.id).catch(() => undefined);
    const message = view?.complete === true ? readFailure(snapshotOf(view, false)) : null;
    const idleIndex = pending.findIndex(isIdle);
    if (message !== null) pending.splice(idleIndex, 0, { failure: { message, source: 'screen', certain: false } });
  }

  function observe(observations: readonly AgentObservation[]): void {
    const asked = questions.take();
    for (const observation of [...observations, ...asked]) {
      if (pending.length >= PENDING_MAX) pending.pop();
      pending.push(observation);
    }
    if (observations.length + asked.length > 0) schedule();
    clearTimeout(timer);
    const dueTimes = closed ? [] : [watcher.dueAt(), questions.dueAt()].filter((due) => due !== null);
    if (dueTimes.length === 0) return;
    timer = setTimeout(() => observe(watcher.tick()), Math.max(1, Math.min(...dueTimes) - now())).unref();
  }

  const poller = pollScreen(
    () => deps.screens.peek(worker.id),
    (picture) => {
      // Screens are ignored until one shows the copied conversation. An earlier screen may show the input line of a
      // new, empty conversation.
      copied ||= watched.showsCopy?.(picture) ?? true;
      if (copied && !closed && picture.offset >= newest) observe(watcher.screen(picture));
    },
    now,
  );

  async function onSignals(lines: readonly SignalLine[]): Promise<void> {
    if (watcher.nativeId() === null && watched.findConversation !== null) {
      const found = await watched.findConversation().catch(() => null);
      if (found !== null) watcher.setNativeId(found);
    }
    for (const { value, next } of lines) {
      const isFirst = signalsOffset === 0;
      let { changes, signals, other } = watcher.signal(value);
      // `other` may be the agent's own new conversation, because some agents report the id of a new conversation only
      // when its first turn ends.
      if (other !== null && watched.findConversation !== null && (await isOwn(other))) {
        watcher.setNativeId(other);
        ({ changes, signals, other } = watcher.signal(value));
      }
      signalsOffset = next;
      followSwitch(signals, isFirst);
      const prompts = signals.flatMap((signal) =>
        'prompt' in signal && typeof signal.prompt === 'string' ? [{ prompt: signal.prompt }] : [],
      );
      observe([...signals.flatMap(endOfTurn), ...changes, ...prompts]);
      if (watcher.isAsking()) poller.again();
    }
    if (watched.learnsId) setConversation(watcher.nativeId());
    schedule();
    await work;
  }

  const isOwn = (id: string) => watched.isConversation(id).catch(() => false);

  /** Remembers the id of the session's conversation until `store` writes it to the database. */
  function setConversation(id: string | null): void {
    if (id === null || id === (reportedId ?? nativeId)) return;
    reportedId = id;
  }

  /**
   * Follows the agent when a person switches it to another conversation. The first report after the start does not
   * count as a switch, because an agent that copies a conversation may report the original's id (Claude Code 2.1.197).
   */
  function followSwitch(signals: readonly AgentSignal[], isFirst: boolean): void {
    for (const signal of signals) {
      if (signal.type === 'conversationStarted' && signal.switched && !isFirst) setConversation(signal.nativeId);
    }
  }

  const signals = deps.signals.follow(worker.id, worker.signalsOffset, onSignals);

  function close(): void {
    closed = true;
    clearTimeout(timer);
    clearTimeout(askAgainTimer);
    poller.close();
    signals.close();
    following.close();
  }

  async function end(exit: ProcessExit): Promise<void> {
    await signals.caughtUp();
    watcher.end();
    close();
    if (pending.length > 0) schedule();
    await work;
    await watched.retryUntilDone(() => watched.onExit(exit));
  }

  let ended: Promise<void> | undefined;
  const following = deps.streams.follow(worker.id, worker.scanOffset, {
    onData(at, data) {
      watched.onOutput();
      const changes: Transition[] = watcher.push(at, data);
      for (const change of changes) newest = Math.max(newest, change.offset);
      observe(changes);
      poller.printed(at + data.length);
      if (at + data.length - stored.scanOffset >= STORE_EVERY_BYTES) schedule();
    },
    onResized() {},
    onFailed(error) {
      close();
      watched.onFailed(error);
    },
    onExit(exit) {
      ended = end(exit);
    },
  });
  // After a restart, the screen is read once: earlier output may not have been processed, and the agent may be asking a
  // question.
  poller.printed(worker.scanOffset);
  observe([]);

  return {
    async correct(author, seen) {
      let failure: { error: unknown } | undefined;
      work = work.then(async () => {
        watcher.correct(seen.state);
        await store();
        await storage
          .write(author, (tx) => applyObservations(tx, deps, worker.id, [seen], stored))
          .catch((error: unknown) => {
            failure = { error };
          });
      });
      await work;
      observe([]);
      if (failure !== undefined) throw failure.error;
    },
    async question() {
      const view = await deps.screens.view(worker.id, { scrollback: 0, format: 'text' });
      if (view.complete) return watcher.questionOn(snapshotOf(view, false));
      throw new ConsoleError(
        'BUSY',
        'The agent is printing faster than its output can be read. Try again in a moment.',
        { workerId: worker.id },
      );
    },
    proceed() {},
    leave: async () => {},
    answered() {
      clearTimeout(askAgainTimer);
      askAgainTimer = setTimeout(() => {
        questions.again();
        observe([]);
      }, ANSWER_ACCEPTED_MS).unref();
    },
    close,
    settled: async () => {
      await ended;
      await work;
    },
  };
}

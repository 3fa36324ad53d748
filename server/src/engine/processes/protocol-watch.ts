import { ConsoleError } from '@agent-console/shared/errors';
import { ACP_CLOSE_MS, ACP_INITIALIZE_MS, ACP_OPENING_MS } from '@agent-console/shared/limits/acp';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { SECOND } from '@agent-console/shared/limits/units';
import { connectionOf, isOver, loginId, OPENING_FILE, openingId, type ProtocolState } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentProtocol, ProtocolLine } from '../../ports/protocol.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit, Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import type { OutputStreams } from '../../ports/terminals.ts';
import { refuseUnansweredQuestion } from '../approvals/questions.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { type AnsweringDeps, createAnswering } from '../protocol/answering.ts';
import { failConnection, warn } from '../protocol/failures.ts';
import { forkedConversation } from '../protocol/forks.ts';
import type { AgentWatch } from './agent-watch.ts';
import { applyObservations } from './observations.ts';
import type { ProtocolAgent } from './protocol-batch.ts';
import { applyLines, SENT_INPUT } from './protocol-lines.ts';

export interface ProtocolWatchDeps extends ChangeDeps, AnsweringDeps {
  storage: Storage;
  streams: Pick<OutputStreams, 'follow'>;
  runner: Pick<Runner, 'input' | 'end' | 'read'>;
  protocol: AgentProtocol;
  host: Pick<Host, 'readWorkerFile' | 'readText' | 'writeText' | 'realFolder'>;
  onError: (error: unknown, workerId: string) => void;
}

function howToOpen(capabilities: ProtocolState['capabilities'], isFork: boolean): 'new' | 'load' | 'resume' | 'fork' {
  if (isFork) return capabilities?.forkSession ? 'fork' : 'new';
  return capabilities?.resumeSession ? 'resume' : capabilities?.loadSession ? 'load' : 'new';
}

/** Id of the request that closes the conversation. */
const CLOSE = 'close';

/** The steps of an agent's start that have a time limit, by the phase of the connection. */
const STARTING: Readonly<Partial<Record<ProtocolState['phase'], 'initialize' | 'open'>>> = {
  initializing: 'initialize',
  opening: 'open',
  choosing: 'open',
};

const START_LIMITS = {
  initialize: {
    ms: ACP_INITIALIZE_MS,
    why: (seconds: number) =>
      `The agent did not answer the first request within ${seconds} s. Check that its command supports the Agent Client Protocol.`,
  },
  open: {
    ms: ACP_OPENING_MS,
    why: (seconds: number) =>
      `The agent answered, but it did not open its conversation within ${seconds} s. The cause may be that an MCP server of the session does not start. Check these servers, then send the prompt again.`,
  },
} as const;

const NOT_CONTINUED = 'The agent cannot continue or copy a conversation, so it began a new one.';

const withoutServers = (names: readonly string[]) =>
  `The agent works without these MCP servers, because it does not support their transport: ${names.join(', ')}.`;

/**
 * Follows the output of an agent that speaks a structured protocol, and sends the lines that the stored state of the
 * connection requires. A line is sent after this state is committed. After a restart, the line is sent again with the
 * same id, and the runner ignores it if it was already written.
 */
export function watchProtocol(
  deps: ProtocolWatchDeps,
  watched: {
    worker: WorkerRow;
    session: SessionRow;
    agent: ProtocolAgent;
    /** Calls `work`, and repeats the call until its changes are stored; never rejects. */
    retryUntilDone(work: () => Promise<void>): Promise<void>;
    onOutput(): void;
    onExit(exit: ProcessExit): Promise<void>;
    /** Called when the agent's output can no longer be read. After that, the agent is no longer watched. */
    onFailed(error: unknown): void;
  },
): AgentWatch {
  const { storage } = deps;
  const { worker, session } = watched;
  const reader = deps.protocol.createReader(worker.scanOffset);
  const sent = new Set<string>();
  let nativeId = session.nativeId;
  let pending: ProtocolLine[] = [];
  let work = Promise.resolve();
  /** Offset in the agent's log up to which this server has received output. */
  let received = worker.scanOffset;
  let isStoring = false;
  let scheduled = false;
  let closed = false;
  /** Timer for the time limit of the current step of the agent's start. */
  let timer: { step: keyof typeof START_LIMITS; timeout: NodeJS.Timeout } | undefined;
  /** Called when the agent has closed its conversation or has ended, or after ACP_CLOSE_MS. */
  let resolveClosed = () => {};
  let isClosing = false;
  let ended: Promise<void> | undefined;

  const answering = createAnswering(deps, {
    worker,
    session,
    send,
    retryUntilDone: watched.retryUntilDone,
    isOver: () => closed,
  });

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    work = work.then(store);
  }

  async function store(): Promise<void> {
    scheduled = false;
    isStoring = true;
    const lines = pending;
    pending = [];
    for (const { event } of lines) if (event.type === 'opened') nativeId = event.nativeId ?? nativeId;
    await watched.retryUntilDone(async () => {
      const state = await storage.write(SYSTEM, (tx) => applyLines(tx, deps, worker.id, lines, watched.agent));
      if (state !== null && !closed) await sendRequired(state);
    });
    isStoring = false;
    acknowledge();
  }

  /**
   * Tells the runner which output was processed, so that the runner sends more. This limits unprocessed output in
   * memory to one line and STREAM_WINDOW_BYTES.
   */
  function acknowledge(): void {
    if (!isStoring) following.acked(pending[0]?.offset ?? received);
  }

  /** Sends the line that the state of the connection requires, and answers the agent's requests. */
  async function sendRequired(state: ProtocolState): Promise<void> {
    limitStart(state);
    if (state.phase === 'initializing') await send('initialize', deps.protocol.frames.initialize());
    if (state.phase === 'opening') await send(sendIdOfOpening(state), await openFrame(state));
    if (state.phase === 'authenticating' && state.login?.methodId != null) {
      await send(loginId(state), deps.protocol.frames.authenticate(loginId(state), state.login.methodId));
    }
    if (state.choices.length > 0) await choose(state);
    // A closed conversation accepts no prompts, so an agent whose conversation an earlier server began to close is
    // ended.
    const isAbandoned = state.phase === 'closing' && !isClosing;
    if (isOver(state) || isAbandoned) await deps.runner.end(worker.id, END_GRACE_MS).catch(() => undefined);
    answering.answerAll(state);
  }

  async function openFrame(state: ProtocolState): Promise<string> {
    const { capabilities, anew = false } = state;
    const current = await storage.read.sessions.get(session.id);
    const original = await forkedConversation(storage.read, current);
    const known = anew ? null : (current?.nativeId ?? original);
    const mode = known === null ? 'new' : howToOpen(capabilities, current?.nativeId == null);
    if (known !== null && mode === 'new') await storage.write(SYSTEM, (tx) => warn(tx, worker.id, [NOT_CONTINUED]));
    // The agent chooses the id of a new conversation, so updates of any conversation are accepted until the id is
    // known.
    if (mode === 'new' || mode === 'fork') nativeId = null;
    const opening = await deps.host.readWorkerFile(worker.id, OPENING_FILE);
    if (opening === null) throw new Error(`${OPENING_FILE} of worker ${worker.id} is missing`);
    const unsupported = deps.protocol.frames.unsupportedServers(opening, capabilities);
    if (unsupported.length > 0) await storage.write(SYSTEM, (tx) => warn(tx, worker.id, [withoutServers(unsupported)]));
    return deps.protocol.frames.open(openingId(state), mode, {
      nativeId: known,
      cwd: session.cwd,
      opening,
      capabilities,
    });
  }

  async function choose({ options, choices }: ProtocolState): Promise<void> {
    const current = await storage.read.sessions.get(session.id);
    for (const { requestId, optionId, value } of choices) {
      const option = options.find(({ id }) => id === optionId);
      if (option === undefined || current?.nativeId == null) continue;
      await send(requestId, deps.protocol.frames.choose(requestId, current.nativeId, option, value));
    }
  }

  /** Sends a line; repeated calls with the same id send it once. Does nothing if the agent has ended. */
  async function send(id: string, line: string): Promise<void> {
    if (sent.has(id)) return;
    sent.add(id);
    await deps.runner.input(worker.id, `protocol:${id}`, Buffer.from(line)).catch((error: unknown) => {
      sent.delete(id);
      if (!(error instanceof ConsoleError) || error.code !== 'NOT_FOUND') throw error;
    });
  }

  /**
   * Starts the timer for the time limit of the current step of the agent's start. No limit applies while a person logs
   * in.
   */
  function limitStart({ phase }: ProtocolState): void {
    const step = STARTING[phase];
    if (timer?.step === step) return;
    clearTimeout(timer?.timeout);
    timer = undefined;
    if (step === undefined) return;
    const timeout = setTimeout(() => {
      timer = undefined;
      work = work.then(() => watched.retryUntilDone(() => giveUp(step)));
    }, START_LIMITS[step].ms);
    timer = { step, timeout: timeout.unref() };
  }

  /** Fails the connection of an agent that does not become ready, unless the agent waits for a person. */
  async function giveUp(step: keyof typeof START_LIMITS): Promise<void> {
    if ((await storage.read.approvals.count({ workerId: worker.id, state: 'pending' })) > 0) return schedule();
    const { ms, why } = START_LIMITS[step];
    await storage.write(SYSTEM, async (tx) => {
      const current = await tx.workers.get(worker.id);
      // The agent may have completed the step while this transaction waited for other transactions. Then its start has
      // not failed.
      if (current === undefined || STARTING[connectionOf(current).phase] !== step) return;
      const { fault } = connectionOf(current);
      const detail = fault === undefined ? '' : ` The agent wrote a line that violates the protocol: ${fault}`;
      await failConnection(tx, deps, worker.id, `${why(ms / SECOND)}${detail}`);
    });
    schedule();
  }

  /** Stores that the conversation is being closed. Returns false if the agent is not idle or cannot close it. */
  async function startClosing(): Promise<boolean> {
    return storage.write(SYSTEM, async (tx) => {
      const current = await tx.workers.get(worker.id);
      const state = connectionOf(current ?? worker);
      if (current?.state !== 'running' || state.phase !== 'ready' || state.capabilities?.closeSession !== true) {
        return false;
      }
      // Closing would end the running turn, and the answer to its prompt would be stored as the normal end of that
      // turn.
      if ((await tx.inputs.count({ workerId: worker.id, state: SENT_INPUT })) > 0) return false;
      await tx.workers.update(worker.id, { protocol: { ...state, phase: 'closing' } });
      return true;
    });
  }

  async function leave(): Promise<void> {
    if (closed || nativeId === null) return;
    isClosing = true;
    if (!(await startClosing())) return;
    const answered = new Promise<void>((resolve) => {
      resolveClosed = resolve;
    });
    const limit = setTimeout(resolveClosed, ACP_CLOSE_MS);
    try {
      await send(CLOSE, deps.protocol.frames.close(CLOSE, nativeId));
      if (!closed) await answered;
    } finally {
      clearTimeout(limit);
    }
  }

  function close(): void {
    closed = true;
    resolveClosed();
    clearTimeout(timer?.timeout);
    following.close();
  }

  async function end(exit: ProcessExit): Promise<void> {
    close();
    if (pending.length > 0) schedule();
    await work;
    await watched.retryUntilDone(() => watched.onExit(exit));
  }

  const following = deps.streams.follow(
    worker.id,
    worker.scanOffset,
    {
      onData(offset, data) {
        watched.onOutput();
        received = offset + data.length;
        const lines = reader.push(offset, data, nativeId);
        for (const line of lines) {
          pending.push(line);
          if ('requestId' in line.event && line.event.requestId === CLOSE) resolveClosed();
        }
        answering.noteParams(lines);
        if (pending.length > 0) schedule();
        else acknowledge();
      },
      onResized() {},
      onFailed(error) {
        close();
        watched.onFailed(error);
      },
      onExit(exit) {
        ended = end(exit);
      },
    },
    STREAM_WINDOW_BYTES,
  );
  limitStart(connectionOf(worker));
  // The first call does not wait for output, because the console sends the first line. After a restart, it sends the
  // lines and answers that are still missing.
  schedule();

  return {
    async correct(author, seen) {
      await work;
      const current = await storage.read.workers.get(worker.id);
      const read = current ?? worker;
      await storage.write(author, async (tx) => {
        await refuseUnansweredQuestion(tx, worker.id);
        await applyObservations(tx, deps, worker.id, [seen], read);
      });
    },
    // This agent has no screen. Its questions arrive through the protocol and are stored as approvals.
    question: async () => null,
    answered: schedule,
    proceed: schedule,
    leave,
    close,
    settled: async () => {
      await ended;
      await work;
    },
  };
}

/**
 * Returns the runner's input id for the request that opens the conversation. A second request after a refusal has the
 * same protocol id as the first, but needs its own input id.
 */
function sendIdOfOpening(state: ProtocolState): string {
  return state.anew ? openingId(state).replace('open', 'open-anew') : openingId(state);
}

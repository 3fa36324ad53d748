import { ConsoleError } from '@agent-console/shared/errors';
import { RUNNER_RESPONSE_MS } from '@agent-console/shared/limits/processes';
import { RUNNER_REQUEST_MS } from '@agent-console/shared/limits/runner';
import { INPUT_MAX_BYTES } from '@agent-console/shared/limits/streams';
import * as v from 'valibot';
import type { RunnerCapability } from './capabilities.ts';
import { openConnection, type RunnerConnection } from './connect.ts';
import { logExtent, readLog } from './log.ts';
import { LogReader } from './log-reader.ts';
import { Exit, Info, type ListeningPort, Receipt } from './messages.ts';
import { existingHome, outputFolder } from './paths.ts';
import type { ProcessExit, Runner } from './port.ts';
import { Streams } from './streams.ts';
import { within } from './within.ts';

const EARLIER_RUNNER = `The runner is of an earlier build and accepts at most ${INPUT_MAX_BYTES} bytes at once. Send less, or run \`agent-console stop --all\`, then \`serve\`.`;

/** Extends the `Runner` port by members that only a server on the same machine needs. */
export interface LocalRunner extends Runner {
  /** Ports that the runner had open when this connection was made, each with the server or workers that need it. */
  readonly ports: ListeningPort[];
  /** Capabilities added since the first build of the protocol, see `RUNNER_CAPABILITIES`. */
  readonly capabilities: readonly string[];
  /** Registers a callback that runs when a port is no longer needed, so the server can close its listener. */
  onPortClosed(listener: (port: number) => void): void;
  /**
   * Registers a callback for workers whose process waits because its log cannot be written. Called with the `reason`,
   * and called again with null when the process continues.
   */
  onLogBlocked(listener: (workerId: string, reason: string | null) => void): void;
  /** Closes the connection without calling `onGone`. Processes keep running. */
  close(): void;
}

/**
 * Connects to the runner of a data directory. The runner must be running.
 * @throws RUNNER_UNAVAILABLE when no runner listens, TIMEOUT when it does not answer, UNSUPPORTED for another protocol.
 */
export async function connectRunner({ home }: { home: string }): Promise<LocalRunner> {
  const root = existingHome(home);
  const streams = new Streams(root);
  const listeners = {
    exit: [] as ((workerId: string, exit: ProcessExit) => void)[],
    portClosed: [] as ((port: number) => void)[],
    logBlocked: [] as ((workerId: string, reason: string | null) => void)[],
    gone: [] as (() => void)[],
  };
  const logs = new LogReader();
  const responsive = createProbe();
  let gone = false;
  let closing = false;
  const connection = await openConnection(root, {
    frame: (frame) => streams.receive(frame),
    event(event) {
      if (event.event === 'exited') for (const listener of listeners.exit) listener(event.workerId, event.exit);
      else if (event.event === 'portClosed') for (const listener of listeners.portClosed) listener(event.port);
      else for (const listener of listeners.logBlocked) listener(event.workerId, event.reason);
    },
    gone() {
      streams.clear();
      if (closing) return;
      gone = true;
      for (const listener of listeners.gone) listener();
    },
  });
  const { pid, startTime, ports, capabilities } = connection.greeting;
  const command = async (request: Parameters<typeof connection.request>[1]): Promise<void> => {
    await connection.request(v.unknown(), request);
  };
  return {
    identity: { pid, startTime },
    get gone() {
      return gone;
    },
    ports,
    capabilities,
    // This request has no time limit, because after a timeout it would be unknown whether the process was started.
    spawn: (spec) => connection.request(Info, { op: 'spawn', spec }, undefined, null),
    isResponsive: () => responsive(connection),
    list: () => connection.request(v.array(Info), { op: 'list' }),
    async input(workerId, inputId, data) {
      // A runner without the capability `largeInputs` would close the connection, because it does not accept such a
      // long frame.
      if (data.length > INPUT_MAX_BYTES && !capabilities.includes('largeInputs' satisfies RunnerCapability)) {
        throw new ConsoleError('UNSUPPORTED', EARLIER_RUNNER, { workerId });
      }
      // This request has no time limit, because a live process may take any time to read its input.
      return connection.request(Receipt, { op: 'input', workerId, inputId }, data, null);
    },
    resize: (workerId, cols, rows) => command({ op: 'resize', workerId, cols, rows }),
    signal: (workerId, signal) => command({ op: 'signal', workerId, signal }),
    end: (workerId, graceMs) =>
      connection.request(Exit, { op: 'end', workerId, graceMs }, undefined, graceMs + RUNNER_REQUEST_MS),
    forget: (workerId) => command({ op: 'forget', workerId }),
    read: async (workerId, offset, maxBytes) => readLog(outputFolder(root, workerId), offset, maxBytes),
    async readInto(workerId, offset, target) {
      const folder = outputFolder(root, workerId);
      const found = await logs.read(folder, offset, target);
      if (found === undefined) return { offset: Math.min(offset, logExtent(folder).next), data: target.subarray(0, 0) };
      return { offset: found.offset, data: target.subarray(0, found.bytes) };
    },
    extent: async (workerId) => logExtent(outputFolder(root, workerId)),
    async dropLog(workerId) {
      logs.forget(outputFolder(root, workerId));
      await command({ op: 'dropLog', workerId });
    },
    subscribe: (workerId, fromOffset, reader) => streams.open(connection, workerId, fromOffset, reader),
    onExit: (listener) => void listeners.exit.push(listener),
    onPortClosed: (listener) => void listeners.portClosed.push(listener),
    onLogBlocked: (listener) => void listeners.logBlocked.push(listener),
    onGone(listener) {
      if (gone) listener();
      else listeners.gone.push(listener);
    },
    close() {
      closing = true;
      logs.close();
      connection.close();
    },
  };
}

/** Creates a function that probes whether the runner answers, with at most one unanswered probe at a time. */
function createProbe(): (connection: RunnerConnection) => Promise<boolean> {
  let probe: Promise<boolean> | undefined;
  return async (connection) => {
    probe ??= connection
      .request(v.unknown(), { op: 'status' }, undefined, null)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        probe = undefined;
      });
    return within(probe, RUNNER_RESPONSE_MS, () => false);
  };
}

import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { OutputReader, OutputSubscription, ProcessExit } from '../../../src/ports/runner.ts';
import type { LocalRunner } from '../../../src/runner/client.ts';
import { InputBytes, Request } from '../../../src/runner/messages.ts';
import { Reading } from './reading.ts';
import type { RunnerSide } from './runner.ts';

/** Returns a function that delays calls to a later tick of the event loop and keeps their order. */
function createWire() {
  let waiting: (() => void)[] = [];
  return (call: () => void) => {
    waiting.push(call);
    if (waiting.length > 1) return;
    setImmediate(() => {
      const calls = waiting;
      waiting = [];
      for (const each of calls) each();
    });
  };
}

interface Open {
  workerId: string;
  reader: OutputReader;
  reading: Reading | undefined;
}

/** The connection of one server to a memory runner. */
export function createConnection(side: RunnerSide): LocalRunner {
  const toRunner = createWire();
  const toServer = createWire();
  const listeners = {
    exit: [] as ((workerId: string, exit: ProcessExit) => void)[],
    gone: [] as (() => void)[],
  };
  const open = new Map<string, Open>();
  const pending = new Set<(error: Error) => void>();
  let closed = false;
  let gone = side.gone;

  const runnerEnd = {
    changed: (workerId: string) => open.get(workerId)?.reading?.pump(),
    exited: (workerId: string, exit: ProcessExit) =>
      toServer(() => {
        if (!closed) for (const listener of listeners.exit) listener(workerId, exit);
      }),
  };
  side.connections.add(runnerEnd);

  function disconnect(): void {
    closed = true;
    side.connections.delete(runnerEnd);
    open.clear();
    for (const reject of pending) reject(unavailable());
    pending.clear();
  }

  side.onGone(() =>
    toServer(() => {
      if (closed) return;
      gone = true;
      disconnect();
      for (const listener of listeners.gone) listener();
    }),
  );

  /** Sends a request to the runner. The response arrives after all messages that the runner sent before it. */
  function request<T>(message: Record<string, unknown>, answer: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (closed || side.gone) return reject(unavailable());
      pending.add(reject);
      const settle = (done: () => void) =>
        toServer(() => {
          if (pending.delete(reject)) done();
        });
      const ask = async () => {
        const parsed = v.safeParse(Request, message);
        if (!parsed.success) throw new ConsoleError('VALIDATION', parsed.issues[0].message);
        return answer();
      };
      toRunner(() => {
        ask().then(
          (value) => settle(() => resolve(value)),
          (error: Error) => settle(() => reject(error)),
        );
      });
    });
  }

  function subscribe(workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription {
    const mine: Open = { workerId, reader, reading: undefined };
    open.set(workerId, mine);
    const isOpen = () => open.get(workerId) === mine;
    const begin = () => {
      if (!isOpen()) return;
      mine.reading = new Reading({
        source: side.followed(workerId),
        lives: () => side.lives(workerId),
        fromOffset,
        send: (deliver) =>
          toServer(() => {
            if (isOpen()) deliver(reader);
          }),
      });
      mine.reading.pump();
    };
    request({ op: 'subscribe', workerId, handle: 1, fromOffset }, begin).catch((error: unknown) => {
      if (!isOpen()) return;
      open.delete(workerId);
      reader.onFailed(error);
    });
    return {
      ack: (offset) => toRunner(() => isOpen() && mine.reading?.ack(offset)),
      close() {
        if (isOpen()) open.delete(workerId);
      },
    };
  }

  const logOf = (workerId: string) => side.stored(workerId).log;

  return {
    identity: side.identity,
    get gone() {
      return gone;
    },
    ports: [],
    capabilities: [],
    spawn: (spec) => request({ op: 'spawn', spec }, () => side.spawn(spec)),
    list: () => request({ op: 'list' }, () => side.list()),
    input(workerId, inputId, data) {
      const copy = Buffer.from(data);
      return request({ op: 'input', workerId, inputId }, () => {
        if (!v.is(InputBytes, copy.length))
          throw new ConsoleError('TOO_LARGE', 'The input is too large. Send it in smaller parts');
        return side.worker(workerId).input(inputId, copy);
      });
    },
    resize: (workerId, cols, rows) =>
      request({ op: 'resize', workerId, cols, rows }, () => side.worker(workerId).resize(cols, rows)),
    signal: (workerId, signal) =>
      request({ op: 'signal', workerId, signal }, () => side.worker(workerId).signal(signal)),
    end: (workerId, graceMs) => request({ op: 'end', workerId, graceMs }, () => side.worker(workerId).end(graceMs)),
    forget: (workerId) => request({ op: 'forget', workerId }, () => side.forget(workerId)),
    // Reading stored output does not require a running runner.
    read: async (workerId, offset, maxBytes) => logOf(workerId).read(offset, maxBytes),
    async readInto(workerId, offset, target) {
      const found = logOf(workerId).read(offset, target.length);
      found.data.copy(target);
      return { offset: found.offset, data: target.subarray(0, found.data.length) };
    },
    async extent(workerId) {
      const { first, next } = logOf(workerId);
      return { first, next };
    },
    dropLog: (workerId) => request({ op: 'dropLog', workerId }, () => side.dropLog(workerId)),
    subscribe,
    isResponsive: async () => !gone,
    onExit: (listener) => void listeners.exit.push(listener),
    onPortClosed: () => undefined,
    onLogBlocked: () => undefined,
    onGone(listener) {
      if (gone) listener();
      else listeners.gone.push(listener);
    },
    close: disconnect,
  };
}

function unavailable(): ConsoleError {
  return new ConsoleError('RUNNER_UNAVAILABLE', 'The runner is not running. Start it with `agent-console serve`');
}

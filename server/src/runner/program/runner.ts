import fs from 'node:fs';
import net from 'node:net';
import { RUNNER_CONNECTIONS_MAX, RUNNER_STOP_MS } from '@agent-console/shared/limits/runner';
import { RUNNER_CAPABILITIES } from '../capabilities.ts';
import type { Event, RunnerStatus } from '../messages.ts';
import {
  clearProcessFiles,
  newSocketPath,
  runnerFilePath,
  runnerLogPath,
  serverLogPath,
  writeRunnerFile,
} from '../paths.ts';
import { startTimeOf } from '../processes.ts';
import { PROTOCOL_VERSION } from '../protocol.ts';
import { within } from '../within.ts';
import { Connection } from './connection.ts';
import { journal } from './journal.ts';
import { ListeningPorts } from './ports.ts';
import { answer } from './requests.ts';
import { rotateLog } from './rotate-log.ts';
import { ServerKeeper } from './server-keeper.ts';
import type { ServerLimits } from './server-process.ts';
import { Workers } from './workers.ts';

export interface RunnerOptions extends ServerLimits {
  /** Real path of the data directory, which must exist. */
  home: string;
  version: string;
  /** Time in milliseconds after which a runner without agents, terminals, server process and connections ends. */
  idleMs: number;
  /**
   * Interval in milliseconds at which the runner checks that its data directory and socket still exist, and limits the
   * size of its logs.
   */
  watchMs: number;
}

/** Creates and connects the parts of the runner, and listens for clients. Returns a function that ends the runner. */
export async function startRunner(options: RunnerOptions): Promise<{ stopAll(reason: string): Promise<void> }> {
  const { home } = options;
  const identity = { pid: process.pid, startTime: startTimeOf(process.pid) };
  const connections = new Set<Connection>();
  const broadcast = (event: Event) => {
    for (const connection of connections) connection.sendEvent(event);
  };
  const ports: ListeningPorts = new ListeningPorts({
    workersUsing: (port) => workers.alive.filter((worker) => worker.announcedPort === port).map((worker) => worker.id),
    closed: (port) => broadcast({ event: 'portClosed', port }),
  });
  const workers: Workers = new Workers({
    home,
    primaryPort: () => ports.primary,
    events: {
      exited(worker, exit) {
        broadcast({ event: 'exited', workerId: worker.id, exit });
        ports.releaseUnused();
        idle.update();
      },
      logBlocked: (worker, reason) => broadcast({ event: 'logBlocked', workerId: worker.id, reason }),
    },
  });
  const server = new ServerKeeper(home, ports, options);
  const idle = idleTimer(options.idleMs, {
    isIdle: () => workers.isIdle && !server.isWanted && connections.size === 0,
    expired: () => void stopAll('the runner has no process, server or connection'),
  });

  const status = (): RunnerStatus => ({
    ...identity,
    version: options.version,
    server: server.running,
    workersAlive: workers.alive.length,
    ports: ports.list,
  });
  let stopping: Promise<void> | undefined;
  const stopAll = (reason: string): Promise<void> => {
    stopping ??= stopEverything(reason);
    return stopping;
  };
  const stopEverything = async (reason: string): Promise<void> => {
    journal(`stopping: ${reason}`);
    // The wait is limited, because a log that cannot be written delays the exit of its worker.
    await within(Promise.all([workers.endAll(), server.close()]), RUNNER_STOP_MS, () => undefined);
    listener.close();
    try {
      clearProcessFiles(home);
    } catch (error) {
      journal(`files of ended worker processes could not be deleted: ${String(error)}`);
    }
    // The lock is released only when this process ends, so these files cannot yet belong to another runner.
    fs.rmSync(socket, { force: true });
    fs.rmSync(runnerFilePath(home), { force: true });
    setImmediate(() => {
      // The response to a client that requested the end is in the socket buffer, and `end` sends it before the
      // connection closes.
      for (const connection of connections) connection.end();
      setTimeout(() => process.exit(0), FLUSH_MS);
    });
  };

  const parts = { workers, server, status, stopAll: () => stopAll('a client requested the end of the runner') };
  const listener = net.createServer((peer) => {
    const connection = new Connection(peer, {
      greet: () => ({ ...identity, ports: ports.list, capabilities: Object.keys(RUNNER_CAPABILITIES) }),
      answer: (from, request, bytes) => answer(parts, from, request, bytes),
      closed(gone) {
        connections.delete(gone);
        workers.disconnected(gone);
        idle.update();
      },
    });
    connections.add(connection);
    idle.update();
  });
  listener.maxConnections = RUNNER_CONNECTIONS_MAX;
  listener.on('error', (error) => journal(`error on the socket on which the runner listens: ${error.message}`));
  const socket = newSocketPath(home);
  await listen(listener, socket);
  writeRunnerFile(home, { socket, ...identity, protocol: PROTOCOL_VERSION });
  watch(
    options.watchMs,
    [home, socket],
    (missing) => void stopAll(`${missing} is gone`),
    () => {
      rotateLog(runnerLogPath(home));
      rotateLog(serverLogPath(home));
    },
  );
  idle.update();
  journal(`runner ${options.version} is ready, pid ${process.pid}`);
  return { stopAll };
}

/**
 * Time in milliseconds that remains at the end to send the responses in the socket buffers. No new request is answered
 * during this time.
 */
const FLUSH_MS = 50;

/** Listens on the socket. An existing socket file is deleted, because the lock proves that its runner is dead. */
async function listen(listener: net.Server, socket: string): Promise<void> {
  fs.rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ path: socket, backlog: RUNNER_CONNECTIONS_MAX }, () => {
      listener.off('error', reject);
      resolve();
    });
  });
  fs.chmodSync(socket, 0o600);
}

/**
 * Checks every `everyMs` milliseconds whether the files still exist and have not been replaced. Calls `onCheck` if so;
 * otherwise calls `onMissing` with the file and stops.
 */
function watch(everyMs: number, files: string[], onMissing: (file: string) => void, onCheck: () => void): void {
  const known = files.map((file) => ({ file, inode: fs.statSync(file).ino }));
  const timer = setInterval(() => {
    const missing = known.find(({ file, inode }) => fs.statSync(file, { throwIfNoEntry: false })?.ino !== inode);
    if (missing === undefined) return onCheck();
    clearInterval(timer);
    onMissing(missing.file);
  }, everyMs);
}

function idleTimer(afterMs: number, handlers: { isIdle(): boolean; expired(): void }) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Updates the timer that ends an idle runner. Must be called when the runner may have become idle or busy. */
    update(): void {
      if (!handlers.isIdle()) {
        clearTimeout(timer);
        timer = undefined;
        return;
      }
      timer ??= setTimeout(() => {
        timer = undefined;
        if (handlers.isIdle()) handlers.expired();
      }, afterMs);
    },
  };
}

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
import { Connection } from './connection.ts';
import { journal } from './journal.ts';
import { putAside } from './log-files.ts';
import { HeldPorts } from './ports.ts';
import { answer } from './requests.ts';
import { ServerKeeper } from './server-keeper.ts';
import { Workers } from './workers.ts';

export interface RunnerOptions {
  /** Real path of the data directory, which exists. */
  home: string;
  version: string;
  /** Without process, server and connection it ends after this time. */
  idleMs: number;
  /** How often it looks after its folder and its logs. */
  watchMs: number;
  /** A server that does not answer checks for this time is replaced. */
  hangMs: number;
}

/** Wires the parts of the runner, listens, and answers with the way to end it. */
export async function startRunner(options: RunnerOptions): Promise<{ stopAll(reason: string): Promise<void> }> {
  const { home } = options;
  const identity = { pid: process.pid, startTime: startTimeOf(process.pid) };
  const connections = new Set<Connection>();
  const tell = (event: Event) => {
    for (const connection of connections) connection.sendEvent(event);
  };
  const ports: HeldPorts = new HeldPorts({
    toldWorkers: (port) => workers.alive.filter((worker) => worker.toldPort === port).map((worker) => worker.id),
    closed: (port) => tell({ event: 'portClosed', port }),
  });
  const workers: Workers = new Workers({
    home,
    primaryPort: () => ports.primary,
    events: {
      exited(worker, exit) {
        tell({ event: 'exited', workerId: worker.id, exit });
        ports.releaseUnused();
        idle.look();
      },
      logBlocked: (worker, reason) => tell({ event: 'logBlocked', workerId: worker.id, reason }),
    },
  });
  const server = new ServerKeeper(home, ports, options.hangMs);
  const idle = idleTimer(options.idleMs, {
    isIdle: () => workers.isIdle && !server.isWanted && connections.size === 0,
    expired: () => void stopAll('nothing to do'),
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
    // A log that cannot be written holds back the exit it belongs to, but not this end.
    const limit = new Promise((resolve) => setTimeout(resolve, RUNNER_STOP_MS));
    await Promise.race([Promise.all([workers.endAll(), server.stop()]), limit]);
    listener.close();
    try {
      clearProcessFiles(home);
    } catch (error) {
      journal(`files of processes could not be deleted: ${String(error)}`);
    }
    // The lock goes only with the process, so no other runner can have put its own files there.
    fs.rmSync(socket, { force: true });
    fs.rmSync(runnerFilePath(home), { force: true });
    setImmediate(() => {
      // Whoever asked for this has its answer in the socket by now.
      for (const connection of connections) connection.end();
      setTimeout(() => process.exit(0), LAST_WORDS_MS);
    });
  };

  const parts = { workers, server, status, stopAll: () => stopAll('asked to') };
  const listener = net.createServer((peer) => {
    const connection = new Connection(peer, {
      greet: () => ({ ...identity, ports: ports.list, capabilities: Object.keys(RUNNER_CAPABILITIES) }),
      answer: (from, request, bytes) => answer(parts, from, request, bytes),
      closed(gone) {
        connections.delete(gone);
        workers.disconnected(gone);
        idle.look();
      },
    });
    connections.add(connection);
    idle.look();
  });
  listener.maxConnections = RUNNER_CONNECTIONS_MAX;
  listener.on('error', (error) => journal(`socket: ${error.message}`));
  const socket = newSocketPath(home);
  await listen(listener, socket);
  writeRunnerFile(home, { socket, ...identity, protocol: PROTOCOL_VERSION });
  watch(
    options.watchMs,
    [home, socket],
    (missing) => void stopAll(`${missing} has gone`),
    () => {
      putAside(runnerLogPath(home));
      putAside(serverLogPath(home));
    },
  );
  idle.look();
  journal(`runner ${options.version} is ready, pid ${process.pid}`);
  return { stopAll };
}

/** Time for answers that are already in the socket buffers; nothing new is answered in it. */
const LAST_WORDS_MS = 50;

/** A socket file that is there already was left by a runner that is dead: the lock says so. */
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

/** Looks every `everyMs` whether the files are still the same ones. */
function watch(everyMs: number, files: string[], onMissing: (file: string) => void, onLook: () => void): void {
  const known = files.map((file) => ({ file, inode: fs.statSync(file).ino }));
  const timer = setInterval(() => {
    const missing = known.find(({ file, inode }) => fs.statSync(file, { throwIfNoEntry: false })?.ino !== inode);
    if (missing === undefined) return onLook();
    clearInterval(timer);
    onMissing(missing.file);
  }, everyMs);
}

function idleTimer(afterMs: number, on: { isIdle(): boolean; expired(): void }) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** To be called when something may have become idle or busy. */
    look(): void {
      if (!on.isIdle()) {
        clearTimeout(timer);
        timer = undefined;
        return;
      }
      timer ??= setTimeout(() => {
        timer = undefined;
        if (on.isIdle()) on.expired();
      }, afterMs);
    },
  };
}

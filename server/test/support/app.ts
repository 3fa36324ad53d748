import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import net from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type AppOptions, createApp } from '../../src/app.ts';
import { readConfig, VERSION } from '../../src/config.ts';
import { announce } from '../../src/engine/recovery.ts';
import { createHttp } from '../../src/http.ts';
import type { SpawnSpec } from '../../src/ports/runner.ts';
import { createFrameChecks } from './acp-frames.ts';
import { copyEmptyDatabase } from './empty-database.ts';
import {
  cat,
  commandShell,
  type OpenProgram,
  realProgram,
  scriptedAcpAgent,
  scriptedAgent,
} from './memory-runner/programs.ts';
import { createMemoryRunner, type MemoryRunner } from './memory-runner/runner.ts';
import { reach, type TestApp } from './test-app.ts';
import { makeWorkspace } from './workspace.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

/** Programs of the memory runner, by the last part of their path. */
const MEMORY_PROGRAMS: Record<string, OpenProgram> = { cat, sh: commandShell, git: realProgram, gh: realProgram };

/** The app in this process, with real HTTP, database and git. Agents run in a memory runner. */
export interface InProcessApp extends TestApp {
  runner: MemoryRunner;
  /** Restarts the server with the same data and agents. Calls made in the meantime wait for the new server. */
  restart(): Promise<void>;
  /** Like `restart`, but with a new runner without processes, as after a restart of the machine. */
  reboot(): Promise<void>;
}

export interface TestAppOptions {
  /** Variables added to the server's environment. */
  env?: Record<string, string>;
  /** Further programs of the memory runner, by the last part of their path. */
  programs?: Record<string, OpenProgram>;
  /** Called before a program of the memory runner starts. The start waits until the returned promise resolves. */
  beforeStart?: (spec: SpawnSpec) => Promise<void>;
  /** The server's clock. Default: the real time. */
  now?: () => Date;
}

/** Starts an app with its own data directory, HOME and repository. */
export async function startTestApp(options: TestAppOptions = {}): Promise<InProcessApp> {
  const workspace = makeWorkspace(options.env);
  mkdirSync(workspace.home, { mode: 0o700 });
  copyEmptyDatabase(join(workspace.home, 'console.db'));
  const programs: Record<string, OpenProgram | undefined> = { ...MEMORY_PROGRAMS, ...options.programs };
  const frames = createFrameChecks();
  const programOf = (file: string, [program, mode]: readonly string[]) => {
    if (program !== join(PROGRAMS, 'scripted-agent.js')) return programs[basename(file)];
    return mode === '--acp' ? scriptedAcpAgent : scriptedAgent;
  };
  const newRunner = () =>
    createMemoryRunner({
      beforeStart: options.beforeStart,
      program({ file, args }) {
        const open = programOf(file, args);
        return open && frames.checked(open);
      },
    });
  const log = pino({ base: null }, pino.destination({ dest: join(workspace.home, 'server.log'), sync: true }));
  const port = await openPort();
  const start = (runner: MemoryRunner) =>
    serve({
      env: workspace.env,
      runner,
      port,
      now: options.now,
      onError: (error, about) => log.error({ ...about, err: error }),
    });
  const first = newRunner();
  let server = await start(first);
  const app = Object.assign(await reach(workspace, () => port.number), {
    runner: first,
    async restart() {
      await server.close();
      server = await start(app.runner);
    },
    async reboot() {
      await server.close();
      app.runner.die();
      app.runner = newRunner();
      server = await start(app.runner);
    },
    async close() {
      await server.close();
      await app.runner.close();
      port.close();
      workspace.remove();
      frames.finish();
    },
  });
  return app;
}

/**
 * Opens a port that keeps listening while no server is running, as the runner does. Connections wait for the next
 * server.
 */
async function openPort() {
  const waiting: net.Socket[] = [];
  let take: ((socket: net.Socket) => void) | undefined;
  const listener = net.createServer({ pauseOnConnect: true }, (socket) => {
    if (take === undefined) waiting.push(socket);
    else take(socket);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    number: (listener.address() as net.AddressInfo).port,
    handTo(next: ((socket: net.Socket) => void) | undefined) {
      take = next;
      if (next !== undefined) for (const socket of waiting.splice(0)) next(socket);
    },
    close: () => void listener.close(),
  };
}

async function serve(options: {
  env: Record<string, string>;
  runner: MemoryRunner;
  port: Awaited<ReturnType<typeof openPort>>;
  now: (() => Date) | undefined;
  onError: AppOptions['onError'];
}) {
  const { env, runner, port, now, onError } = options;
  const config = readConfig(env);
  const common = { config, version: VERSION, programs: PROGRAMS, onError };
  const app = await createApp({
    ...common,
    runner: runner.connect(),
    port: port.number,
    environment: env,
    ...(now === undefined ? {} : { now }),
    cliToken: undefined,
    // The tests call from this process. If its pid were listed here, their calls would count as the console's own.
    ownPids: [],
  });
  const http = createHttp({ ...common, app, ports: () => [port.number] });
  const server = http.createServer();
  // The server listens on a socket that nobody uses, because Node checks request timeouts only while a server listens.
  // The connections of tests arrive at `port`, which stays open across restarts.
  server.listen({ path: join(config.home, 'http.sock') });
  await once(server, 'listening');
  await announce(app, { pid: process.pid, port: port.number, version: VERSION, crash: null });
  port.handTo((socket) => {
    server.emit('connection', socket);
    socket.resume();
  });
  return {
    async close() {
      port.handTo(undefined);
      await http.close([server]);
      await app.close();
    },
  };
}

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onEnd } from './cleanup.mjs';
import { connect, firstAnswer } from './http.mjs';
import { load, ROOT } from './packages.mjs';
import { childrenOf, commandOf, pause, rssMiB } from './processes.mjs';

/** Creates a temporary folder. It is removed by `remove`, or when the bench ends. */
export function makeFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-bench-')));
  const remove = onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return { folder, remove };
}

/**
 * Copies the built programs to a folder of their own, so that a build during the run does not affect the measurements.
 * Bundles and loads the modules that start and call a runner.
 * @param {string} built folder of the built programs
 */
export async function takeProduct(built) {
  const { folder } = makeFolder();
  const programs = join(folder, 'programs');
  cpSync(built, programs, { recursive: true });
  symlinkSync(join(ROOT, 'server/node_modules'), join(folder, 'node_modules'));
  await load('esbuild').build({
    absWorkingDir: join(ROOT, 'server'),
    entryPoints: ['src/runner/supervisor.ts', 'src/runner/client.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const module = (name) => import(pathToFileURL(join(folder, name)).href);
  const { ensureRunner, findRunner } = await module('supervisor.mjs');
  const { connectRunner } = await module('client.mjs');
  return { programs, ensureRunner, findRunner, connectRunner };
}

/** Limits that are so high that no measurement reaches them. */
const SETTINGS = { liveSessions: 10_000, delegationChildren: 1_000, delegationDepth: 20 };

/** Creates a HOME in `folder`. Returns the path of a data directory, and the environment in which programs use both. */
export function homeIn(folder) {
  const home = join(folder, 'console');
  const userHome = join(folder, 'home');
  mkdirSync(userHome, { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: userHome,
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    GIT_CONFIG_NOSYSTEM: '1',
    AGENT_CONSOLE_HOME: home,
  };
  return { home, env };
}

/**
 * Starts a real console with runner, server, database, git and terminals.
 * @param {Awaited<ReturnType<typeof takeProduct>>} product
 */
export async function startConsole(product) {
  const { folder, remove } = makeFolder();
  const { home, env } = homeIn(folder);
  const runner = await product.ensureRunner({ home, program: join(product.programs, 'runner.js') });
  const end = onEnd(async () => {
    runner.close();
    await endConsole(product, home);
    await remove();
  });
  const settings = { script: join(product.programs, 'server.js'), args: [], env, host: null };
  const { port } = await runner.runServer({ ...settings, port: 0 });
  const owner = connect(port);
  const { token } = await owner.call('POST', '/tokens', { name: 'bench', scopes: ['read', 'write', 'owner'] });
  owner.close();
  const api = connect(port, { token });
  await api.call('PATCH', '/settings', SETTINGS);
  const agent = { id: 'sleeper', name: 'Sleeper', command: ['/bin/sleep', '100000'] };
  await api.call('POST', '/agents', agent);
  const runnerPid = (await runner.status()).pid;
  const serverPid = () => JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')).pid;
  return {
    folder,
    home,
    port,
    token,
    api,
    runner,
    runnerPid,
    serverPid,
    /** Id of an agent that starts immediately and does nothing. */
    agentId: agent.id,
    restartServer: () => runner.runServer({ ...settings, port }, { restart: true }),
    stopServer: () => runner.stopServer(),
    runServer: () => runner.runServer({ ...settings, port }),
    /** Resident memory of server, fork server and runner in MiB. */
    rssMiB: () => rssMiB(serverPid()) + forkServersMiB(serverPid()) + rssMiB(runnerPid),
    /** Creates a session in this console's folder, without a worktree. */
    session: (title = 'bench') => api.call('POST', '/sessions', { cwd: folder, agentId: agent.id, title }),
    async close() {
      api.close();
      await end();
    },
  };
}

/**
 * Maximum number of attempts to stop a runner. An attempt may time out, because a runner with hundreds of workers stops
 * slowly.
 */
const END_ATTEMPTS = 5;

/** Stops the runner of a data directory, and with it the server and every worker. */
export async function endConsole(product, home) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await product.findRunner(home);
      await found?.stopAll();
      return;
    } catch (error) {
      if (attempt === END_ATTEMPTS) throw error;
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Runs `agent-console serve` in a new data directory. Returns the milliseconds until the first answer of `/health`, and
 * the memory (MiB) of the command itself after `idleMs`.
 */
export async function serveForeground(product, idleMs) {
  const { folder, remove } = makeFolder();
  const { home, env } = homeIn(folder);
  const end = onEnd(async () => {
    await endConsole(product, home);
    await remove();
  });
  const port = await freePort();
  const since = performance.now();
  const child = spawn(process.execPath, [join(product.programs, 'cli.js'), 'serve', '--port', String(port)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const ms = await Promise.race([
    firstAnswer(port, since),
    gone.then((status) => {
      throw new Error(`serve ended with status ${status}`);
    }),
  ]);
  await pause(idleMs);
  const rss = rssMiB(child.pid);
  child.kill('SIGINT');
  await gone;
  await end();
  return { ms, rss };
}

/**
 * Returns the resident memory in MiB of a server's fork server; 0 before the first git command, which starts the fork
 * server.
 */
function forkServersMiB(serverPid) {
  const pids = childrenOf(serverPid).filter((pid) => commandOf(pid).includes('fork-server.js'));
  return pids.reduce((sum, pid) => sum + rssMiB(pid), 0);
}

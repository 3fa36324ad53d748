import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Repository } from '@agent-console/shared/models/repository';
import { ensureRunner, findRunner, type RunnerControl } from '../../src/runner/supervisor.ts';
import { type ConsoleClient, createClient } from '../../src/surfaces/cli/client.ts';
import { until } from './until.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

/** A real console in a throw-away HOME: runner, server, database, git and agents are all the real ones. */
export interface TestConsole {
  /** Throw-away folder that holds everything; removed by `close`. */
  folder: string;
  home: string;
  env: Record<string, string>;
  baseUrl: string;
  port: number;
  client: ConsoleClient;
  runner: RunnerControl;
  /** A registered repository with one commit on `main`. */
  repository: Repository;
  /** Runs git by hand in the repository's main checkout, unless told otherwise. */
  git(args: readonly string[], cwd?: string): string;
  /** Makes and registers one more repository. */
  addRepository(name: string): Promise<Repository>;
  /** Pid of the server now. */
  serverPid(): number;
  /** Runs the server again with other settings (another port, other environment). */
  serve(options?: { port?: number; env?: Record<string, string> }): Promise<void>;
  /** Every event after `after` until `done` says that this one was the last; each call has a bound of 50 s. */
  events(after: number, done: (event: ConsoleEvent) => boolean): Promise<ConsoleEvent[]>;
  /** Waits until `look` answers something, for at most 50 s. */
  until: typeof until;
  close(): Promise<void>;
}

/** Starts a console with its own data directory, HOME and repository. `env` is added to the server's environment. */
export async function startConsole(options: { env?: Record<string, string> } = {}): Promise<TestConsole> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-e2e-')));
  const home = join(folder, 'console');
  mkdirSync(join(folder, 'home'));
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    GIT_CONFIG_NOSYSTEM: '1',
    AGENT_CONSOLE_HOME: home,
    ...options.env,
  };
  const git = (args: readonly string[], cwd = join(folder, 'shop')) =>
    execFileSync('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com', ...args], {
      cwd,
      env: { PATH: env.PATH ?? '', HOME: env.HOME ?? '', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .toString()
      .trim();
  const makeRepository = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    git(['init', '--quiet', '-b', 'main'], path);
    writeFileSync(join(path, 'readme.md'), `# ${name}\n`);
    git(['add', '--all'], path);
    git(['commit', '--quiet', '-m', 'First commit'], path);
    return path;
  };

  const runner = await ensureRunner({ home, program: join(PROGRAMS, 'runner.js') });
  const running = { port: 0 };
  async function serve(next: { port?: number; env?: Record<string, string> } = {}): Promise<void> {
    const settings = { script: join(PROGRAMS, 'server.js'), args: [], env: { ...env, ...next.env }, host: null };
    const { port } = await runner.runServer({ ...settings, port: next.port ?? running.port });
    running.port = port;
  }
  await serve();
  const client = () => createClient({ baseUrl: `http://127.0.0.1:${running.port}`, insideWorker: true });

  async function register(name: string): Promise<Repository> {
    const made = await client().call('repositories.create', { path: makeRepository(name) });
    if (!('id' in made)) throw new Error('a path is registered at once');
    return made;
  }

  const testConsole: TestConsole = {
    folder,
    home,
    env,
    get baseUrl() {
      return `http://127.0.0.1:${running.port}`;
    },
    get port() {
      return running.port;
    },
    get client() {
      return client();
    },
    runner,
    repository: await register('shop'),
    git,
    addRepository: register,
    serverPid: () => (JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { pid: number }).pid,
    serve,
    async events(after, done) {
      const seen: ConsoleEvent[] = [];
      let cursor = after;
      await until('an event', async () => {
        const { data } = await client().call('events.list', { after: cursor, limit: 500 });
        for (const event of data) {
          seen.push(event);
          cursor = event.seq;
          if (done(event)) return true;
        }
        return false;
      });
      return seen;
    },
    until,
    async close() {
      await (await findRunner(home))?.stopAll();
      runner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return testConsole;
}

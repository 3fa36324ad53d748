import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => resolve(import.meta.dirname, '../../../src', path);

export interface Programs {
  /** Holds the bundles and the throw-away HOME. */
  folder: string;
  start(args: string[], env?: Record<string, string>, cwd?: string): ChildProcess;
  run(args: string[], env?: Record<string, string>, stdin?: string): Promise<Run>;
  remove(): Promise<void>;
}

interface Run {
  code: number | null;
  out: string;
  err: string;
}

/** What stands beside the CLI: nothing, the runner with a small server, or everything that is built. */
export type Beside = 'nothing' | 'fixture' | 'product';

const ENTRIES: Record<Beside, Record<string, string>> = {
  nothing: {},
  fixture: {
    runner: source('runner/program/main.ts'),
    server: fileURLToPath(new URL('./fixture-server.ts', import.meta.url)),
  },
  product: {
    runner: source('runner/program/main.ts'),
    server: source('main.ts'),
    'scripted-agent': source('agents/scripted/main.ts'),
  },
};

/** Bundles the CLI as the build does, and what is asked for beside it. */
export async function buildPrograms(beside: Beside): Promise<Programs> {
  const withServer = beside !== 'nothing';
  // Inside the workspace, where packages that cannot be bundled are found.
  const folder = await mkdtemp(join(withServer ? resolve(import.meta.dirname, '../../..') : tmpdir(), '.test-cli-'));
  await build({
    entryPoints: {
      cli: source('surfaces/cli/main.ts'),
      ...ENTRIES[beside],
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
    external: ['node-pty', 'libsql'],
    outExtension: withServer ? {} : { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  if (beside === 'product') await cp(source('storage/migrations'), join(folder, 'migrations'), { recursive: true });
  const start = (args: string[], env: Record<string, string> = {}, cwd = folder) =>
    spawn(process.execPath, [join(folder, withServer ? 'cli.js' : 'cli.mjs'), ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, AGENT_CONSOLE_HOME: join(folder, 'home'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
    });
  return {
    folder,
    start,
    run: (args, env, stdin = '') => {
      const child = start(args, env);
      child.stdin?.end(stdin);
      let out = '';
      let err = '';
      child.stdout?.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr?.on('data', (chunk) => {
        err += chunk;
      });
      return new Promise((done) => child.on('close', (code) => done({ code, out, err })));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

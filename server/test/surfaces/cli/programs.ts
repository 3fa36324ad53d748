import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const DIST = resolve(import.meta.dirname, '../../../dist');
const source = (path: string) => resolve(import.meta.dirname, '../../../src', path);

export interface Programs {
  /** The temporary HOME. */
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

/** The built programs, with their own HOME and data directory. */
export async function openPrograms(): Promise<Programs> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-console-cli-'));
  return programsIn(folder, join(DIST, 'cli.js'));
}

/** The CLI and the runner, with `fixture-server.ts` in place of the server. */
export async function openFixturePrograms(): Promise<Programs> {
  // The folder is inside the repository, so that the bundled programs find the packages that cannot be bundled.
  const folder = await mkdtemp(join(resolve(import.meta.dirname, '../../..'), '.test-cli-'));
  await build({
    absWorkingDir: resolve(import.meta.dirname, '../../..'),
    entryPoints: {
      cli: source('surfaces/cli/main.ts'),
      runner: source('runner/program/main.ts'),
      server: fileURLToPath(new URL('./fixture-server.ts', import.meta.url)),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    loader: { '.yaml': 'text' },
    external: ['node-pty', 'libsql'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return programsIn(folder, join(folder, 'cli.js'));
}

function programsIn(folder: string, cli: string): Programs {
  const start = (args: string[], env: Record<string, string> = {}, cwd = folder) =>
    spawn(process.execPath, [cli, ...args], {
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

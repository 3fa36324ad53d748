import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { ProcessExit, SpawnSpec } from '../../src/ports/runner.ts';
import { connectRunner, type LocalRunner } from '../../src/runner/client.ts';
import { ensureRunner, findRunner } from '../../src/runner/supervisor.ts';

const serverFolder = fileURLToPath(new URL('../..', import.meta.url));

export interface TestRunner {
  /** Path of the runner program. Its folder also has the modules that servers under the runner import. */
  program: string;
  /**
   * Creates a data directory. After the last test of the file, stops the runner in this directory and deletes the
   * directory.
   */
  newHome(): string;
  /** Starts a runner in a data directory of its own. */
  start(programArgs?: string[]): Promise<{ home: string; runner: LocalRunner }>;
  /** A runner that the tests of a file can share. Each test must use only workers that it has started itself. */
  shared(): Promise<{ home: string; runner: LocalRunner }>;
}

/** Bundles the runner program once for a test file, in the folder of the server, so that node-pty is found. */
export function useRunner(): TestRunner {
  const folder = fs.mkdtempSync(path.join(serverFolder, '.test-runner-'));
  const program = path.join(folder, 'runner.mjs');
  const homes: string[] = [];
  beforeAll(async () => {
    await build({
      absWorkingDir: serverFolder,
      entryPoints: {
        runner: 'src/runner/program/main.ts',
        inherited: 'src/runner/inherited.ts',
        capabilities: 'src/runner/capabilities.ts',
        errors: '../shared/src/errors.ts',
      },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: ['node-pty'],
      logLevel: 'warning',
    });
  });
  afterAll(async () => {
    for (const home of homes) {
      await (await findRunner(home))?.stopAll();
      fs.rmSync(home, { recursive: true, force: true });
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const newHome = () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-runner-'));
    homes.push(home);
    return home;
  };
  async function start(programArgs: string[] = []) {
    const home = newHome();
    (await ensureRunner({ home, program, programArgs })).close();
    return { home, runner: await connectRunner({ home }) };
  }
  let running: ReturnType<typeof start> | undefined;
  return {
    program,
    newHome,
    start,
    shared() {
      running ??= start();
      return running;
    },
  };
}

let lastWorker = 0;

/** Returns the specification of a terminal process with a minimal environment and a new worker id. */
export function terminal(file: string, args: string[], more: Partial<SpawnSpec> = {}): SpawnSpec {
  lastWorker += 1;
  return {
    workerId: `worker-${process.pid}-${lastWorker}`,
    mode: 'pty',
    file,
    args,
    cwd: os.tmpdir(),
    env: { PATH: process.env.PATH ?? '', HOME: os.tmpdir(), TERM: 'xterm-256color' },
    cols: 80,
    rows: 24,
    ...more,
  };
}

export const shell = (script: string, more: Partial<SpawnSpec> = {}) => terminal('sh', ['-c', script], more);
/** Returns the specification of a Node program, whose text is passed as an argument, without a shell. */
export const script = (text: string, more: Partial<SpawnSpec> = {}) => terminal(process.execPath, ['-e', text], more);

/** Callback for errors of a subscription that must not fail. Throws the error, so that the test run fails. */
export const neverFails = (error: unknown): never => {
  throw error;
};

export interface Followed {
  exit: Promise<ProcessExit>;
  bytes(): number;
  hash(): string;
  text(): string;
  close(): void;
}

/**
 * Reads the output of a worker, checks that it has no gaps or duplicates, and hashes it. Keeps about the first 64 kB as
 * text.
 */
export function follow(runner: LocalRunner, workerId: string, fromOffset = 0, acks = true): Followed {
  const hash = createHash('sha256');
  let next = fromOffset;
  let text = '';
  let close: () => void = () => undefined;
  const exit = new Promise<ProcessExit>((resolve, reject) => {
    const subscription = runner.subscribe(workerId, fromOffset, {
      onData({ offset, data }) {
        if (offset !== next) reject(new Error(`expected offset ${next}, got ${offset}`));
        next = offset + data.length;
        hash.update(data);
        if (text.length < 65_536) text += data.toString('latin1');
        if (acks) subscription.ack(next);
      },
      onResized: () => undefined,
      onExit: resolve,
      onFailed: reject,
    });
    close = () => subscription.close();
  });
  return { exit, bytes: () => next - fromOffset, hash: () => hash.copy().digest('hex'), text: () => text, close };
}

export const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

/** Returns the output of `seq 1 last` in a terminal, which writes each newline as CR LF. */
export function seqOutput(last: number): Buffer {
  const text = execFileSync('seq', ['1', String(last)], { encoding: 'latin1', maxBuffer: Number.POSITIVE_INFINITY });
  return Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1');
}

/** Calls `act` `count` times, with at most `width` calls at a time. */
export async function inParallel<T>(count: number, width: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await act(index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

export const isAlive = (pid: number): boolean => {
  try {
    // A zombie still accepts signals, but counts as dead.
    return fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.startsWith('Z') === false;
  } catch {
    return false;
  }
};

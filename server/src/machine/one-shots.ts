import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { ONE_SHOT_OUTPUT_MAX_BYTES, ONE_SHOTS_MAX } from '@agent-console/shared/limits/agents';
import type { Git } from '../ports/git.ts';
import type { OneShotEnd, OneShots } from '../ports/one-shots.ts';
import { endRecorded, type ProcessReader, recordProcess } from './recorded-process.ts';

const OWNER = 'process.json';

/**
 * Creates the adapter for one-shot agents: processes that print one answer and end. Each runs in its own folder in
 * `<home>/scratch`. The folder also contains the pid, so that a restarted server can end the process.
 */
export function createOneShots(options: {
  home: string;
  processes: ProcessReader;
  git: Pick<Git, 'createRepository'>;
}): OneShots {
  const { processes, git } = options;
  const root = join(options.home, 'scratch');
  let running = 0;

  async function makeFolder(): Promise<{ folder: string; cwd: string }> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(await realpath(root), 'place-'));
    const cwd = join(folder, 'work');
    await mkdir(cwd, { mode: 0o700 });
    return { folder, cwd };
  }

  /** Deletes a folder with retries, because processes that are ending may still write to it. */
  function remove(folder: string): Promise<void> {
    return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  async function runIn(spec: Parameters<OneShots['run']>[0]): Promise<OneShotEnd> {
    const { folder, cwd } = await makeFolder();
    try {
      const child = spawn(spec.file, [...spec.args], {
        cwd,
        env: { ...spec.env },
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const { pid } = child;
      if (pid !== undefined) {
        try {
          recordProcess(processes, join(folder, OWNER), pid);
        } catch (error) {
          endGroup(child);
          throw error;
        }
      }
      return await collectAnswer(child, spec);
    } finally {
      await remove(folder).catch(() => undefined);
    }
  }

  return {
    async run(spec) {
      if (running >= ONE_SHOTS_MAX) {
        throw new ConsoleError(
          'BUSY',
          `${ONE_SHOTS_MAX} agents are already answering prompts in the background. Try again later.`,
          {},
        );
      }
      running += 1;
      try {
        return await runIn(spec);
      } finally {
        running -= 1;
      }
    },
    async makeRepository() {
      const { folder, cwd } = await makeFolder();
      try {
        await git.createRepository(cwd);
        return cwd;
      } catch (error) {
        await remove(folder).catch(() => undefined);
        const message =
          'The temporary git repository for the agent check could not be created. Run `agent-console doctor` to find out why.';
        throw new ConsoleError('GIT_FAILED', message, {}, { cause: error });
      }
    },
    removeRepository: (path) => remove(dirname(path)),
    folder: () => realpath(root).catch(() => root),
    async sweep() {
      const names = await readdir(root).catch(() => []);
      for (const name of names) {
        await endRecorded(processes, join(root, name, OWNER), 0).catch(() => undefined);
        await remove(join(root, name));
      }
    },
  };
}

function collectAnswer(
  child: ChildProcess,
  { limitMs, signal }: Pick<Parameters<OneShots['run']>[0], 'limitMs' | 'signal'>,
): Promise<OneShotEnd> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let ended: OneShotEnd['ended'] = null;
    const end = (why: NonNullable<OneShotEnd['ended']>) => {
      ended ??= why;
      endGroup(child);
    };
    const limit = setTimeout(() => end('timeout'), limitMs);
    const stop = () => end('stopped');
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const release = () => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', stop);
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      if (bytes < ONE_SHOT_OUTPUT_MAX_BYTES) chunks.push(chunk.subarray(0, ONE_SHOT_OUTPUT_MAX_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > ONE_SHOT_OUTPUT_MAX_BYTES) end('flood');
    });
    const finish = (exitCode: number | null) => {
      release();
      // Ends processes that the one-shot agent left running.
      endGroup(child);
      child.stdout?.destroy();
      resolve({ stdout: Buffer.concat(chunks).toString('utf8'), exitCode, ended });
    };
    child.on('error', (cause) => {
      release();
      reject(
        new ConsoleError(
          'AGENT_UNAVAILABLE',
          "The agent's executable could not be started. Check the agent's command.",
          {},
          { cause },
        ),
      );
    });
    // Waits at most PIPE_MS for the rest of the output, because a background process that keeps the pipe open must not
    // delay the answer.
    child.on('exit', (exitCode) => {
      const pipeTimer = setTimeout(() => finish(exitCode), PIPE_MS);
      child.on('close', () => {
        clearTimeout(pipeTimer);
        finish(exitCode);
      });
    });
  });
}

/**
 * Maximum time in milliseconds to wait for the rest of a one-shot agent's output after its first process has exited.
 */
const PIPE_MS = 500;

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The error is ignored, because it means that the process group has already ended.
  }
}

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { GIT_LOCAL_LIMIT_MS } from '@agent-console/shared/limits/git';
import {
  SCRIPTED_GIT_LOCK_MS,
  SCRIPTED_GIT_OUTPUT_BYTES,
  SCRIPTED_RESULT_MAX_CHARS,
} from '@agent-console/shared/limits/scripted-agent';

/** Author of commits when no git identity is configured. */
const IDENTITY = { 'user.name': 'Scripted Agent', 'user.email': 'scripted-agent@localhost' };
const UNSIGNED = ['-c', 'commit.gpgSign=false'];
const LOCK_RETRY_MS = 200;
/** Exit code of git when it stops with `fatal:`, for example without an identity. */
const GIT_FATAL = 128;

interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs git and returns its exit code and output, whether it succeeded or not. `env` is the whole environment of git.
 * @throws an Error if git cannot be started (`code` is ENOENT if it is not installed), and if it is stopped by the
 * signal or a limit of its time or output (`killed` is true)
 */
export type RunGit = (
  args: readonly string[],
  options: { cwd: string; env: Environment; signal: AbortSignal },
) => Promise<GitResult>;

export interface Git {
  /**
   * Commits everything in the working tree, or only `path`. Returns the short hash, or null if there is nothing to
   * commit.
   * @throws git's errors. `isOutsideRepository` recognizes the error for a folder outside all repositories.
   */
  commit(message: string, path?: string): Promise<string | null>;
  /**
   * Merges a branch and returns the first line of git's output. If there is a conflict, undoes the merge and throws an
   * Error that names the files.
   */
  merge(branch: string): Promise<string>;
}

/** Whether git could not commit because the folder is not in a repository. */
export function isOutsideRepository(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('git add: not a git repository');
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs git in one folder, ignoring GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE. Failures are Errors with git's own
 * message.
 */
export function openGit(runGit: RunGit, cwd: string, given: Environment, signal: AbortSignal): Git {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...inherited } = given;
  const env: Environment = { ...inherited, GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', LC_ALL: 'C' };
  const run = async (args: string[]): Promise<GitResult> => {
    for (let waited = 0; ; waited += LOCK_RETRY_MS) {
      const result = await runGit(args, { cwd, env, signal }).catch((cause: Error) => {
        throw signal.aborted ? signal.reason : new Error(failure(cause), { cause });
      });
      const locked = result.code !== 0 && /Unable to create '.*\.lock': File exists/.test(result.stderr);
      if (!locked || waited >= SCRIPTED_GIT_LOCK_MS) return result;
      await sleep(LOCK_RETRY_MS, undefined, { signal });
    }
  };
  const runOrThrow = async (args: string[]): Promise<string> => {
    const result = await run(args);
    if (result.code !== 0)
      throw new Error(`git ${args.find((arg) => /^[a-z][a-z-]+$/.test(arg))}: ${messageOf(result)}`);
    return result.stdout.trim();
  };

  /** Returns `-c` settings for a command that commits: no signing, and an identity if none is configured. */
  const commitSettings = async (): Promise<string[]> => {
    const settings = [...UNSIGNED];
    for (const [name, value] of Object.entries(IDENTITY)) {
      const known = (await run(['config', '--get', name])).stdout.trim() !== '';
      if (!known && !(name === 'user.email' && env.EMAIL)) settings.push('-c', `${name}=${value}`);
    }
    return settings;
  };

  const isMerging = async () => (await run(['rev-parse', '--quiet', '--verify', 'MERGE_HEAD'])).code === 0;

  return {
    async commit(message, path) {
      const only = path === undefined ? [] : ['--', path];
      const commit = (settings: string[]) => run([...settings, 'commit', `--message=${message}`, ...only]);
      await runOrThrow(path === undefined ? ['add', '--all'] : ['add', ...only]);
      // Usually an identity is configured. If not, this setting makes git fail instead of guessing an identity.
      let result = await commit([...UNSIGNED, '-c', 'user.useConfigOnly=true']);
      if (result.code !== 0) {
        if ((await run(['diff', '--cached', '--quiet', ...only])).code === 0) return null;
        if (result.code === GIT_FATAL) result = await commit(await commitSettings());
        if (result.code !== 0) throw new Error(`git commit: ${messageOf(result)}`);
      }
      return committedHash(result.stdout);
    },
    async merge(branch) {
      if (await isMerging()) throw new Error('git merge: another merge is in progress; commit or abort it first');
      const result = await run([...(await commitSettings()), 'merge', '--no-edit', '--no-stat', '--', branch]);
      if (result.code === 0) return result.stdout.split('\n')[0] ?? '';
      if (!(await isMerging())) throw new Error(`git merge: ${messageOf(result)}`);
      const files = await runOrThrow(['diff', '--name-only', '--diff-filter=U']);
      await runOrThrow(['merge', '--abort']);
      throw new Error(`git merge: ${branch} conflicts in ${files.split('\n').join(', ')}; the merge was undone`);
    },
  };
}

/** Returns the short hash from the output of `git commit`, whose first line is `[<branch> <hash>] <subject>`. */
function committedHash(output: string): string {
  const [, hash] = /^\[.*? ([0-9a-f]+)\] /m.exec(output) ?? [];
  if (hash === undefined) throw new Error(`git commit: unexpected output: ${output}`);
  return hash;
}

function messageOf(result: GitResult): string {
  const text = (result.stderr.trim() || result.stdout.trim() || `exit status ${result.code}`).replace(/^fatal: /, '');
  return text.slice(0, SCRIPTED_RESULT_MAX_CHARS);
}

/** Runs git as a child of this process. */
export const runGit: RunGit = (args, { signal, ...given }) => {
  const options = { ...given, signal, timeout: GIT_LOCAL_LIMIT_MS, maxBuffer: SCRIPTED_GIT_OUTPUT_BYTES };
  return new Promise((resolve, reject) => {
    execFile('git', [...args], options, (error, stdout, stderr) => {
      if (!error) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
      else reject(error);
    }).stdin?.end();
  });
};

/** Returns the reason why git could not be started, or ended without an exit status. */
function failure(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.code === 'ENOENT') return 'git is not installed, or not in PATH';
  return error.killed
    ? `git was stopped: it took longer than ${GIT_LOCAL_LIMIT_MS / 1_000} s or printed too much`
    : error.message;
}

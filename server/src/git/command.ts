import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_ATTEMPTS_MAX, GIT_LOCAL_LIMIT_MS, GIT_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/git';
import { gitEnvironment, SETTINGS } from './environment.ts';
import { aborted, gitFailed, gitNotStarted, isTransient, stderrOf } from './failure.ts';
import { processMark } from './leftover.ts';
import {
  type FilterUse,
  mayNamePrograms,
  NO_OVERRIDES,
  type Overrides,
  overridesOf,
  parseConfiguration,
} from './local-settings.ts';
import type { ProcessEnd, ProcessSpec, RunProcess } from './process.ts';

export interface RunOptions {
  cwd: string;
  /** Time limit in milliseconds. Default: GIT_LOCAL_LIMIT_MS. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Variables to add to the environment, for example a private GIT_INDEX_FILE. */
  env?: Record<string, string>;
  /** Settings to pass to git, in the form `<key>=<value>`. */
  settings?: readonly string[];
  /** `write` if the command writes files of the worktree, for which git runs smudge filters. Default: `read`. */
  filters?: FilterUse;
  input?: Buffer | string;
  /** Exit codes that count as success. Default: 0. */
  okCodes?: readonly number[];
  /** Receives the output. The output is then not returned, and the command is not retried after a lock conflict. */
  onStdout?: (chunk: Buffer) => Promise<void> | void | 'stop';
  onStderr?: (text: string) => void;
}

interface LineOptions extends Pick<RunOptions, 'cwd' | 'env' | 'settings' | 'filters'> {
  /** Folder of the hooks to run. No hooks run if it is null or undefined. */
  hooksPath?: string | null;
}

/**
 * Returns the command line of a git command that another process runs. The command does not start programs that only
 * the repository's own configuration names.
 */
export type GitLine = (
  args: readonly string[],
  options: LineOptions,
) => Promise<{ file: string; args: string[]; env: Record<string, string> }>;

export interface GitOutput {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/**
 * Runs git. Output is bytes, since file names and contents need not be UTF-8. A command that fails because another git
 * process holds a lock is retried, unless `onStdout` is set. Programs named only in the repository's own configuration
 * are not started.
 * @throws ConsoleError GIT_FAILED, NOT_FOUND (the folder is gone), TOO_LARGE or TIMEOUT; or the reason of an abort, if
 * that is a ConsoleError.
 */
export type RunGit = (args: readonly string[], options: RunOptions) => Promise<GitOutput>;

/**
 * Creates the function that runs every git command. Only the variables of `own` that git needs are passed to git.
 * Commands with the option `filters: 'write'` get the mark of `viewsDir`, so that `endLeftovers` finds them.
 */
export function createRunGit(own: NodeJS.ProcessEnv, runProcess: RunProcess, viewsDir: string): RunGit {
  const git = { environment: gitEnvironment(own), runProcess, mark: processMark(viewsDir) };
  return async (args, options) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(git, args, options);
      } catch (error) {
        const last = attempt >= GIT_ATTEMPTS_MAX || options.onStdout !== undefined;
        if (last || options.signal?.aborted || !isTransient(stderrOf(error))) throw error;
        // Half of each delay is random, so that two colliding processes do not retry at the same time.
        await delay(2 ** attempt * (5 + 5 * Math.random()));
      }
    }
  };
}

/** Returns the subcommand for error messages, such as `worktree add`, without arguments. */
function commandName(args: readonly string[]): string {
  const hasSubcommand = ['worktree', 'remote'].includes(args[0] ?? '');
  return args.slice(0, hasSubcommand ? 2 : 1).join(' ');
}

interface GitProgram {
  environment: Record<string, string>;
  runProcess: RunProcess;
}

async function runOnce(
  git: GitProgram & { mark: string },
  args: readonly string[],
  options: RunOptions,
): Promise<GitOutput> {
  const command = commandName(args);
  if (options.signal?.aborted) throw aborted(options.signal, command);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= GIT_OUTPUT_MAX_BYTES) chunks.push(chunk);
    return bytes <= GIT_OUTPUT_MAX_BYTES ? undefined : 'stop';
  };
  const timeoutMs = options.timeoutMs ?? GIT_LOCAL_LIMIT_MS;
  const overrides = await overridesFor(git, options);
  const settings = [...(options.filters === 'write' ? [git.mark] : []), ...(options.settings ?? [])];
  const end = await start(git, command, options.cwd, {
    ...lineOf(git.environment, overrides, args, { ...options, settings, hooksPath: null }),
    timeoutMs,
    signal: options.signal,
    input: options.input,
    onStdout: options.onStdout ?? collect,
    onStderr: options.onStderr,
  });
  if (bytes > GIT_OUTPUT_MAX_BYTES) throw tooLarge(command);
  const { stderr } = end;
  const exitCode = end.ended === 'stopped' ? 0 : end.exitCode;
  if (exitCode === null || !(options.okCodes ?? [0]).includes(exitCode)) {
    throw gitFailed({ command, exitCode, stderr, unused: overrides.unused });
  }
  return { exitCode, stdout: Buffer.concat(chunks), stderr };
}

function lineOf(
  environment: Record<string, string>,
  overrides: Overrides,
  [name = '', ...rest]: readonly string[],
  { settings = [], env, hooksPath }: LineOptions,
): { args: string[]; env: Record<string, string> } {
  const hooks = `core.hooksPath=${hooksPath ?? '/dev/null'}`;
  const all = [hooks, ...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]);
  const options = name === 'fetch' ? overrides.fetchOptions : name === 'push' ? overrides.pushOptions : [];
  return {
    args: [...all, name, ...options, ...rest],
    env: { ...environment, ...settingsEnvironment(overrides), ...env },
  };
}

/**
 * Creates a function that returns the command line of a git command. A worker's process, not the console, runs this
 * command.
 */
export function createGitLine(own: NodeJS.ProcessEnv, runProcess: RunProcess): GitLine {
  const environment = gitEnvironment(own);
  return async (args, options) => {
    const overrides = await overridesFor({ environment, runProcess }, options);
    return { file: 'git', ...lineOf(environment, overrides, args, options) };
  };
}

/**
 * Runs a git process. @throws NOT_FOUND or GIT_FAILED if git could not be started, TIMEOUT, or the reason of an abort.
 */
async function start(
  { runProcess }: Pick<GitProgram, 'runProcess'>,
  command: string,
  cwd: string,
  spec: Omit<ProcessSpec, 'file' | 'cwd'>,
): Promise<ProcessEnd> {
  const end = await runProcess({ file: 'git', cwd, ...spec }).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall?.startsWith('spawn') ? gitNotStarted(cwd, error) : error;
  });
  if (end.ended === 'timeout') throw timedOut(command, spec.timeoutMs);
  if (end.ended === 'aborted' && spec.signal !== undefined) throw aborted(spec.signal, command);
  return end;
}

/** Returns settings that prevent a repository's own configuration from starting programs. */
async function overridesFor(
  git: GitProgram,
  options: Pick<RunOptions, 'cwd' | 'env' | 'filters' | 'signal'>,
): Promise<Overrides> {
  const { cwd, env = {}, filters = 'read' } = options;
  if (!(await mayNamePrograms(cwd, env.GIT_DIR))) return NO_OVERRIDES;
  const chunks: Buffer[] = [];
  const { exitCode, stderr } = await start(git, 'config', cwd, {
    args: ['config', '--list', '--includes', '--show-scope', '-z'],
    env: { ...git.environment, ...env },
    timeoutMs: GIT_LOCAL_LIMIT_MS,
    signal: options.signal,
    onStdout: (chunk) => void chunks.push(chunk),
  });
  if (exitCode !== 0) throw gitFailed({ command: 'config', exitCode, stderr });
  return overridesOf(parseConfiguration(Buffer.concat(chunks).toString()), filters);
}

/** Passes settings in environment variables, because `-c <key>=<value>` cannot express a key that contains `=`. */
function settingsEnvironment({ settings, env }: Overrides): Record<string, string> {
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  const count = settings.length === 0 ? {} : { GIT_CONFIG_COUNT: String(settings.length) };
  return { ...env, ...count, ...(Object.fromEntries(entries) as Record<string, string>) };
}

function timedOut(command: string, milliseconds: number): ConsoleError {
  const message = `git ${command} timed out after ${Math.round(milliseconds / 1000)} s. Try again when the disk or network is less busy.`;
  return new ConsoleError('TIMEOUT', message, { command });
}

function tooLarge(command: string): ConsoleError {
  const message = `git ${command} printed more than ${GIT_OUTPUT_MAX_BYTES} bytes, the server's limit. Run the command in a terminal instead.`;
  return new ConsoleError('TOO_LARGE', message, { command });
}

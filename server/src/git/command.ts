import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_ATTEMPTS_MAX, GIT_LOCAL_LIMIT_MS, GIT_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/git';
import { simpleGit } from 'simple-git';
import { fullEnvironment, readEnvironment, SETTINGS } from './environment.ts';
import { aborted, gitFailed, gitNotStarted, isTransient, stderrOf } from './failure.ts';
import {
  type FilterUse,
  mayNamePrograms,
  NO_OVERRIDES,
  type Overrides,
  overridesOf,
  parseConfiguration,
} from './local-settings.ts';
import { runProcess } from './process.ts';

export interface RunOptions {
  cwd: string;
  /** Milliseconds; GIT_LOCAL_LIMIT_MS unless told. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Added to the environment, e.g. a GIT_INDEX_FILE of its own. */
  env?: Record<string, string>;
  /** Further `-c` settings. */
  settings?: readonly string[];
  /** Whether the command writes files that filters are for; `read` unless told. */
  filters?: FilterUse;
  input?: Buffer | string;
  /** Exit codes that are answers, not failures; 0 unless told. */
  okCodes?: readonly number[];
  /** Gets the output instead of the answer; such a command is not repeated after a lock conflict. */
  onStdout?: (chunk: Buffer) => Promise<void> | void | 'stop';
  onStderr?: (text: string) => void;
}

export interface RunAnswer {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

export interface Commands {
  /**
   * Runs git as a child process: for what is silent, fast, large, or not text. A command that meets another git's
   * lock is repeated up to GIT_ATTEMPTS_MAX times. It starts no program that only the repository's configuration names.
   * @throws ConsoleError GIT_FAILED, NOT_FOUND (the folder is gone), TOO_LARGE or TIMEOUT.
   */
  run(args: readonly string[], options: RunOptions): Promise<RunAnswer>;
  /**
   * Asks git a question whose answer is text, through simple-git. Not for commands that may print nothing (it waits
   * 50 ms for more) or that start programs of their own (it ends git alone). Errors as for `run`.
   */
  read(cwd: string, args: readonly string[]): Promise<string>;
}

/** The two ways to run git, with the environment `own` cut down to what git needs. */
export function createCommands(own: NodeJS.ProcessEnv): Commands {
  const full = fullEnvironment(own);
  const reading = readEnvironment(own);
  return {
    run: (args, options) => repeatWhileLocked(() => runOnce(full, args, options), options),
    read: (cwd, args) => repeatWhileLocked(() => readOnce(reading, cwd, args), {}),
  };
}

/** The words that name a command in an error: `worktree add`, never its arguments. */
function nameOf(args: readonly string[]): string {
  const two = ['worktree', 'remote'].includes(args[0] ?? '');
  return args.slice(0, two ? 2 : 1).join(' ');
}

async function repeatWhileLocked<T>(attempt: () => Promise<T>, options: Partial<RunOptions>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const last = count >= GIT_ATTEMPTS_MAX || options.onStdout !== undefined;
      if (last || options.signal?.aborted || !isTransient(stderrOf(error))) throw error;
      // Half of each wait is random, so that two which met do not meet again.
      await delay(2 ** count * (5 + 5 * Math.random()));
    }
  }
}

async function runOnce(
  environment: Record<string, string>,
  args: readonly string[],
  options: RunOptions,
): Promise<RunAnswer> {
  const command = nameOf(args);
  if (options.signal?.aborted) throw aborted(options.signal, command);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= GIT_OUTPUT_MAX_BYTES) chunks.push(chunk);
    return bytes <= GIT_OUTPUT_MAX_BYTES ? undefined : 'stop';
  };
  const timeoutMs = options.timeoutMs ?? GIT_LOCAL_LIMIT_MS;
  const overrides = await overridesFor(environment, options);
  const [name = '', ...rest] = args;
  const end = await start(options.cwd, {
    args: [
      ...[...SETTINGS, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]),
      name,
      ...(name === 'fetch' ? overrides.fetchOptions : []),
      ...rest,
    ],
    env: { ...environment, ...settingsEnvironment(overrides), ...options.env },
    timeoutMs,
    signal: options.signal,
    input: options.input,
    onStdout: options.onStdout ?? collect,
    onStderr: options.onStderr,
  });
  if (end.ended === 'timeout') throw tookTooLong(command, timeoutMs);
  if (end.ended === 'aborted' && options.signal !== undefined) throw aborted(options.signal, command);
  if (bytes > GIT_OUTPUT_MAX_BYTES) throw tooLarge(command);
  const { stderr } = end;
  const exitCode = end.ended === 'stopped' ? 0 : end.exitCode;
  if (exitCode === null || !(options.okCodes ?? [0]).includes(exitCode)) {
    throw gitFailed({ command, cwd: options.cwd, exitCode, stderr, unused: overrides.unused });
  }
  return { exitCode, stdout: Buffer.concat(chunks), stderr };
}

async function start(cwd: string, spec: Omit<Parameters<typeof runProcess>[0], 'file' | 'cwd'>) {
  try {
    return await runProcess({ file: 'git', cwd, ...spec });
  } catch (error) {
    const notStarted = (error as NodeJS.ErrnoException).syscall?.startsWith('spawn') === true;
    throw error instanceof ConsoleError || !notStarted ? error : gitNotStarted(cwd, error);
  }
}

/** What holds in place of settings by which the repository's own configuration would have git start programs. */
async function overridesFor(environment: Record<string, string>, options: RunOptions): Promise<Overrides> {
  const { cwd, env = {}, filters = 'read' } = options;
  if (!(await mayNamePrograms(cwd, env.GIT_DIR))) return NO_OVERRIDES;
  const chunks: Buffer[] = [];
  const end = await start(cwd, {
    args: ['config', '--list', '--includes', '--show-scope', '-z'],
    env: { ...environment, ...env },
    timeoutMs: GIT_LOCAL_LIMIT_MS,
    signal: options.signal,
    input: undefined,
    onStdout: (chunk) => void chunks.push(chunk),
    onStderr: undefined,
  });
  if (end.ended === 'timeout') throw tookTooLong('config', GIT_LOCAL_LIMIT_MS);
  if (end.ended === 'aborted' && options.signal !== undefined) throw aborted(options.signal, 'config');
  if (end.ended !== undefined || end.exitCode !== 0) {
    throw gitFailed({ command: 'config', cwd, exitCode: end.exitCode, stderr: end.stderr });
  }
  return overridesOf(parseConfiguration(Buffer.concat(chunks).toString()), filters);
}

/** Settings as git takes them from its environment, where a key may hold anything. */
function settingsEnvironment({ settings, env }: Overrides): Record<string, string> {
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  const count = settings.length === 0 ? {} : { GIT_CONFIG_COUNT: String(settings.length) };
  return { ...env, ...count, ...(Object.fromEntries(entries) as Record<string, string>) };
}

async function readOnce(environment: Record<string, string>, cwd: string, args: readonly string[]): Promise<string> {
  const command = nameOf(args);
  const overflow = new AbortController();
  let bytes = 0;
  let failed: { exitCode: number; stderr: string } | undefined;
  try {
    const git = simpleGit({
      baseDir: cwd,
      config: [...SETTINGS],
      // Without this an answer may be cut off 50 ms after the exit.
      completion: { onClose: true, onExit: false },
      timeout: { block: GIT_LOCAL_LIMIT_MS, stdOut: false, stdErr: false },
      abort: overflow.signal,
      allowEnvironment: Object.keys(environment),
      unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true, allowUnsafeProtocolOverride: true },
      errors: (error, result) => {
        if (result.exitCode !== 0) {
          failed = { exitCode: result.exitCode, stderr: Buffer.concat(result.stdErr).toString() };
        }
        return error ?? (failed === undefined ? undefined : new Error(failed.stderr));
      },
    });
    git.env(environment).outputHandler((_command, stdout) => {
      stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > GIT_OUTPUT_MAX_BYTES) overflow.abort();
      });
    });
    return await git.raw([...args]);
  } catch (error) {
    if (overflow.signal.aborted) throw tooLarge(command);
    if ((error as { plugin?: unknown }).plugin === 'timeout') throw tookTooLong(command, GIT_LOCAL_LIMIT_MS);
    if (failed === undefined) throw gitNotStarted(cwd, error);
    if (/ENOENT/.test(failed.stderr) && /spawn/.test(failed.stderr)) {
      throw gitNotStarted(cwd, Object.assign(new Error('spawn git ENOENT'), { code: 'ENOENT' }));
    }
    throw gitFailed({ command, cwd, ...failed });
  }
}

function tookTooLong(command: string, milliseconds: number): ConsoleError {
  const message = `git ${command} was ended after ${Math.round(milliseconds / 1000)} s. Try again when the disk or line is less busy.`;
  return new ConsoleError('TIMEOUT', message, { command });
}

function tooLarge(command: string): ConsoleError {
  const message = `git ${command} answered with more than ${GIT_OUTPUT_MAX_BYTES} bytes; ask for less.`;
  return new ConsoleError('TOO_LARGE', message, { command });
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const LIMIT_MS = 10_000;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;
/** Settings with which git starts neither hooks nor a file system monitor. */
const SETTINGS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

/**
 * Runs git for a command that works without a server. Variables that redirect git to another repository are removed:
 * git sets them for its hooks, and a hook may start the command.
 */
export async function runGit(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  cwd = '/',
): Promise<string> {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_CONFIG_'));
  const { stdout } = await promisify(execFile)('git', [...SETTINGS, ...args], {
    cwd,
    timeout: LIMIT_MS,
    maxBuffer: OUTPUT_MAX_BYTES,
    env: { ...Object.fromEntries(inherited), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
  });
  return stdout;
}

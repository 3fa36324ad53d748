import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Installation } from './finding.ts';

const LIMIT_MS = 10_000;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

/** Runs a read-only git command without the environment variables that would redirect it to another repository. */
export async function readGit(env: Installation['env'], args: readonly string[], cwd = '/'): Promise<string> {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_CONFIG_'));
  const { stdout } = await promisify(execFile)('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd,
    timeout: LIMIT_MS,
    maxBuffer: OUTPUT_MAX_BYTES,
    env: { ...Object.fromEntries(inherited), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
  });
  return stdout;
}

/** Whether git has a name and an email address for commits in this directory. */
export async function hasIdentity(env: Installation['env'], cwd?: string): Promise<boolean> {
  if (env.GIT_AUTHOR_EMAIL && env.GIT_COMMITTER_EMAIL) return true;
  const settings = await Promise.all(
    ['user.name', 'user.email'].map((name) => readGit(env, ['config', '--get', name], cwd).catch(() => '')),
  );
  return settings.every((value) => value.trim() !== '');
}

import { runGit } from '../git.ts';
import type { Installation } from './finding.ts';

/** Whether git has a name and an email address for commits in this directory. */
export async function hasIdentity(env: Installation['env'], cwd?: string): Promise<boolean> {
  if (env.GIT_AUTHOR_EMAIL && env.GIT_COMMITTER_EMAIL) return true;
  const settings = await Promise.all(
    ['user.name', 'user.email'].map((name) => runGit(env, ['config', '--get', name], cwd).catch(() => '')),
  );
  return settings.every((value) => value.trim() !== '');
}

import type { GitContext } from './context.ts';

/** Author of the first commit in repositories that the console creates. */
const IDENTITY = ['user.name=Agent Console', 'user.email=agent-console@localhost'];

/** Makes an empty folder a repository with one empty commit on `main`. */
export async function createRepository({ run }: GitContext, cwd: string): Promise<void> {
  await run(['init', '--quiet', '--template=', '--initial-branch=main'], { cwd });
  const commit = ['commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message=Begin'];
  await run(commit, { cwd, settings: IDENTITY });
}

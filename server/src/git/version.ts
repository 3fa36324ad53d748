import { ConsoleError } from '@agent-console/shared/errors';
import type { RunGit } from './command.ts';

/**
 * The oldest version of git with everything that the console needs: absolute paths from `rev-parse`, full commit ids
 * with `core.abbrev=no`, and the mark `prunable` in the output of `worktree list`.
 */
const GIT_VERSION_MIN = '2.31';

/**
 * Returns the version of the installed git.
 * @throws UNSUPPORTED when it is older than GIT_VERSION_MIN, GIT_FAILED when git is not installed.
 */
export async function checkGitVersion(run: RunGit): Promise<{ version: string }> {
  const printed = (await run(['version'], { cwd: '/' })).stdout.toString();
  const [, version = '', major = '0', minor = '0'] = /^git version ((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
  const [minMajor = 0, minMinor = 0] = GIT_VERSION_MIN.split('.').map(Number);
  if (Number(major) > minMajor || (Number(major) === minMajor && Number(minor) >= minMinor)) return { version };
  const found = version === '' ? `"${printed.trim()}"` : version;
  const message = `git ${found} is too old. Install git ${GIT_VERSION_MIN} or newer and start the server again.`;
  throw new ConsoleError('UNSUPPORTED', message, { version: found, required: GIT_VERSION_MIN });
}

import { ConsoleError } from '@agent-console/shared/errors';
import { type Commands, createCommands } from './command.ts';

/** The oldest git that has absolute `rev-parse` paths, full ids by `core.abbrev=no` and prunable worktrees in lists. */
const GIT_VERSION_MIN = '2.31';

/**
 * Says which git is installed.
 * @throws UNSUPPORTED when it is older than GIT_VERSION_MIN, GIT_FAILED when there is none.
 */
export async function checkGitVersion(env: NodeJS.ProcessEnv = process.env): Promise<{ version: string }> {
  return readGitVersion(createCommands(env));
}

/** `checkGitVersion` for an adapter that has its commands already. */
export async function readGitVersion(commands: Commands): Promise<{ version: string }> {
  const words = await commands.read('/', ['version']);
  const [, version = '', major = '0', minor = '0'] = /^git version ((\d+)\.(\d+)\S*)/.exec(words) ?? [];
  const [leastMajor = 0, leastMinor = 0] = GIT_VERSION_MIN.split('.').map(Number);
  if (Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)) return { version };
  const found = version === '' ? `"${words.trim()}"` : version;
  const message = `git ${found} is too old. Install git ${GIT_VERSION_MIN} or newer and start the server again.`;
  throw new ConsoleError('UNSUPPORTED', message, { version: found, required: GIT_VERSION_MIN });
}

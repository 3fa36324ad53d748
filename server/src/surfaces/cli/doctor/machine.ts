import { access, constants, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../config.ts';
import { runGit } from '../git.ts';
import { type Finding, type Installation, note, ok, problem } from './finding.ts';
import { hasIdentity } from './git.ts';

const NODE_MIN = [20, 19];
const GIT_MIN = [2, 31];

function atLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.match(/\d+/g)?.map(Number) ?? [];
  for (const [at, required] of minimum.entries()) {
    const part = parts[at] ?? 0;
    if (part !== required) return part > required;
  }
  return true;
}

/** Checks Node, platform, git, the build, HOME and /proc. */
export async function checkMachine({ env, programs }: Installation): Promise<Finding[]> {
  return (await Promise.all([node(), platform(), git(env), build(programs), userHome(), proc()])).flat();
}

function node(): Finding {
  const detail = `${process.version} (${NODE_MIN.join('.')} or newer required)`;
  return atLeast(process.versions.node, NODE_MIN)
    ? ok('node', detail)
    : problem('node', detail, `Install Node ${NODE_MIN.join('.')} or newer.`);
}

function platform(): Finding {
  const { platform: name, arch } = process;
  if (name === 'linux') return ok('platform', `linux ${arch}`);
  if (name === 'darwin') return note('platform', 'macOS is supported on a best-effort basis; callers need a token');
  return problem('platform', `${name} is not supported`, 'Use Linux, macOS or WSL 2.');
}

async function git(env: Installation['env']): Promise<Finding[]> {
  const minimum = GIT_MIN.join('.');
  let output: string;
  try {
    output = await runGit(env, ['--version']);
  } catch {
    return [problem('git', `no working git on PATH (minimum: ${minimum})`, `Install git ${minimum} or newer.`)];
  }
  const version = /\d+\.\d+(?:\.\d+)?/.exec(output)?.[0] ?? 'unknown';
  const detail = `${version} (minimum: ${minimum})`;
  const found = atLeast(version, GIT_MIN)
    ? ok('git', detail)
    : problem('git', detail, `Install git ${minimum} or newer.`);
  if (await hasIdentity(env)) return [found, ok('git identity', 'git has a name and an email address for commits')];
  return [
    found,
    note(
      'git identity',
      'git has no global name and email address; agents can only commit in repositories that set their own',
      'git config --global user.name "…" && git config --global user.email …',
    ),
  ];
}

async function build(programs: string): Promise<Finding> {
  const missing: string[] = [];
  for (const name of ['server.js', 'runner.js', 'scripted-agent.js', 'client/index.html', 'docs/index.html']) {
    await access(join(programs, name)).catch(() => missing.push(name));
  }
  if (missing.length === 0) return ok('build', VERSION);
  return problem('build', `missing: ${missing.join(', ')}`, 'npm run build');
}

async function userHome(): Promise<Finding> {
  const home = homedir();
  return access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => ok('HOME', `${home} is writable`),
    () =>
      problem(
        'HOME',
        `${home} is not writable; agents store their logins and conversations there`,
        'Set HOME to a writable directory before you start the console.',
      ),
  );
}

/**
 * Checks whether the server can identify callers through /proc, and whether the mount option hidepid hides the
 * arguments of processes from other users.
 */
async function proc(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const files = ['/proc/net/tcp', '/proc/self/environ', '/proc/self/stat'];
  const readable = await Promise.allSettled(files.map((path) => access(path, constants.R_OK)));
  const unreadable = files.filter((_, at) => readable[at]?.status === 'rejected');
  const identification =
    unreadable.length === 0
      ? ok('callers', 'callers are identified by their process')
      : problem(
          'callers',
          `callers are not identified by their process: cannot read ${unreadable.join(', ')}`,
          'Make /proc readable for this user, or start the console with AGENT_CONSOLE_AUTH=token.',
        );
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const hidden = /^\S+ \/proc proc \S*hidepid=(?:1|2|invisible|noaccess)/m.test(mounts);
  if (hidden) return [identification, ok('arguments', 'other users cannot see the arguments of your processes')];
  return [
    identification,
    note(
      'arguments',
      'other users of this machine can see the arguments of your processes, including prompts passed as arguments',
      'To hide prompts from other users, mount /proc with hidepid=2, or use agents that get prompts through their terminal.',
    ),
  ];
}

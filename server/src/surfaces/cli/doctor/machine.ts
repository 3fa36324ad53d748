import { access, constants, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../config.ts';
import { type Finding, note, ok, type Place, problem } from './finding.ts';
import { hasIdentity, readGit } from './git.ts';

const NODE_MIN = [20, 19];
const GIT_MIN = [2, 31];

function atLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.match(/\d+/g)?.map(Number) ?? [];
  for (const [at, least] of minimum.entries()) {
    const part = parts[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Node, platform, git, the build and HOME: what the console cannot start without. */
export async function examineMachine({ env, programs }: Place): Promise<Finding[]> {
  return (await Promise.all([node(), platform(), git(env), build(programs), userHome(), proc()])).flat();
}

function node(): Finding {
  const needed = `${process.version}; ${NODE_MIN.join('.')} or newer is needed`;
  return atLeast(process.versions.node, NODE_MIN)
    ? ok('node', needed)
    : problem('node', needed, 'Install a newer Node.');
}

function platform(): Finding {
  const { platform: name, arch } = process;
  if (name === 'linux') return ok('platform', `linux ${arch}`);
  if (name === 'darwin')
    return note('platform', 'macOS works as well as we could make it; callers are known by tokens only');
  return problem('platform', `${name} is not supported`, 'Use Linux, macOS or WSL 2.');
}

async function git(env: Place['env']): Promise<Finding[]> {
  const least = GIT_MIN.join('.');
  let words: string;
  try {
    words = await readGit(env, ['--version']);
  } catch {
    return [
      problem('git', `no git on the PATH answers; ${least} or newer is needed`, `Install git ${least} or newer.`),
    ];
  }
  const version = /\d+\.\d+(?:\.\d+)?/.exec(words)?.[0] ?? 'unknown';
  const detail = `${version}; ${least} or newer is needed`;
  const found = atLeast(version, GIT_MIN)
    ? ok('git', detail)
    : problem('git', detail, `Install git ${least} or newer.`);
  if (await hasIdentity(env)) return [found, ok('git identity', 'commits have an author')];
  return [
    found,
    note(
      'git identity',
      'git knows no name and address for you; agents cannot commit where a repository has none of its own',
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
    () => ok('HOME', `${home} can be written`),
    () =>
      problem(
        'HOME',
        `${home} cannot be written; agents keep their logins and conversations there`,
        'Set HOME to a folder of yours before you start the console.',
      ),
  );
}

/** Without /proc a caller's process cannot be found; without hidepid everybody sees arguments, prompts among them. */
async function proc(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const files = ['/proc/net/tcp', '/proc/self/environ', '/proc/self/stat'];
  const looks = await Promise.allSettled(files.map((path) => access(path, constants.R_OK)));
  const unreadable = files.filter((_, at) => looks[at]?.status === 'rejected');
  const recognised =
    unreadable.length === 0
      ? ok('callers', 'can be recognised by their process')
      : problem(
          'callers',
          `cannot be recognised by their process: ${unreadable.join(', ')} is not readable`,
          'Mount /proc for this user, or start with AGENT_CONSOLE_AUTH=token.',
        );
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const hidden = /^\S+ \/proc proc \S*hidepid=(?:1|2|invisible|noaccess)/m.test(mounts);
  if (hidden) return [recognised, ok('arguments', 'other users cannot see the arguments of your processes')];
  return [
    recognised,
    note(
      'arguments',
      'other users of this machine can see the arguments of your processes, so prompts that an agent takes as an argument',
      'Where that matters: mount /proc with hidepid=2, or use agents that are typed to.',
    ),
  ];
}

import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { homeOf, VERSION } from '../../config.ts';
import { findRunner } from '../../runner/supervisor.ts';
import type { ConsoleClient } from './client.ts';
import { print, toJson, toTable } from './output.ts';
import { baseUrlOf, clientAt, readServerFile } from './place.ts';

interface Finding {
  check: string;
  /** `note`: worth knowing, nothing to mend. */
  result: 'ok' | 'note' | 'problem';
  detail: string;
}

const NODE_MIN = [20, 19];
const GIT_MIN = [2, 31];
const GIT_LIMIT_MS = 10_000;

export function addDoctor(cli: Command, programs: string): void {
  cli
    .command('doctor')
    .description('Check this machine and this console; exit status 1 when something needs mending')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(process.env, programs);
      const asJson = json === true || cli.opts<{ json?: boolean }>().json === true;
      print(asJson ? toJson(findings) : toTable(['check', 'result', 'detail'], findings));
      if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1;
    });
}

async function examine(env: NodeJS.ProcessEnv, programs: string): Promise<Finding[]> {
  const home = homeOf(env);
  const checks = [node(), platform(), git(), build(programs), modes(home), running(env, home), proc()];
  return (await Promise.all(checks)).flat();
}

const finding = (check: string, good: boolean, detail: string): Finding => ({
  check,
  result: good ? 'ok' : 'problem',
  detail,
});
const note = (check: string, detail: string): Finding => ({ check, result: 'note', detail });

function atLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.match(/\d+/g)?.map(Number) ?? [];
  for (const [at, least] of minimum.entries()) {
    const part = parts[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

async function node(): Promise<Finding> {
  return finding(
    'node',
    atLeast(process.versions.node, NODE_MIN),
    `${process.version}; ${NODE_MIN.join('.')} or newer is needed`,
  );
}

async function platform(): Promise<Finding> {
  const { platform: name, arch } = process;
  if (name === 'linux') return finding('platform', true, `linux ${arch}`);
  if (name === 'darwin')
    return note('platform', 'macOS works as well as we could make it; callers are known by tokens only');
  return finding('platform', false, `${name} is not supported`);
}

async function git(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: GIT_LIMIT_MS });
    const version = /\d+\.\d+(?:\.\d+)?/.exec(stdout)?.[0] ?? 'unknown';
    return finding('git', atLeast(version, GIT_MIN), `${version}; ${GIT_MIN.join('.')} or newer is needed`);
  } catch {
    return finding('git', false, `no git on the PATH; ${GIT_MIN.join('.')} or newer is needed`);
  }
}

async function build(programs: string): Promise<Finding> {
  const missing: string[] = [];
  for (const name of ['server.js', 'runner.js', 'scripted-agent.js', 'client/index.html']) {
    await access(join(programs, name)).catch(() => missing.push(name));
  }
  return finding(
    'build',
    missing.length === 0,
    missing.length === 0 ? VERSION : `run \`npm run build\`; missing: ${missing.join(', ')}`,
  );
}

/** Others may read neither the data directory nor the files that say how to reach the console. */
async function modes(home: string): Promise<Finding> {
  const entries = await readdir(home).catch(() => undefined);
  if (entries === undefined) return note('data directory', `${home} does not exist yet`);
  const open: string[] = [];
  if (((await stat(home)).mode & 0o077) !== 0) open.push(home);
  for (const name of entries.filter((one) => /^(?:server\.json|runner\.json|cli-token|.*\.log|.*\.db.*)$/.test(one))) {
    const path = join(home, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(path);
  }
  return finding(
    'data directory',
    open.length === 0,
    open.length === 0 ? `${home} is private` : `others can enter; chmod go-rwx ${open.join(' ')}`,
  );
}

async function running(env: NodeJS.ProcessEnv, home: string): Promise<Finding[]> {
  try {
    const runner = await findRunner(home);
    if (runner === undefined) {
      const stale = await readServerFile(home);
      return [
        note('runner', stale === undefined ? 'not running' : 'not running (server.json is left over from a crash)'),
      ];
    }
    const status = await runner.status().finally(() => runner.close());
    const found = finding('runner', true, `pid ${status.pid}, ${status.workersAlive} workers alive`);
    if (status.server === null) return [found, note('server', 'not running; start it with `agent-console serve`')];
    const { hosts, port, pid, crashes } = status.server;
    const client = await clientAt(env, home, baseUrlOf(hosts, port));
    const { counts } = await client.call('system.status', {});
    const crashed = crashes === 0 ? '' : `, crashed ${crashes} times`;
    const server = finding('server', true, `pid ${pid}, port ${port}, ${counts.liveSessions} live sessions${crashed}`);
    return [found, server, await agents(client)];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return [finding('server', false, `${error.code}: ${error.message}`)];
  }
}

/** Without /proc a caller's process cannot be found; without hidepid everybody sees arguments, prompts among them. */
async function proc(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const readable = await Promise.all(
    ['/proc/net/tcp', '/proc/self/environ', '/proc/self/stat'].map((path) =>
      access(path, constants.R_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const hidden = /^\S+ \/proc proc \S*hidepid=(?:1|2|invisible|noaccess)/m.test(mounts);
  return [
    finding(
      '/proc',
      readable.every(Boolean),
      readable.every(Boolean) ? 'callers can be recognised by their process' : 'not readable: callers need tokens',
    ),
    ...(hidden ? [] : [note('arguments', 'other users can see the arguments of your processes, prompts among them')]),
  ];
}

async function agents(client: ConsoleClient): Promise<Finding> {
  const { data } = await client.call('agents.list', { limit: 500 });
  const missing = data
    .filter((agent) => !agent.installed)
    .map((agent) => `${agent.id} (${agent.command[0]} is not on PATH)`);
  const there = data.filter((agent) => agent.installed).map((agent) => agent.id);
  const detail = `installed: ${there.join(', ')}`;
  return missing.length === 0
    ? finding('agents', true, detail)
    : note('agents', `${detail}; missing: ${missing.join(', ')}`);
}

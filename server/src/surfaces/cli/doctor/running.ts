import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { readConfig, VERSION } from '../../../config.ts';
import { missingWith } from '../../../runner/capabilities.ts';
import { readStat } from '../../../runner/processes.ts';
import { findRunner } from '../../../runner/supervisor.ts';
import type { ConsoleClient } from '../client.ts';
import { baseUrlOf, clientAt, readServerFile } from '../place.ts';
import { type Finding, note, ok, type Place, problem, some } from './finding.ts';
import { examineDatabase, type Records } from './records.ts';

/** A process that ended a moment ago may still be recorded as running; after this it should not. */
const SETTLE_MS = 2_000;
const CONNECT_MS = 1_000;

/** The runner, the server and their workers: what runs, what was left over, and whether the records agree. */
export async function examineRunning(place: Place, records: Records | undefined): Promise<Finding[]> {
  const { env, home } = place;
  try {
    const runner = await findRunner(home);
    if (runner === undefined) {
      return [...(await leftovers(place)), ...asleep(records), ...(await ownPort(env))];
    }
    const status = await runner.status().finally(() => runner.close());
    const found = [
      status.version === VERSION
        ? ok('runner', `pid ${status.pid}, ${status.workersAlive} workers alive`)
        : note(
            'runner',
            `pid ${status.pid} is version ${status.version}, this is ${VERSION}; ${status.workersAlive} workers alive`,
            `They understand each other. ${REPLACE_RUNNER}`,
          ),
      ...abilities(runner.capabilities),
      ...(await ghosts(place, records)),
    ];
    if (status.server === null) {
      return [...found, note('server', 'not running', 'agent-console serve'), ...(await ownPort(env))];
    }
    const { hosts, port, pid, crashes } = status.server;
    const client = await clientAt(env, home, baseUrlOf(hosts, port));
    return [...found, ...(await server(client, { pid, port, crashes })), ...(await serverFile(home, pid))];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return [problem('runner', `${error.code}: ${error.message}`, mendFor(error))];
  }
}

const REPLACE_RUNNER =
  'Nothing needs doing, agents go on. For the new runner: `agent-console stop --all`, then `serve`, at a time when no agent is at work.';

/** What a runner of an earlier build cannot do; it stays for as long as its agents do. */
function abilities(capabilities: readonly string[]): Finding[] {
  const missing = missingWith(capabilities);
  if (missing.length === 0) return [];
  return [note('runner build', `an earlier build, so ${missing.join('; ')}`, REPLACE_RUNNER)];
}

function mendFor({ code }: ConsoleError): string {
  if (code === 'UNSUPPORTED') return 'Use the version that started it. Its agents go on meanwhile.';
  if (code === 'PERMISSION_DENIED' || code === 'TIMEOUT') return 'Do what the message says, then run doctor again.';
  return 'agent-console stop, then agent-console serve';
}

async function server(
  client: ConsoleClient,
  { pid, port, crashes }: { pid: number; port: number; crashes: number },
): Promise<Finding[]> {
  try {
    const { version, counts } = await client.call('system.status', {});
    const facts = `pid ${pid}, port ${port}, ${counts.liveSessions} live sessions`;
    const found =
      version === VERSION
        ? ok('server', facts)
        : problem(
            'server',
            `${facts}; it is version ${version}, this is ${VERSION}`,
            'agent-console stop, then serve: agents go on',
          );
    const fell =
      crashes === 0
        ? []
        : [note('crashes', `the server died ${crashes} times and was started again`, 'Its log says why: server.log')];
    return [found, ...fell, await agents(client)];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    const known = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
    const mend = known
      ? 'Name a token in AGENT_CONSOLE_TOKEN.'
      : 'Look into server.log; agent-console stop, then serve.';
    return [problem('server', `pid ${pid}, port ${port}: ${error.code}: ${error.message}`, mend)];
  }
}

async function agents(client: ConsoleClient): Promise<Finding> {
  const { data } = await client.call('agents.list', { limit: 500 });
  const missing = data.filter((agent) => !agent.installed).map(({ id, command }) => `${id} (${command[0]})`);
  const detail = `installed: ${data
    .filter((agent) => agent.installed)
    .map((agent) => agent.id)
    .join(', ')}`;
  if (missing.length === 0) return ok('agents', detail);
  return note(
    'agents',
    `${detail}; not on the PATH of the server: ${missing.join(', ')}`,
    'Install them, or leave it.',
  );
}

/** `server.json` should name the server that runs. */
async function serverFile(home: string, pid: number): Promise<Finding[]> {
  const file = await readServerFile(home);
  if (file?.pid === pid) return [];
  const what = file === undefined ? 'is missing or not whole' : `names process ${file.pid}, which is not the server`;
  return [problem('server.json', `${what}, so commands do not find the server`, 'agent-console stop, then serve')];
}

/** Without a runner nothing of it should be alive. What a crash left over is replaced at the next start. */
async function leftovers({ home }: Place): Promise<Finding[]> {
  const file = await readServerFile(home);
  if (file !== undefined && readStat(file.pid) !== undefined && (await answers(file.port))) {
    return [
      problem(
        'server',
        `process ${file.pid} answers at port ${file.port}, but its runner is gone`,
        'agent-console stop',
      ),
    ];
  }
  const left = ['server.json', 'runner.json', 'runner.sock'].filter((name) => existsSync(join(home, name)));
  if (left.length === 0) return [note('runner', 'not running', 'agent-console serve')];
  return [
    note('runner', `not running; left over from a crash: ${left.join(', ')}`, 'agent-console serve replaces them'),
  ];
}

const isAlive = ({ pid, startTime }: Records['workers'][number]) => {
  const stat = pid === null ? undefined : readStat(pid);
  return stat !== undefined && stat.state !== 'Z' && (startTime === null || stat.startTime === startTime);
};

function asleep(records: Records | undefined): Finding[] {
  const count = records?.workers.length ?? 0;
  if (count === 0 || process.platform !== 'linux') return [];
  return [
    note(
      'workers',
      `${count} recorded as running, but no runner holds them`,
      'agent-console serve marks them lost and tells their sessions, which can be resumed',
    ),
  ];
}

/** Workers that the records call running and that have no process, also a moment later. */
async function ghosts(place: Place, records: Records | undefined): Promise<Finding[]> {
  if (records === undefined || process.platform !== 'linux') return [];
  if (records.workers.every(isAlive)) return [];
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const again = (await examineDatabase(place)).records?.workers ?? [];
  const dead = again.filter((worker) => !isAlive(worker)).map(({ id, sessionId }) => `${id} of session ${sessionId}`);
  if (dead.length === 0) return [];
  return [
    problem(
      'workers',
      `recorded as running, but without a process: ${some(dead)}`,
      'agent-console stop, then serve, which looks after them; else stop their sessions.',
    ),
  ];
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: CONNECT_MS });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      for (const end of ['error', 'timeout'] as const) socket.once(end, () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** While no server of ours runs, nobody else should have its port. */
async function ownPort(env: Place['env']): Promise<Finding[]> {
  try {
    const { port } = readConfig(env);
    if (port === 0 || !(await answers(port))) return [];
    return [
      problem(
        'port',
        `${port} is taken by another program`,
        'agent-console serve --port <another>, or end that program',
      ),
    ];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return [problem('settings', error.message, 'Correct the variable, or unset it.')];
  }
}

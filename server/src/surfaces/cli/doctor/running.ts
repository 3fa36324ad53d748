import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { listNames } from '@agent-console/shared/words';
import { readConfig, VERSION } from '../../../config.ts';
import { missingWith } from '../../../runner/capabilities.ts';
import { readStat } from '../../../runner/processes.ts';
import { findRunner } from '../../../runner/supervisor.ts';
import type { ConsoleClient } from '../client.ts';
import { baseUrlOf, clientFor, readServerFile } from '../find-console.ts';
import { type Finding, type Installation, note, ok, problem } from './finding.ts';
import { checkDatabase, type Records } from './records.ts';

/** Maximum time in milliseconds that a process may still be recorded as running after it has ended. */
const SETTLE_MS = 2_000;
const CONNECT_MS = 1_000;

export async function checkRunning(installation: Installation, records: Records | undefined): Promise<Finding[]> {
  const { env, home } = installation;
  try {
    const runner = await findRunner(home);
    if (runner === undefined) {
      return [...(await leftovers(installation)), ...workersWithoutRunner(records), ...(await portInUse(env))];
    }
    const status = await runner.status().finally(() => runner.close());
    const found = [
      status.version === VERSION
        ? ok('runner', `pid ${status.pid}, ${status.workersAlive} workers running`)
        : note(
            'runner',
            `pid ${status.pid}, version ${status.version} (this command: version ${VERSION}); ${status.workersAlive} workers running`,
            `The versions are compatible. ${REPLACE_RUNNER}`,
          ),
      ...missingCapabilities(runner.capabilities),
      ...(await deadWorkers(installation, records)),
    ];
    if (status.server === null) {
      return [...found, note('server', 'not running', 'Run `agent-console serve`.'), ...(await portInUse(env))];
    }
    const { hosts, port, pid, crashes } = status.server;
    const client = await clientFor(env, home, baseUrlOf(hosts, port));
    return [...found, ...(await server(client, { pid, port, crashes })), ...(await serverFile(home, pid))];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return [problem('runner', `${error.code}: ${error.message}`, fixFor(error))];
  }
}

const REPLACE_RUNNER =
  'No action needed. To replace the runner, run `agent-console stop --all`, then `agent-console serve`, while no agent is working.';

/**
 * Reports the capabilities that the runner lacks. The runner may be of an earlier build, because it runs for as long as
 * its agents.
 */
function missingCapabilities(capabilities: readonly string[]): Finding[] {
  const missing = missingWith(capabilities);
  if (missing.length === 0) return [];
  return [
    note(
      'runner build',
      `the runner is of an earlier build, with these limitations: ${missing.join('; ')}`,
      REPLACE_RUNNER,
    ),
  ];
}

function fixFor({ code }: ConsoleError): string {
  if (code === 'UNSUPPORTED') return 'Use the version that started the runner. Its agents keep running.';
  if (code === 'PERMISSION_DENIED' || code === 'TIMEOUT')
    return 'Do what the error message says, then run `agent-console doctor` again.';
  return 'Run `agent-console stop`, then `agent-console serve`.';
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
            `${facts}; version ${version} (this command: version ${VERSION})`,
            'Run `agent-console stop`, then `agent-console serve`. Agents keep running.',
          );
    const crashed =
      crashes === 0
        ? []
        : [
            note(
              'crashes',
              `the server crashed ${crashes === 1 ? 'once' : `${crashes} times`} and was restarted`,
              'See server.log for the cause.',
            ),
          ];
    return [found, ...crashed, await agents(client)];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    const isRefused = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
    const mend = isRefused
      ? 'Set AGENT_CONSOLE_TOKEN to one of your tokens.'
      : 'See server.log for the cause. Then run `agent-console stop` and `agent-console serve`.';
    return [problem('server', `pid ${pid}, port ${port}: ${error.code}: ${error.message}`, mend)];
  }
}

async function agents(client: ConsoleClient): Promise<Finding> {
  const { data } = await client.call('agents.list', { limit: 500 });
  const missing = data.filter((agent) => !agent.installed).map(({ id, command }) => `${id} (${command[0]})`);
  const installed = data.filter((agent) => agent.installed).map((agent) => agent.id);
  const detail = `installed: ${installed.join(', ') || 'none'}`;
  if (missing.length === 0) return ok('agents', detail);
  return note(
    'agents',
    `${detail}; not on the PATH of the server: ${missing.join(', ')}`,
    'Install the agents you want to use.',
  );
}

/** Checks that `server.json` names the running server. */
async function serverFile(home: string, pid: number): Promise<Finding[]> {
  const file = await readServerFile(home);
  if (file?.pid === pid) return [];
  const detail =
    file === undefined
      ? 'server.json is missing or incomplete'
      : `server.json names process ${file.pid}, which is not the server`;
  return [
    problem(
      'server.json',
      `${detail}, so commands cannot find the server`,
      'Run `agent-console stop`, then `agent-console serve`.',
    ),
  ];
}

/** Reports what remains of a runner that is gone: a server that still runs, or files that the next start replaces. */
async function leftovers({ home }: Installation): Promise<Finding[]> {
  const file = await readServerFile(home);
  if (file !== undefined && readStat(file.pid) !== undefined && (await isListening(file.port))) {
    return [
      problem(
        'server',
        `the server (pid ${file.pid}, port ${file.port}) still runs, but its runner is gone`,
        'agent-console stop',
      ),
    ];
  }
  const leftoverFiles = ['server.json', 'runner.json', 'runner.sock'].filter((name) => existsSync(join(home, name)));
  if (leftoverFiles.length === 0) return [note('runner', 'not running', 'Run `agent-console serve`.')];
  return [
    note(
      'runner',
      `not running; files left over from a crash: ${leftoverFiles.join(', ')}`,
      '`agent-console serve` replaces these files',
    ),
  ];
}

const isAlive = ({ pid, startTime }: Records['workers'][number]) => {
  const stat = pid === null ? undefined : readStat(pid);
  return stat !== undefined && stat.state !== 'Z' && (startTime === null || stat.startTime === startTime);
};

function workersWithoutRunner(records: Records | undefined): Finding[] {
  const count = records?.workers.length ?? 0;
  if (count === 0 || process.platform !== 'linux') return [];
  return [
    note(
      'workers',
      `${count} ${count === 1 ? 'worker is' : 'workers are'} recorded as running, but no runner is running`,
      'Run `agent-console serve`, which marks these workers as lost. Then resume their sessions.',
    ),
  ];
}

/**
 * Reports workers that are recorded as running but have no process. Checks again after SETTLE_MS, because the end of a
 * process is recorded with a delay.
 */
async function deadWorkers(installation: Installation, records: Records | undefined): Promise<Finding[]> {
  if (records === undefined || process.platform !== 'linux') return [];
  if (records.workers.every(isAlive)) return [];
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const again = (await checkDatabase(installation)).records?.workers ?? [];
  const dead = again.filter((worker) => !isAlive(worker)).map(({ id, sessionId }) => `${id} of session ${sessionId}`);
  if (dead.length === 0) return [];
  return [
    problem(
      'workers',
      `workers recorded as running, but without a process: ${listNames(dead)}`,
      'Run `agent-console stop`, then `agent-console serve`. If that does not help, stop the sessions of these workers.',
    ),
  ];
}

async function isListening(port: number): Promise<boolean> {
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

/** Reports a program that listens on the configured port. Called only when the console's own server is not running. */
async function portInUse(env: Installation['env']): Promise<Finding[]> {
  try {
    const { port } = readConfig(env);
    if (port === 0 || !(await isListening(port))) return [];
    return [
      problem(
        'port',
        `port ${port} is in use by another program`,
        'End that program, or run `agent-console serve --port <another port>`.',
      ),
    ];
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return [problem('settings', error.message, 'Correct or unset the environment variable that the message names.')];
  }
}

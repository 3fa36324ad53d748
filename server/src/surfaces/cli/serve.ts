import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { stripControls } from '@agent-console/shared/text';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { serverLogPath } from '../../runner/supervisor.ts';
import type { ConsoleClient } from './client.ts';
import { describeWorkers, loginLink, openInBrowser, type RunningServer, startServer } from './launch.ts';
import { print, withNpx } from './output.ts';

/** Interval at which `serve` polls the log and the runner. */
const POLL_MS = 500;

interface ServeFlags {
  port?: string;
  host?: string;
  detach?: boolean;
}

export function addServe(cli: Command, programs: string): void {
  cli
    .command('serve')
    .description('Start the console and follow its log; Ctrl-C stops the server, agents keep running')
    .option('--port <port>', 'Port (default: PORT, then 3457; 0 picks a free one)')
    .option(
      '--host <address>',
      'Address to listen on (default: HOST, then loopback); any other needs AGENT_CONSOLE_AUTH=token',
    )
    .option('--detach', 'Return once the console is running')
    .action((flags: ServeFlags) => serve(flags, programs));
}

async function serve(flags: ServeFlags, programs: string): Promise<void> {
  const config = readConfig(process.env, flags);
  // Registered before the start, so that Ctrl-C during the start also stops the server.
  const signalled = waitForSignal();
  const started = await startServer(config, programs, process.env);
  try {
    await printIntroduction(started, config.home);
    if (flags.detach === true) return;
    const ended = await followLog(started, config.home, signalled);
    if (ended === 'signal') {
      const { workersAlive } = await started.runner.status();
      await started.runner.stopServer();
      print(`\nStopped the server. ${describeWorkers(workersAlive)}`);
    } else if (ended === 'gone') {
      throw new ConsoleError(
        'RUNNER_UNAVAILABLE',
        'The runner ended, and its agents with it. Run `agent-console serve` again; their sessions can be resumed.',
      );
    } else {
      print('The server was stopped by another command.');
    }
  } finally {
    started.runner.close();
  }
}

function waitForSignal(): Promise<'signal'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('signal'));
  });
}

async function printIntroduction({ client, port, pid }: RunningServer, home: string): Promise<void> {
  print(`Agent Console at ${client.baseUrl} (server ${pid}, data in ${home})`);
  try {
    const repositoryId = await registerCheckout(client, process.cwd());
    const link = await loginLink(client);
    print(`Dashboard: ${link}`);
    print(withNpx('  (valid once, for a minute; `agent-console open` prints another)'));
    if (process.stdout.isTTY) openInBrowser(link, process.env);
    if (repositoryId === undefined) {
      print(withNpx('No repository is registered. Add one: agent-console repositories create --path /absolute/path'));
    } else {
      print(`Try it:\n  ${sampleCurl(port, repositoryId)}`);
    }
  } catch (error) {
    if (!(error instanceof ConsoleError) || error.code !== 'UNAUTHENTICATED') throw error;
    print(`This process is not recognised by the console: ${error.message}`);
  }
}

/** Registers the repository that contains `folder`, if any. Returns its id, else that of any registered repository. */
async function registerCheckout(client: ConsoleClient, folder: string): Promise<string | undefined> {
  const path = findCheckout(folder);
  if (path !== undefined) {
    try {
      const made = await client.call('repositories.create', { path });
      if ('id' in made) return made.id;
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      // CONFLICT: already registered, with its id in the details. No other failure prevents serving.
      if (error.code !== 'CONFLICT') print(`Could not register ${path}: ${error.message}`);
      if (typeof error.details.repositoryId === 'string') return error.details.repositoryId;
    }
  }
  return (await client.call('repositories.list', { limit: 1 })).data[0]?.id;
}

function findCheckout(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findCheckout(parent);
}

function sampleCurl(port: number, repositoryId: string): string {
  const prompt = '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed';
  const body = JSON.stringify({ repositoryId, agentId: 'scripted', prompt });
  return `curl -s http://127.0.0.1:${port}/api/delegations -H 'Content-Type: application/json' -d '${body}'`;
}

/** Prints the server's log until a Unix signal arrives, the server is stopped, or the runner ends. */
async function followLog(
  { runner }: RunningServer,
  home: string,
  signalled: Promise<'signal'>,
): Promise<'signal' | 'stopped' | 'gone'> {
  const log = await open(serverLogPath(home), 'a+');
  const printer = new LogPrinter();
  let offset = (await log.stat()).size;
  const printNew = async () => {
    const { size } = await log.stat();
    // The log was rotated.
    if (size < offset) offset = 0;
    for (const buffer = Buffer.alloc(64 * 1024); offset < size; ) {
      const { bytesRead } = await log.read(buffer, 0, buffer.length, offset);
      if (bytesRead === 0) break;
      printer.push(buffer.toString('utf8', 0, bytesRead));
      offset += bytesRead;
    }
  };
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const tick = new Promise<'tick'>((resolve) => {
        timer = setTimeout(() => resolve('tick'), POLL_MS);
      });
      const next = await Promise.race([signalled, tick]);
      clearTimeout(timer);
      await printNew();
      if (next === 'signal') return 'signal';
      const status = await runner.status().catch((error: unknown) => {
        // A runner that is slow to answer has not ended.
        return error instanceof ConsoleError && error.code === 'TIMEOUT' ? 'late' : undefined;
      });
      if (status === undefined) return 'gone';
      if (status === 'late') continue;
      // While the runner restarts a crashed server, it keeps the primary port.
      if (status.server === null && !status.ports.some((port) => port.primary)) return 'stopped';
    }
  } finally {
    await log.close();
  }
}

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/** Prints the server's JSON log as readable lines. */
class LogPrinter {
  #incomplete = '';

  push(text: string): void {
    const lines = (this.#incomplete + text).split('\n');
    this.#incomplete = lines.pop() ?? '';
    for (const line of lines) if (line !== '') print(formatLogLine(line));
  }
}

function formatLogLine(line: string): string {
  try {
    const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string };
    const clock = new Date(time).toTimeString().slice(0, 8);
    const severity = LEVELS[level] === undefined ? '' : `${LEVELS[level]}: `;
    const rest = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
    return stripControls(`${clock} ${severity}${msg ?? ''}${rest}`);
  } catch {
    // Not written by the logger: a warning of Node itself, for example.
    return stripControls(line);
  }
}

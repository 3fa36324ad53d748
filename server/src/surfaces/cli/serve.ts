import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { serverLogPath } from '../../runner/supervisor.ts';
import type { ConsoleClient } from './client.ts';
import { loginLink, openInBrowser, type Started, startServer, workersLiveOn } from './local.ts';
import { LogLines } from './log-lines.ts';
import { asCalled, print } from './output.ts';

/** Between two looks at the log and at the server. */
const LOOK_MS = 500;

interface ServeFlags {
  port?: string;
  host?: string;
  detach?: boolean;
}

export function addServe(cli: Command, programs: string): void {
  cli
    .command('serve')
    .description('Start the console and stay with it, showing its log; Ctrl-C stops it, agents keep running')
    .option('--port <port>', 'port (else PORT, else 3457)')
    .option('--host <address>', 'address (else HOST, else loopback); others need AGENT_CONSOLE_AUTH=token')
    .option('--detach', 'return once it runs')
    .action((flags: ServeFlags) => serve(flags, programs));
}

async function serve(flags: ServeFlags, programs: string): Promise<void> {
  const config = readConfig(process.env, flags);
  // Heard from here on, so that Ctrl-C during the start also ends in a stop.
  const asked = waitForSignal();
  const started = await startServer(config, programs, process.env);
  try {
    await introduce(started, config.home);
    if (flags.detach === true) return;
    const ended = await stay(started, config.home, asked);
    if (ended === 'signal') {
      const { workersAlive } = await started.runner.status();
      await started.runner.stopServer();
      print(`\nStopped the server. ${workersLiveOn(workersAlive)}`);
    } else if (ended === 'gone') {
      throw new ConsoleError(
        'RUNNER_UNAVAILABLE',
        'The runner is gone, and its agents with it. Start again with `agent-console serve`; their sessions can be resumed.',
      );
    } else {
      print('The server was stopped from elsewhere.');
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

async function introduce({ client, port, pid }: Started, home: string): Promise<void> {
  print(`Agent Console at ${client.baseUrl} (server ${pid}, data in ${home})`);
  try {
    const repositoryId = await registerHere(client, process.cwd());
    const link = await loginLink(client);
    print(`Dashboard: ${link}`);
    print(asCalled('  (the link works once, for a minute; `agent-console open` makes another)'));
    if (process.stdout.isTTY) openInBrowser(link, process.env);
    if (repositoryId === undefined) {
      print(asCalled('No repository is registered yet: agent-console repositories create --path /absolute/path'));
    } else {
      print(`Try it:\n  ${curlFor(port, repositoryId)}`);
    }
  } catch (error) {
    if (!(error instanceof ConsoleError) || error.code !== 'UNAUTHENTICATED') throw error;
    print(`It does not know this process (${error.message})`);
  }
}

/** Registers the repository around a folder, if it is one; answers with some repository's id where there is any. */
async function registerHere(client: ConsoleClient, folder: string): Promise<string | undefined> {
  const path = checkoutAround(folder);
  if (path !== undefined) {
    try {
      const made = await client.call('repositories.create', { path });
      if ('id' in made) return made.id;
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      // Known already: its id is in the details. Anything else is no reason not to serve.
      if (error.code !== 'CONFLICT') print(`${path} was not registered: ${error.message}`);
      if (typeof error.details.repositoryId === 'string') return error.details.repositoryId;
    }
  }
  return (await client.call('repositories.list', { limit: 1 })).data[0]?.id;
}

function checkoutAround(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : checkoutAround(above);
}

function curlFor(port: number, repositoryId: string): string {
  const prompt = '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed';
  const body = JSON.stringify({ repositoryId, agentId: 'scripted', prompt });
  return `curl -s http://127.0.0.1:${port}/api/delegations -H 'Content-Type: application/json' -d '${body}'`;
}

/** Shows what the server writes until a signal comes, the server is stopped, or the runner is gone. */
async function stay(
  { runner }: Started,
  home: string,
  asked: Promise<'signal'>,
): Promise<'signal' | 'stopped' | 'gone'> {
  const log = await open(serverLogPath(home), 'a+');
  const lines = new LogLines();
  let offset = (await log.stat()).size;
  const show = async () => {
    const { size } = await log.stat();
    // A log that shrank was begun anew.
    if (size < offset) offset = 0;
    for (const buffer = Buffer.alloc(64 * 1024); offset < size; ) {
      const { bytesRead } = await log.read(buffer, 0, buffer.length, offset);
      if (bytesRead === 0) break;
      lines.push(buffer.toString('utf8', 0, bytesRead));
      offset += bytesRead;
    }
  };
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const tick = new Promise<'tick'>((resolve) => {
        timer = setTimeout(() => resolve('tick'), LOOK_MS);
      });
      const next = await Promise.race([asked, tick]);
      clearTimeout(timer);
      await show();
      if (next === 'signal') return 'signal';
      const status = await runner.status().catch((error: unknown) => {
        // One that does not answer in time is not gone.
        return error instanceof ConsoleError && error.code === 'TIMEOUT' ? 'late' : undefined;
      });
      if (status === undefined) return 'gone';
      if (status === 'late') continue;
      // A server that crashed is started again; its port is held meanwhile.
      if (status.server === null && !status.ports.some((port) => port.primary)) return 'stopped';
    }
  } finally {
    await log.close();
  }
}

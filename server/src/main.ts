import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConsoleError } from '@agent-console/shared/errors';
import { createApp } from './app.ts';
import { readConfig, VERSION } from './config.ts';
import { announce } from './engine/recovery.ts';
import { createHttp } from './http.ts';
import { secrets } from './identity/secrets.ts';
import { createLog } from './machine/log.ts';
import { removeServerFile, writeCliToken, writeServerFile } from './machine/server-file.ts';
import { connectRunner } from './runner/client.ts';
import { type Inherited, takeInherited } from './runner/inherited.ts';
import { startTimeOf } from './runner/processes.ts';

const PROGRAMS = dirname(fileURLToPath(import.meta.url));

/** Interval in milliseconds between checks that the data directory still exists. */
const DATA_CHECK_MS = 5_000;

type Listener = Inherited['listeners'][number];

function listen(server: Server, { fd }: Listener): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ fd }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function main(inherited: Inherited): Promise<void> {
  const log = createLog(process.stdout.fd);
  const onError = (error: unknown, about: Record<string, unknown>) => log.error({ ...about, err: error }, 'unexpected');
  process.on('uncaughtException', (error) => onError(error, { about: 'uncaught exception' }));
  process.on('unhandledRejection', (error) => onError(error, { about: 'unhandled rejection' }));

  const config = readConfig(process.env);
  const runner = await connectRunner({ home: config.home });
  const [primary] = inherited.listeners;
  if (primary === undefined) throw new Error('the runner passed no socket to the server');
  // If callers cannot be identified by their process, the CLI needs a token of the local owner, which it reads from the
  // file `cli-token`.
  const needsToken = process.platform !== 'linux' || config.auth === 'token';
  const cliToken = needsToken ? secrets.create('acl') : undefined;
  await writeCliToken(config.home, cliToken);

  const app = await createApp({
    config,
    version: VERSION,
    runner,
    port: primary.port,
    programs: PROGRAMS,
    environment: { ...process.env },
    cliToken,
    ownPids: [process.pid, runner.identity.pid],
    onError,
  });
  const servers = new Map<Server, Listener>();
  const http = createHttp({
    app,
    config,
    version: VERSION,
    programs: PROGRAMS,
    ports: () => [...new Set([...servers.values()].map((listener) => listener.port))],
    onError,
  });
  for (const listener of inherited.listeners) {
    const server = http.createServer();
    servers.set(server, listener);
    await listen(server, listener);
  }
  runner.onPortClosed((port) => {
    for (const [server, listener] of servers) {
      if (listener.port !== port) continue;
      servers.delete(server);
      server.close();
    }
  });

  // Without its runner, the server can still answer reads, so it continues to run. It ends only if its data directory
  // was deleted.
  runner.onGone(() => {
    const exitIfHomeIsGone = () => existsSync(config.home) || process.exit(1);
    setInterval(exitIfHomeIsGone, DATA_CHECK_MS).unref();
  });

  await announce(app, { pid: process.pid, port: primary.port, version: VERSION, crash: inherited.lastCrash });
  const startTime = startTimeOf(process.pid);
  await writeServerFile(config.home, {
    host: primary.host,
    port: primary.port,
    pid: process.pid,
    startTime,
    version: VERSION,
  });
  inherited.ready(runner.capabilities);
  if (inherited.lastCrash !== null) log.warn(inherited.lastCrash, 'the previous server died; agents kept running');
  log.info({ port: primary.port, pid: process.pid, version: VERSION }, 'ready');

  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info('stopping');
    await removeServerFile(config.home, process.pid);
    await http.close([...servers.keys()]);
    await app.close();
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop().catch((error) => {
        onError(error, { about: 'stop' });
        process.exit(1);
      });
    });
  }
}

const inherited = takeInherited();
if (inherited === undefined) {
  process.stderr.write('Do not start this program directly; run `agent-console serve` instead.\n');
  process.exit(2);
}
try {
  await main(inherited);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof ConsoleError) inherited.refuse(error);
  process.exit(1);
}

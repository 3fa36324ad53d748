import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { takeInherited } from '../../../src/runner/inherited.ts';
import type { HttpEnv } from '../../../src/surfaces/http/context.ts';
import { createDrain } from '../../../src/surfaces/http/drain.ts';
import { createGuard } from '../../../src/surfaces/http/guard.ts';
import { mountRest } from '../../../src/surfaces/rest/routes.ts';
import { createTestGate, OWNER, SESSION } from '../http/harness.ts';

/** A server program for the runner, with the real REST surface and fixed responses. */
const inherited = takeInherited();
if (inherited === undefined) throw new Error('only the runner starts this');
const paths: string[] = [];
const gate = createTestGate({
  'repositories.create': ({ path }: { path: string }) => {
    if (paths.includes(path)) throw new ConsoleError('CONFLICT', 'Registered already.', { repositoryId: SESSION });
    paths.push(path);
    return { id: SESSION, path };
  },
  'repositories.list': () => ({ total: 0, limit: 1, skip: 0, data: [] }),
  'login.open': () => ({ code: 'code-1', expiresAt: new Date().toISOString() }),
  'system.status': () => ({ paths, secrets: Object.keys(process.env).filter((name) => /^npm_|WORKER_ID/.test(name)) }),
});
const drain = createDrain();
const app = new Hono<HttpEnv>();
app.use(createGuard({ ports: () => inherited.listeners.map(({ port }) => port) }));
mountRest(app, {
  gate,
  identify: async () => OWNER,
  isOtherUser: async () => false,
  drain,
  onBug: console.error,
});
const servers = inherited.listeners.map(() => createAdaptorServer({ fetch: app.fetch }) as Server);
await Promise.all(
  inherited.listeners.map(({ fd }, at) => new Promise<void>((resolve) => servers[at]?.listen({ fd }, resolve))),
);
const port = inherited.listeners[0]?.port;
const file = join(process.env.AGENT_CONSOLE_HOME ?? '', 'server.json');
writeFileSync(file, JSON.stringify({ port, pid: process.pid, version: '1' }), { mode: 0o600 });
console.log('the server says hello');
process.on('SIGTERM', () => {
  void drain.stop(servers).then(() => process.exit(0));
});
inherited.ready([]);

import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ERRORS } from '@agent-console/shared/errors';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openFixturePrograms, type Programs } from '../surfaces/cli/programs.ts';

let programs: Programs;
beforeAll(async () => {
  programs = await openFixturePrograms();
});
afterEach(async () => {
  await programs.run(['stop', '--all', '--yes']);
});
afterAll(() => programs.remove());

/** Collects the output of a command. `until` waits until the output matches, and returns it. */
function watch(child: ChildProcess): { until: (pattern: RegExp) => Promise<string>; text: () => string } {
  let text = '';
  let check = () => {};
  child.stdout?.on('data', (chunk) => {
    text += chunk;
    check();
  });
  child.on('close', () => check());
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      check = () => {
        if (pattern.test(text)) resolve(text);
        else if (child.exitCode !== null) reject(new Error(`it ended without ${pattern}: ${text}`));
      };
      check();
    });
  return { until, text: () => text };
}

/** Returns a server that listens on a free port. */
async function takePort() {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  const address = taken.address();
  return { taken, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

async function repository(name: string): Promise<string> {
  const path = join(programs.folder, name);
  await mkdir(join(path, 'deep', 'folder'), { recursive: true });
  execFileSync('git', ['init', '--quiet', path]);
  return path;
}

it('serve registers the repository of its directory, prints a link and a sample call, and stops the server on Ctrl-C', async () => {
  const path = await repository('here');
  const env = { PORT: '0', npm_config_x: '1', AGENT_CONSOLE_WORKER_ID: '' };
  const serve = programs.start(['serve'], env, join(path, 'deep', 'folder'));
  const shown = watch(serve);
  const text = await shown.until(/Try it:\n.*\n/);
  expect(text).toMatch(/Dashboard: http:\/\/127\.0\.0\.1:\d+\/#code=code-1\n/);
  const curl = /curl -s (\S+\/api\/delegations) -H 'Content-Type: application\/json' -d '(.*)'/.exec(text);
  expect(JSON.parse(curl?.[2] ?? '')).toMatchObject({ agentId: 'scripted', prompt: expect.stringContaining('@write') });
  const status = JSON.parse((await programs.run(['status', '--json'])).out);
  expect(status).toEqual({ paths: [path], secrets: [] });
  const again = await programs.run(['serve', '--detach'], env);
  expect(again.code).toBe(0);
  serve.kill('SIGINT');
  const [code] = await once(serve, 'close');
  expect(code).toBe(0);
  expect(shown.text()).toContain('Stopped the server. No agent or terminal was running.');
  expect((await programs.run(['status'])).code).toBe(ERRORS.RUNNER_UNAVAILABLE.exit);
});

it('serve leaves no server if only its own process gets a signal before it has printed the link', async () => {
  const file = join(programs.folder, 'home', 'server.json');
  await rm(file, { force: true });
  const serve = programs.start(['serve'], { PORT: '0' }, programs.folder);
  const shown = watch(serve);
  await expect.poll(() => existsSync(file), { timeout: 20_000, interval: 1 }).toBe(true);
  serve.kill('SIGTERM');
  const [code] = await once(serve, 'close');
  expect(code).toBe(0);
  expect(shown.text()).toMatch(/Stopped the server\. No agent or terminal was running\.\n$/);
  expect((await programs.run(['status'])).code).toBe(ERRORS.RUNNER_UNAVAILABLE.exit);
});

it('serve follows the log and exits when another command stops the server', async () => {
  const serve = programs.start(['serve'], { PORT: '0' }, programs.folder);
  const shown = watch(serve);
  await shown.until(/repositories create|Try it/);
  expect((await programs.run(['stop'])).out).toMatch(/^Stopped the server\. No agent or terminal was running/);
  await shown.until(/stopped by another command/);
  expect((await programs.run(['stop'])).out).toMatch(/^The server was not running\./);
  expect((await programs.run(['stop', '--all'])).out).toBe('Stopped.\n');
});

it('serve on a port in use exits with the status of CONFLICT', async () => {
  const { taken, port } = await takePort();
  const { code, err } = await programs.run(['serve', '--detach', '--port', String(port)]);
  taken.close();
  expect(code).toBe(ERRORS.CONFLICT.exit);
  expect(err).toContain(String(port));
});

it('open prints a new link', async () => {
  await programs.run(['serve', '--detach'], { PORT: '0' });
  expect((await programs.run(['open'])).out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=code-1\n$/);
});

it('serve says that it replaced a running server, and on which port that server was', async () => {
  const portOf = (text: string) => /Agent Console at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
  const first = await programs.run(['serve', '--detach'], { PORT: '0' });
  expect(first.out).not.toContain('Replaced');
  const { taken, port } = await takePort();
  taken.close();
  const next = await programs.run(['serve', '--detach'], { PORT: String(port) });
  expect(next.out).toContain(`Replaced the running server, which listened on port ${portOf(first.out)}.\n`);
});

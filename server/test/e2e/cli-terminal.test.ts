import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from 'node-pty';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const running: IPty[] = [];
afterEach(() => {
  for (const terminal of running.splice(0)) terminal.kill();
});

function type(
  args: readonly string[],
  { cols = 100, rows = 30, env = {} }: { cols?: number; rows?: number; env?: Record<string, string> } = {},
) {
  const terminal = spawn(process.execPath, [CLI, '--url', c.baseUrl, ...args], {
    cols,
    rows,
    cwd: c.folder,
    env: { PATH: process.env.PATH ?? '', HOME: c.folder, TERM: 'xterm-256color', ...env },
  });
  running.push(terminal);
  let shown = '';
  terminal.onData((data) => {
    shown += data;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    terminal,
    ended,
    shown: () => shown,
    until: (text: string | RegExp) =>
      c.until(String(text), () => (typeof text === 'string' ? shown.includes(text) : text.test(shown))),
  };
}

const session = (title: string) => c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title });

describe('attach', () => {
  it('types into the terminal of a session at its size, detaches, and restores the terminal', async () => {
    const { id: sessionId } = await session('Type here');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say before' });
    await c.client.call('sessions.wait', { sessionId });
    const { terminal, ended, shown, until } = type(['attach', 'type here'], { cols: 90 });
    await until('before');
    expect(shown()).toContain('Ctrl-P Ctrl-Q detaches');
    terminal.write('@say typed by hand\r');
    await until(/typed by hand[\s\S]*typed by hand/);
    await c.until('the size of this terminal', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId });
      const screen = await c.client.call('workers.screen', { workerId: workers.at(-1)?.id ?? '' });
      return screen.cols === 90 && screen.rows === 30;
    });
    terminal.write('\u0010\u0011');
    expect(await ended).toBe(0);
    expect(shown()).toMatch(/\u001b\[\?1049l[\s\S]*\u001b\[\?25h[\s\S]*Detached from "Type here"/);
    const { workers } = await c.client.call('sessions.get', { sessionId });
    expect(workers.at(-1)?.state).toBe('running');
  });

  it('is refused for an agent without a terminal, with advice how to prompt and read it', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted-acp', title: 'No keys' });
    await c.client.call('sessions.resume', { sessionId: id });
    const { ended, shown } = type(['attach', 'no keys'], { cols: 400 });
    expect(await ended).toBe(5);
    expect(shown()).toContain(`agent-console sessions prompt ${id}`);
  });
});

describe('a command that deletes', () => {
  it('shows what it found, and deletes only after a yes', async () => {
    const { id } = await session('Old notes');
    for (const [answer, code] of [
      ['\r', 1],
      ['y\r', 0],
    ] as const) {
      const { terminal, ended, shown, until } = type(['sessions', 'remove', 'old notes']);
      await until('[y/N]');
      expect(shown()).toContain(`session ${id.slice(0, 18)} "Old notes"`);
      const { total } = await c.client
        .call('names.list', { noun: 'session', startsWith: 'Old notes' })
        .then(({ names }) => ({ total: names.length }));
      expect(total).toBe(1);
      terminal.write(answer);
      expect(await ended).toBe(code);
    }
    expect((await c.client.call('names.list', { noun: 'session', startsWith: 'Old notes' })).names).toEqual([]);
  });
});

describe('output on a terminal', () => {
  it('fits its width, is coloured unless NO_COLOR is set, and long patches go through the pager', async () => {
    const { sessionId, worktreeId } = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      title: `A title ${'x'.repeat(100)}`,
      prompt: '@write a.txt text\n@report failed Broken',
    });
    await c.client.call('sessions.wait', { sessionId });
    const list = type(['sessions', 'list'], { cols: 120 });
    expect(await list.ended).toBe(0);
    expect(list.shown()).toContain('\u001b[31mfailed');
    const lines = list
      .shown()
      .replace(/\u001b\[\d+m/g, '')
      .split('\r\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    const plain = type(['sessions', 'list'], { env: { NO_COLOR: '1' } });
    await plain.ended;
    expect(plain.shown()).not.toContain('\u001b[31m');
    const paged = type(['worktrees', 'diff', worktreeId], { env: { PAGER: 'sed s/^/paged:/' } });
    expect(await paged.ended).toBe(0);
    expect(paged.shown()).toContain('paged:diff --git');
    const unpaged = type(['worktrees', 'diff', worktreeId, '--no-pager'], { env: { PAGER: 'sed s/^/paged:/' } });
    await unpaged.ended;
    expect(unpaged.shown()).toMatch(/^diff --git/);
    const { path } = await c.client.call('worktrees.get', { worktreeId });
    writeFileSync(join(path, 'a.txt'), 'safe\u001b]0;forged\u0007\roverwritten\n');
    const unsafe = type(['worktrees', 'diff', worktreeId, '--no-pager'], { env: { NO_COLOR: '1' } });
    await unsafe.ended;
    expect(unsafe.shown()).toContain('+safe]0;forgedoverwritten\r\n');
    // A list or log opens in the pager only if it is longer than the terminal.
    for (const args of [
      ['agents', 'list'],
      ['logs', sessionId],
    ]) {
      const long = type(args, { rows: 2, env: { PAGER: 'sed s/^/paged:/' } });
      expect(await long.ended).toBe(0);
      expect(long.shown()).toMatch(/^paged:/);
      const fits = type(args, { rows: 200, env: { PAGER: 'sed s/^/paged:/' } });
      await fits.ended;
      expect(fits.shown()).not.toContain('paged:');
    }
  });
});

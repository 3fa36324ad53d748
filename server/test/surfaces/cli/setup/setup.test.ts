import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runInProcess } from '../../../support/cli.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-console-setup-'));
  for (const name of ['claude', 'codex', 'gemini', 'opencode']) await put(`bin/${name}`, '#!/bin/sh\nexit 0\n', 0o755);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(name: string, text: string, mode = 0o600): Promise<void> {
  const file = join(home, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

async function setup(...args: string[]) {
  const env = { HOME: home, AGENT_CONSOLE_HOME: join(home, 'console'), PATH: join(home, 'bin'), PORT: '4100' };
  const { code, out, err } = await runInProcess(['setup', '--json', ...args], env);
  const rows: { agent: string; result: string }[] = err === '' ? JSON.parse(out) : [];
  return { code, err, results: Object.fromEntries(rows.map(({ agent, result }) => [agent, result])) };
}

/**
 * Returns text, mode and type (link or not) of every file in the temporary HOME, except for the files of the console.
 */
async function everything(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || file.startsWith(join(home, 'console'))) continue;
    const kind = (await lstat(file)).isSymbolicLink() ? 'link ' : '';
    found[file.slice(home.length + 1)] =
      `${kind}${((await stat(file)).mode & 0o777).toString(8)} ${await readFile(file, 'utf8')}`;
  }
  return found;
}

const all = (result: string) => ({ 'claude-code': result, codex: result, gemini: result, opencode: result });

it('registers with every agent once, and restores every byte on undo', async () => {
  await put('.claude.json', '{"projects":{},\n "odd" :1}', 0o600);
  await put('dotfiles/config.toml', '# mine\nmodel = "x"', 0o640);
  await mkdir(join(home, '.codex'));
  await symlink(join(home, 'dotfiles/config.toml'), join(home, '.codex/config.toml'));
  await put('.gemini/settings.json', '{\n\t// mine\n\t"mcpServers": {},\n}\n', 0o644);
  await put('.config/opencode/opencode.jsonc', '{ /* mine */ }\n', 0o644);
  const before = await everything();

  expect((await setup('--dry-run')).results).toEqual(all('would register'));
  expect(await everything()).toEqual(before);

  expect(await setup()).toMatchObject({ code: 0, results: all('registered') });
  const registered = await everything();
  for (const name of [
    '.claude.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.config/opencode/opencode.jsonc',
  ]) {
    expect(registered[name]).toContain('http://127.0.0.1:4100/mcp');
  }
  expect(Object.keys(registered)).toEqual(Object.keys(before));

  expect((await setup()).results).toEqual(all('unchanged'));
  expect(await everything()).toEqual(registered);

  expect((await setup('--undo', '--dry-run')).results).toEqual(all('would undo'));
  expect(await everything()).toEqual(registered);
  expect((await setup('--undo')).results).toEqual(all('undone'));
  expect(await everything()).toEqual(before);
  expect((await setup('--undo')).results).toEqual({});
});

it('creates missing files and removes them on undo', async () => {
  const before = await everything();
  await setup();
  expect(Object.keys(await everything())).toEqual(
    expect.arrayContaining(['.claude.json', '.codex/config.toml', '.gemini/settings.json']),
  );
  await setup('--undo');
  expect(await everything()).toEqual(before);
});

it('removes the directories it created on undo, unless they contain something', async () => {
  await mkdir(join(home, '.gemini'));
  const before = (await readdir(home)).toSorted();
  await setup();
  await put('.config/opencode/mine.txt', 'mine');
  expect(await readdir(home)).toEqual(expect.arrayContaining(['.codex', '.config', 'console']));
  await setup('--undo');
  expect((await readdir(home)).toSorted()).toEqual([...before, '.config'].toSorted());
  expect(await readdir(join(home, '.config/opencode'))).toEqual(['mine.txt']);
});

it('updates its entry when the console has another port', async () => {
  await put('.claude.json', '{"a": 1}\n');
  const before = await everything();
  await setup();
  const moved = await setup('--url', 'http://127.0.0.1:4200');
  expect(moved.results['claude-code']).toBe('registered');
  const text = (await everything())['.claude.json'];
  expect(text).toContain('4200');
  expect(text).not.toContain('4100');
  await setup('--undo');
  expect(await everything()).toEqual(before);
});

it('skips agents that are not installed, and refuses files that it cannot read', async () => {
  for (const name of ['codex', 'gemini', 'opencode']) await rm(join(home, 'bin', name));
  await put('.claude.json', '{"broken');
  const before = await everything();
  expect(await setup()).toMatchObject({ code: 1, results: { ...all('not installed'), 'claude-code': 'refused' } });
  expect(await everything()).toEqual(before);
});

it('removes its entry on undo even after the agent has rewritten the file', async () => {
  await put('.claude.json', '{"a": 1}\n');
  await setup();
  const text = await readFile(join(home, '.claude.json'), 'utf8');
  await put('.claude.json', JSON.stringify({ ...JSON.parse(text), startups: 2 }, null, 4));
  await setup('--undo');
  expect(JSON.parse(await readFile(join(home, '.claude.json'), 'utf8'))).toEqual({ a: 1, startups: 2 });
});

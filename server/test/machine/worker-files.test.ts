import { lstat, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkerFiles } from '../../src/machine/worker-files.ts';

let root: string;
let home: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'worker-files-'));
  home = join(root, 'home');
  await mkdir(join(home, '.tool/commands'), { recursive: true });
  await writeFile(join(home, '.tool/settings.json'), 'theirs');
  await writeFile(join(home, '.tool/login.json'), 'secret');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const files = (environment: Record<string, string> = {}) =>
  createWorkerFiles({ home: join(root, 'console'), environment: { HOME: home, ...environment } });
const OVERLAY = { of: '.tool', into: 'home/.tool', except: ['settings.json'], make: ['tmp'] };
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('writes files readable by the owner only, replacing those of an earlier process', async () => {
  const here = files();
  const { folder, signalsFile } = here.workerPaths('w');
  await here.writeWorkerFiles('w', { token: 'one', old: 'x' }, null);
  await here.writeWorkerFiles('w', { token: 'two', 'deep/er/file': 'three' }, null);
  expect(await readFile(join(folder, 'token'), 'utf8')).toBe('two');
  expect(await readFile(join(folder, 'deep/er/file'), 'utf8')).toBe('three');
  await expect(stat(join(folder, 'old'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect([await mode(folder), await mode(join(folder, 'deep/er')), await mode(join(folder, 'token'))]).toEqual([
    '700',
    '700',
    '600',
  ]);
  expect(await mode(signalsFile)).toBe('600');
});

it('keeps reported signals when the worker restarts and when it ends', async () => {
  const here = files();
  const { signalsFile } = here.workerPaths('w');
  await here.writeWorkerFiles('w', {}, null);
  await writeFile(signalsFile, '{"a":1}\n');
  await here.writeWorkerFiles('w', {}, null);
  await here.clearWorker('w');
  expect(await readFile(signalsFile, 'utf8')).toBe('{"a":1}\n');
});

it("overlays the user's folder with files of the console, and later removes only those", async () => {
  const here = files();
  const { folder } = here.workerPaths('w');
  await here.writeWorkerFiles('w', { 'home/.tool/settings.json': 'ours' }, OVERLAY);
  const shown = (name: string) => join(folder, 'home/.tool', name);
  expect(await readFile(shown('settings.json'), 'utf8')).toBe('ours');
  expect(await readFile(shown('login.json'), 'utf8')).toBe('secret');
  await writeFile(shown('tmp/conversation'), 'said');
  expect(await readFile(join(home, '.tool/tmp/conversation'), 'utf8')).toBe('said');
  await here.clearWorker('w');
  await expect(lstat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readFile(join(home, '.tool/settings.json'), 'utf8')).toBe('theirs');
  expect(await readFile(join(home, '.tool/login.json'), 'utf8')).toBe('secret');
  expect(await readFile(join(home, '.tool/tmp/conversation'), 'utf8')).toBe('said');
});

it.each(['../outside', '/etc/outside', 'a/../../outside'])('does not write %s', async (name) => {
  await expect(files().writeWorkerFiles('w', { [name]: 'x' }, null)).rejects.toThrow('outside');
});

it('reads those files of the user that exist', async () => {
  expect(await files().readUserFiles(['.tool/settings.json', '.tool/none', '.tool/commands'])).toEqual({
    '.tool/settings.json': 'theirs',
  });
  await mkdir(join(root, 'moved'));
  await writeFile(join(root, 'moved/config.toml'), 'x');
  const name = '.codex/config.toml';
  expect(await files({ CODEX_HOME: join(root, 'moved') }).readUserFiles([name])).toEqual({ [name]: 'x' });
});

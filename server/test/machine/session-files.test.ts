import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sessionFiles } from '../../src/machine/session-files.ts';

let folder: string;
let cwd: string;
let outside: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'session-files-'));
  cwd = join(folder, 'cwd');
  outside = join(folder, 'outside');
  mkdirSync(join(cwd, 'notes'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(cwd, 'notes', 'plan.txt'), 'plan');
  writeFileSync(join(outside, 'plan.txt'), 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Returns a list of the session's folders. When the list is read, the folder `notes` is replaced by a link to a folder
 * outside. By then, the path of the file has been resolved, but the file has not been opened.
 */
function foldersThatChange(): readonly string[] {
  const folders = [cwd];
  const { map } = folders;
  folders.map = (...args) => {
    renameSync(join(cwd, 'notes'), join(cwd, 'moved'));
    symlinkSync(outside, join(cwd, 'notes'));
    return map.apply(folders, args) as never;
  };
  return folders;
}

it('reads no file outside through a folder that becomes a link after it was checked', async () => {
  const read = sessionFiles.readText(foldersThatChange(), join(cwd, 'notes', 'plan.txt'));
  await expect(read).rejects.toThrow();
  expect(await sessionFiles.readText([cwd], join(cwd, 'moved', 'plan.txt'))).toBe('plan');
});

it('writes nothing outside through a folder that becomes a link after it was checked', async () => {
  for (const path of ['plan.txt', 'new.txt', 'new/new.txt']) {
    const write = sessionFiles.writeText(foldersThatChange(), join(cwd, 'notes', path), 'changed');
    await expect(write, path).rejects.toThrow();
    rmSync(join(cwd, 'notes'));
    renameSync(join(cwd, 'moved'), join(cwd, 'notes'));
  }
  expect(readdirSync(outside)).toEqual(['plan.txt']);
  expect(readFileSync(join(outside, 'plan.txt'), 'utf8')).toBe('secret');
});

it('creates missing folders, and replaces the whole text of a file', async () => {
  const path = join(cwd, 'notes', 'a', 'b', 'c.txt');
  await sessionFiles.writeText([cwd], path, 'longer text');
  await sessionFiles.writeText([cwd], path, 'text');
  expect(await sessionFiles.readText([cwd], path)).toBe('text');
});

it("says that the session's directory was deleted, and still finds files in the other folders", async () => {
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  writeFileSync(join(shared, 'plan.txt'), 'shared');
  rmSync(cwd, { recursive: true });
  const gone = { code: 'NOT_FOUND', message: expect.stringContaining(cwd) };
  const path = join(cwd, 'notes', 'plan.txt');
  await expect(sessionFiles.readText([cwd, shared], path)).rejects.toMatchObject(gone);
  await expect(sessionFiles.writeText([cwd, shared], path, 'text')).rejects.toMatchObject(gone);
  await expect(sessionFiles.realFolder({ cwd }, outside)).rejects.toMatchObject(gone);
  expect(existsSync(cwd)).toBe(false);
  expect(await sessionFiles.readText([cwd, shared], join(shared, 'plan.txt'))).toBe('shared');
});

import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPrograms, type Programs } from '../surfaces/cli/programs.ts';

let programs: Programs;
let temporary: string;
beforeAll(async () => {
  programs = await openPrograms();
  temporary = join(programs.folder, 't');
  await mkdir(temporary);
});
afterAll(() => programs.remove());

/** Processes of the demonstration, by their HOME or data directory; a runner that closed its connection ends a moment later. */
async function left(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const lookedAt = pids.flatMap((pid) => ['cmdline', 'environ'].map((file) => `/proc/${pid}/${file}`));
  const texts = await Promise.all(lookedAt.map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts.filter((text) => text.includes(programs.folder));
}

it('an agent delegates twice, hears of both ends and merges; nothing is left behind', async () => {
  const { code, out, err } = await programs.run(['demo'], { TMPDIR: temporary });
  expect(err).toBe('');
  expect(out).toContain('demo/one: reported success');
  expect(out).toContain('parent: notified that demo/two completed');
  expect(out).toContain('done: the main checkout contains one.txt and two.txt');
  expect(code).toBe(0);
  expect(await readdir(temporary)).toEqual([]);
  await expect.poll(left, { timeout: 10_000 }).toEqual([]);
});

it('Ctrl-C in the middle ends it with 1 and leaves nothing behind either', async () => {
  const child = programs.start(['demo'], { TMPDIR: temporary });
  const code = await new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('started a console')) child.kill('SIGINT');
    });
    child.on('close', resolve);
  });
  expect(code).toBe(1);
  expect(await readdir(temporary)).toEqual([]);
  await expect.poll(left, { timeout: 10_000 }).toEqual([]);
});

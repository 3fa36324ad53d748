import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

/** Returns those arguments and environments of running processes that contain the demo's HOME. */
async function remaining(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const files = pids.flatMap((pid) => ['cmdline', 'environ'].map((file) => `/proc/${pid}/${file}`));
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts.filter((text) => text.includes(programs.folder));
}

it('the demo delegates twice, integrates both branches, runs an orchestration and leaves nothing behind', async () => {
  // Starts the demo as a hook of another repository would, with GIT_DIR set. The demo must not use that repository.
  const other = join(programs.folder, 'other');
  const env = { PATH: process.env.PATH, HOME: programs.folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost', ...args], {
      cwd: other,
      env,
    }).toString();
  await mkdir(other);
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '-m', 'First');
  const before = git('log', '--all', '--format=%H');
  const hooks = join(programs.folder, 'hooks');
  const hasRun = join(programs.folder, 'hook has run');
  await mkdir(hooks);
  await writeFile(join(hooks, 'pre-commit'), `#!/bin/sh\ntouch '${hasRun}'\n`, { mode: 0o755 });
  await writeFile(join(programs.folder, '.gitconfig'), `[core]\nhooksPath = ${hooks}\n`);
  const { code, out, err } = await programs.run(['demo'], { TMPDIR: temporary, GIT_DIR: join(other, '.git') });
  expect(git('log', '--all', '--format=%H')).toBe(before);
  expect(existsSync(hasRun)).toBe(false);
  expect(err).toBe('');
  expect(out).toContain('demo/one: reported success');
  expect(out).toContain('parent: will be notified that demo/two completed');
  expect(out).toContain('done: the main checkout contains one.txt and two.txt');
  expect(out).toMatch(
    /editor: started, .*\n +first \(writer\): completed, .*\n +> Changed files: .*\n +> first\.txt is committed\n +second /,
  );
  expect(out).toContain('done: branch demo/together contains first.txt, second.txt, review.txt');
  expect(code).toBe(0);
  expect(await readdir(temporary)).toEqual([]);
  await expect.poll(remaining, { timeout: 10_000 }).toEqual([]);
});

it('the demo exits with 1 on Ctrl-C and leaves nothing behind', async () => {
  const child = programs.start(['demo'], { TMPDIR: temporary });
  const code = await new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('started a console')) child.kill('SIGINT');
    });
    child.on('close', resolve);
  });
  expect(code).toBe(1);
  expect(await readdir(temporary)).toEqual([]);
  await expect.poll(remaining, { timeout: 10_000 }).toEqual([]);
});

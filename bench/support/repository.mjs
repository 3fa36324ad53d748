import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';

const IDENTITY = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LANG: 'C' };
const PER_FOLDER = 100;

/** Runs git without any user or system configuration. */
export const git = (cwd, ...args) => run('git', args, { cwd, env: ENV });

/** Creates a repository with one commit of `files` files of about 1 kB. */
export async function makeRepository(path, files) {
  mkdirSync(path, { recursive: true });
  await git(path, 'init', '--quiet', '-b', 'main');
  for (let n = 0; n < files; n += 1) {
    const folder = join(path, `part-${String(Math.floor(n / PER_FOLDER)).padStart(3, '0')}`);
    if (n % PER_FOLDER === 0) mkdirSync(folder);
    writeFileSync(join(folder, `file-${n}.txt`), `file ${n}\n${`line of file ${n}\n`.repeat(50)}`);
  }
  await git(path, 'add', '--all');
  await git(path, ...IDENTITY, 'commit', '--quiet', '-m', 'All files');
}

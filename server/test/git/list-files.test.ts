import { rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFixture, type Fixture, failure } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const PAGE = { under: '', query: '', untracked: true, skip: 0, limit: 10 };

it('lists untracked files among the tracked ones, but no ignored ones and none of nested repositories', async () => {
  const { git, repository, write, sh } = fixture;
  const main = fixture.checkout(repository);
  write('.gitignore', '*.log\n');
  fixture.commit('Ignore logs');
  write('debug.log', 'ignored');
  write('src/new.ts', 'new');
  write('src/näher.ts', 'new');
  sh(['init', '--quiet', fixture.path('repository', 'nested')]);
  write('nested/inside.ts', 'not ours');
  symlinkSync('/etc', fixture.path('repository', 'link'));
  const all = [
    { path: '.gitignore', kind: 'file', tracked: true },
    { path: 'link', kind: 'link', tracked: false },
    { path: 'readme.md', kind: 'file', tracked: true },
    { path: 'src/app.ts', kind: 'file', tracked: true },
    { path: 'src/new.ts', kind: 'file', tracked: false },
    { path: 'src/näher.ts', kind: 'file', tracked: false },
  ];
  expect(await git.files(main, PAGE)).toEqual({ total: 6, files: all });
  expect(await git.files(main, { ...PAGE, skip: 1, limit: 3 })).toEqual({ total: 6, files: all.slice(1, 4) });
  expect(await git.files(main, { ...PAGE, under: 'src' })).toEqual({ total: 3, files: all.slice(3) });
  expect(await git.files(main, { ...PAGE, query: 'new' })).toEqual({ total: 1, files: all.slice(4, 5) });
  const tracked = all.filter((file) => file.tracked);
  expect(await git.files(main, { ...PAGE, untracked: false })).toEqual({ total: 3, files: tracked });
});

it('says that a checkout whose folder was deleted is gone', async () => {
  const { git, sh, path } = fixture;
  const gone = path('gone');
  sh(['worktree', 'add', '--quiet', '-b', 'gone', gone]);
  rmSync(gone, { recursive: true });
  for (const under of ['', 'src']) {
    expect(await failure(git.files(fixture.checkout(gone, 'gone'), { ...PAGE, under }))).toMatchObject({
      code: 'NOT_FOUND',
      details: { path: gone },
    });
  }
});

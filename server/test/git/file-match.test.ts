import { expect, it } from 'vitest';
import { createFileMatcher } from '../../src/git/file-match.ts';

const PATHS = [
  'README.md',
  'client/login-form.css',
  'docs/login/notes.md',
  'server/src/login.ts',
  'server/src/login.test.ts',
  'server/src/log/index.ts',
];

function found(query: string, skip = 0, limit = 10) {
  const matcher = createFileMatcher(query);
  for (const path of PATHS) matcher.add({ path, kind: 'file', tracked: true });
  const { total, files } = matcher.page(skip, limit);
  return [total, ...files.map(({ path }) => path)];
}

it.each([
  [
    'login',
    [
      5,
      'server/src/login.ts',
      'client/login-form.css',
      'server/src/login.test.ts',
      'docs/login/notes.md',
      'server/src/log/index.ts',
    ],
  ],
  ['LOGIN.te', [1, 'server/src/login.test.ts']],
  ['src/log/', [1, 'server/src/log/index.ts']],
  ['readme', [1, 'README.md']],
  ['srvlt', [3, 'server/src/login.ts', 'server/src/log/index.ts', 'server/src/login.test.ts']],
  ['nothing', [0]],
])('files that match %s', (query, paths) => {
  expect(found(query)).toEqual(paths);
});

it('returns one page of the matches, and their total number', () => {
  expect(found('login', 1, 2)).toEqual([5, 'client/login-form.css', 'server/src/login.test.ts']);
});

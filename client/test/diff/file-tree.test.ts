import { expect, test } from 'vitest';
import { type FileTreeRow, fileTreeRows, inTreeOrder } from '../../src/features/diff/file-tree.ts';
import { file } from './files.ts';

const paths = ['README.md', 'src/a/b/one.ts', 'src/a/b/two.ts', 'src/z.ts', 'lib/deep/x.ts', 'vendor/repo/'];
const files = paths.map((path) => file(path, ['+x']));

function drawn(rows: readonly FileTreeRow[]): string[] {
  return rows.map((row) =>
    row.kind === 'file'
      ? `${'  '.repeat(row.depth)}${row.file.path}`
      : `${'  '.repeat(row.depth)}${row.isFolded ? '+' : '-'} ${row.name} ${row.files}`,
  );
}

test('files are in their folders; chains of single folders share a row', () => {
  expect(drawn(fileTreeRows(files, new Set()))).toEqual([
    '- lib/deep 1',
    '  lib/deep/x.ts',
    '- src 3',
    '  - a/b 2',
    '    src/a/b/one.ts',
    '    src/a/b/two.ts',
    '  src/z.ts',
    '- vendor 1',
    '  vendor/repo/',
    'README.md',
  ]);
});

test('a folded folder hides its content', () => {
  expect(drawn(fileTreeRows(files, new Set(['src'])))).toEqual([
    '- lib/deep 1',
    '  lib/deep/x.ts',
    '+ src 3',
    '- vendor 1',
    '  vendor/repo/',
    'README.md',
  ]);
});

test('the diff has the order of the list', () => {
  const listed = fileTreeRows(files, new Set()).flatMap((row) => (row.kind === 'file' ? [row.file] : []));
  expect(inTreeOrder(files)).toEqual(listed);
});

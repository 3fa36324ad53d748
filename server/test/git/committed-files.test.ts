import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixture, type Fixture } from './fixture.ts';

let fixture: Fixture;
let head: string;
beforeAll(() => {
  fixture = createFixture();
  const folder = join(fixture.repository, '.team/plans');
  mkdirSync(join(folder, 'below'), { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  write('b.yaml', 'name: b\n');
  write('a ü.yaml', 'name: ü\n\nlast');
  write('empty.yaml', '');
  write('large.yaml', 'x'.repeat(101));
  write('latin1.yaml', Buffer.from([0xe4, 0x0a]));
  write('below/c.yaml', 'name: c\n');
  symlinkSync('b.yaml', join(folder, 'link.yaml'));
  fixture.sh(['add', '.']);
  fixture.sh(['commit', '--quiet', '-m', 'plans']);
  head = fixture.sh(['rev-parse', 'HEAD']);
});
afterAll(() => fixture.remove());

const files = (commit: string, folder = '.team/plans', limit = 10) =>
  fixture.git.committedFiles(fixture.row, commit, folder, { files: limit, bytes: 100 });

it('reads the text files in a folder of a commit, but no links, subfolders and contents of large files', async () => {
  expect(await files(head)).toEqual([
    { path: '.team/plans/a ü.yaml', bytes: 14, text: 'name: ü\n\nlast' },
    { path: '.team/plans/b.yaml', bytes: 8, text: 'name: b\n' },
    { path: '.team/plans/empty.yaml', bytes: 0, text: '' },
    { path: '.team/plans/large.yaml', bytes: 101, text: null },
    { path: '.team/plans/latin1.yaml', bytes: 2, text: null },
  ]);
  expect(await files(head, '.team/plans', 2)).toHaveLength(2);
  expect(await files(head, '.nothing')).toEqual([]);
});

it('reads the commit, whatever the checkout contains', async () => {
  const path = join(fixture.repository, '.team/plans/b.yaml');
  writeFileSync(path, 'name: changed\n');
  fixture.sh(['add', path]);
  expect((await files(head))[1]?.text).toBe('name: b\n');
  rmSync(path);
  expect((await files(head))[1]?.text).toBe('name: b\n');
});

it('ignores git replace', async () => {
  const original = fixture.sh(['rev-parse', `${head}:.team/plans/b.yaml`]);
  const other = fixture.sh(['rev-parse', `${head}:.team/plans/below/c.yaml`]);
  fixture.sh(['replace', original, other]);
  expect((await files(head))[1]?.text).toBe('name: b\n');
});

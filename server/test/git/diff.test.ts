import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileDiff } from '../../src/ports/git.ts';
import { code, createFixture, type Fixture } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const diff = (base = 'main') => fixture.git.diff(fixture.checkout(fixture.repository), base);
async function byPath(base?: string): Promise<Record<string, FileDiff>> {
  return Object.fromEntries((await diff(base)).files.map((file) => [file.path, file]));
}
const file = (path: string, rest: Partial<FileDiff>): FileDiff => ({
  path,
  oldPath: null,
  status: 'modified',
  oldMode: '100644',
  newMode: '100644',
  binary: false,
  additions: 0,
  deletions: 0,
  hunks: [],
  truncated: false,
  invalidUtf8: false,
  ...rest,
});

describe('diff', () => {
  it('is empty for a clean checkout', async () => {
    const baseSha = fixture.sh(['rev-parse', 'HEAD']);
    expect(await diff()).toEqual({ baseSha, files: [], moreFiles: 0 });
  });

  it('contains commits since the merge base, and staged, unstaged and untracked changes, by hunk', async () => {
    const baseSha = fixture.sh(['rev-parse', 'HEAD']);
    fixture.sh(['checkout', '--quiet', '-b', 'work']);
    fixture.write('committed.txt', 'committed\n');
    fixture.commit('On work');
    fixture.sh(['checkout', '--quiet', 'main']);
    fixture.write('elsewhere.txt', 'not ours\n');
    fixture.commit('On main');
    fixture.sh(['checkout', '--quiet', 'work']);
    fixture.write('readme.md', 'one\nTWO\nthree\n');
    fixture.write('src/app.ts', '');
    fixture.sh(['add', 'src/app.ts']);
    fixture.write('untracked.txt', 'no newline');
    expect(await diff()).toEqual({
      baseSha,
      moreFiles: 0,
      files: [
        file('committed.txt', {
          status: 'added',
          oldMode: null,
          additions: 1,
          hunks: [
            { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, header: '@@ -0,0 +1 @@', lines: ['+committed'] },
          ],
        }),
        file('readme.md', {
          additions: 1,
          deletions: 1,
          hunks: [
            {
              oldStart: 1,
              oldLines: 3,
              newStart: 1,
              newLines: 3,
              header: '@@ -1,3 +1,3 @@',
              lines: [' one', '-two', '+TWO', ' three'],
            },
          ],
        }),
        file('src/app.ts', {
          deletions: 1,
          hunks: [
            {
              oldStart: 1,
              oldLines: 1,
              newStart: 0,
              newLines: 0,
              header: '@@ -1 +0,0 @@',
              lines: ['-export const answer = 42;'],
            },
          ],
        }),
        file('untracked.txt', {
          status: 'untracked',
          oldMode: null,
          additions: 1,
          hunks: [
            {
              oldStart: 0,
              oldLines: 0,
              newStart: 1,
              newLines: 1,
              header: '@@ -0,0 +1 @@',
              lines: ['+no newline', '\\ No newline at end of file'],
            },
          ],
        }),
      ],
    });
  });

  it('distinguishes renames, deletions, modes, links and binary files', async () => {
    fixture.write('old name.txt', 'a line\n'.repeat(20));
    fixture.write('gone.txt', 'gone\n');
    fixture.write('tool.sh', 'echo\n');
    fixture.write('becomes-link', 'text\n');
    fixture.write('bytes.bin', Buffer.from([1, 0, 2]));
    fixture.commit('Things to change');
    fixture.sh(['branch', 'base']);
    renameSync(`${fixture.repository}/old name.txt`, `${fixture.repository}/new name.txt`);
    rmSync(`${fixture.repository}/gone.txt`);
    chmodSync(`${fixture.repository}/tool.sh`, 0o755);
    rmSync(`${fixture.repository}/becomes-link`);
    symlinkSync('readme.md', `${fixture.repository}/becomes-link`);
    fixture.write('bytes.bin', Buffer.from([1, 0, 3]));
    fixture.write('zz-last.txt', 'last\n');
    const files = await byPath('base');
    expect(files['new name.txt']).toEqual(file('new name.txt', { oldPath: 'old name.txt', status: 'renamed' }));
    expect(files['gone.txt']).toMatchObject({
      status: 'deleted',
      newMode: null,
      deletions: 1,
      hunks: [{ lines: ['-gone'] }],
    });
    expect(files['tool.sh']).toEqual(file('tool.sh', { newMode: '100755' }));
    expect(files['becomes-link']).toMatchObject({
      status: 'typeChanged',
      newMode: '120000',
      hunks: [{ lines: ['-text'] }, { lines: ['+readme.md', '\\ No newline at end of file'] }],
    });
    expect(files['bytes.bin']).toEqual(file('bytes.bin', { binary: true }));
    expect(files['zz-last.txt']).toMatchObject({ status: 'untracked', hunks: [{ lines: ['+last'] }] });
    expect(Object.keys(files)).toHaveLength(6);
  });

  it('returns unusual file names unchanged, with their hunks', async () => {
    const names = [
      'a b.txt',
      'quo"te\\.txt',
      'ünï-分支.txt',
      'tab\there.txt',
      'x\ndiff --git a/evil b/evil\n@@ -1 +1 @@\n+y.txt',
      '-option',
      ' leading',
      ':(glob)*',
      'carriage\r',
    ];
    for (const name of names) fixture.write(name, `in ${JSON.stringify(name)}\n`);
    const untracked = await byPath();
    fixture.sh(['add', '--all']);
    const staged = await byPath();
    for (const name of names) {
      const hunks = [{ lines: [`+in ${JSON.stringify(name)}`] }];
      expect(untracked[name]).toMatchObject({ status: 'untracked', hunks });
      expect(staged[name]).toMatchObject({ status: 'added', hunks });
    }
    expect([Object.keys(untracked).length, Object.keys(staged).length]).toEqual([names.length, names.length]);
  });

  it('says which files contain bytes that are not UTF-8 in their lines or names', async () => {
    fixture.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
    fixture.write('replaced.txt', '\ufffd\n');
    writeFileSync(Buffer.from(`${fixture.repository}/name-\xe9`, 'latin1'), 'text\n');
    const files = await byPath();
    expect(files['latin.txt']).toMatchObject({ invalidUtf8: true, hunks: [{ lines: ['+caf\ufffd'] }] });
    expect(files['replaced.txt']).toMatchObject({ invalidUtf8: false, hunks: [{ lines: ['+\ufffd'] }] });
    expect(files['name-\ufffd']).toMatchObject({ invalidUtf8: true, hunks: [{ lines: ['+text'] }] });
  });

  it('treats lines that look like headers as content', async () => {
    const lines = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '', '\\ No newline'];
    fixture.write('tricky.txt', `${lines.join('\n')}\n`);
    fixture.write('zz.txt', 'z\n');
    const files = await byPath();
    expect(files['tricky.txt']?.hunks[0]?.lines).toEqual(lines.map((line) => `+${line}`));
    expect(files['zz.txt']?.hunks[0]?.lines).toEqual(['+z']);
  });

  it('lists a file with conflict markers once during a merge', async () => {
    fixture.sh(['checkout', '--quiet', '-b', 'work']);
    fixture.write('readme.md', 'ours\n');
    fixture.commit('Ours');
    fixture.sh(['checkout', '--quiet', 'main']);
    fixture.write('readme.md', 'theirs\n');
    fixture.commit('Theirs');
    fixture.sh(['checkout', '--quiet', 'work']);
    expect(() => fixture.sh(['merge', 'main'])).toThrow();
    fixture.write('untracked.txt', 'u\n');
    const { files } = await diff('HEAD');
    expect(files.map((each) => [each.path, each.status])).toEqual([
      ['readme.md', 'modified'],
      ['untracked.txt', 'untracked'],
    ]);
    expect(files[0]?.hunks[0]?.lines).toContain('+<<<<<<< HEAD');
  });

  it('lists submodules by commit and nested repositories by name', async () => {
    const inner = fixture.path('inner');
    fixture.sh(['clone', '--quiet', fixture.repository, inner]);
    fixture.sh(['submodule', '--quiet', 'add', inner, 'module']);
    fixture.commit('A submodule');
    fixture.sh(['branch', 'base']);
    const before = fixture.sh(['rev-parse', 'HEAD:module']);
    const after = fixture.commit('In the submodule', `${fixture.repository}/module`);
    mkdirSync(`${fixture.repository}/nested`);
    fixture.sh(['init', '--quiet'], `${fixture.repository}/nested`);
    fixture.commit('In a nested repository', `${fixture.repository}/nested`);
    const files = await byPath('base');
    expect(files.module?.hunks[0]?.lines).toEqual([`-Subproject commit ${before}`, `+Subproject commit ${after}`]);
    expect(files['nested/']).toEqual(
      file('nested/', { status: 'untracked', oldMode: null, newMode: null, truncated: true }),
    );
    expect(Object.keys(files)).toHaveLength(2);
  });

  it('detects an edit made in the same instant as the last git add', async () => {
    const instant = new Date('2026-01-01T00:00:00Z');
    fixture.sh(['config', 'core.trustctime', 'false']);
    fixture.write('readme.md', 'AAA\n');
    utimesSync(`${fixture.repository}/readme.md`, instant, instant);
    fixture.commit('Then');
    fixture.write('readme.md', 'BBB\n');
    utimesSync(`${fixture.repository}/readme.md`, instant, instant);
    utimesSync(fixture.path('repository/.git/index'), instant, instant);
    fixture.write('untracked.txt', 'u\n');
    expect((await byPath())['readme.md']?.hunks[0]?.lines).toEqual(['-AAA', '+BBB']);
  });

  it('does not change the index', async () => {
    fixture.write('untracked.txt', 'u\n');
    fixture.write('readme.md', 'one\nTWO\nthree\n');
    const state = () => [
      readFileSync(fixture.path('repository/.git/index')).toString('base64'),
      fixture.sh(['--no-optional-locks', 'status', '--porcelain']),
    ];
    const before = state();
    await diff();
    expect(state()).toEqual(before);
  });

  it('runs no external diff or text conversion, and ignores settings that change the format', async () => {
    const ran = fixture.path('ran');
    fixture.write('.gitattributes', '*.md diff=odd\n');
    for (const [key, value] of [
      ['diff.odd.command', `touch '${ran}'; true`],
      ['diff.odd.textconv', `touch '${ran}'; cat`],
      ['diff.external', `touch '${ran}'; true`],
      ['diff.noprefix', 'true'],
      ['diff.mnemonicPrefix', 'true'],
      ['color.ui', 'always'],
      ['diff.renames', 'false'],
      ['diff.suppressBlankEmpty', 'true'],
      ['core.quotePath', 'false'],
      ['diff.context', '0'],
      ['diff.submodule', 'log'],
      ['diff.wordRegex', '.'],
      ['diff.relative', 'true'],
      ['diff.orderFile', fixture.path('no-such-file')],
    ] as const) {
      fixture.sh(['config', key, value]);
    }
    fixture.write('readme.md', 'one\nTWO\nthree\n');
    expect((await byPath())['readme.md']?.hunks[0]?.lines).toEqual([' one', '-two', '+TWO', ' three']);
    expect(() => readFileSync(ran)).toThrow();
  });

  it('drops the hunks of a file that is too large and keeps those of the others', async () => {
    fixture.write('aa-large.txt', 'a line of the large file\n'.repeat(20_000));
    fixture.write('one-line.json', 'x'.repeat(2_000_000));
    fixture.write('zz-small.txt', 'small\n');
    const files = await byPath();
    expect(files['aa-large.txt']).toMatchObject({ truncated: true, additions: 20_000, hunks: [] });
    expect(files['one-line.json']).toMatchObject({ truncated: true, additions: 1, hunks: [] });
    expect(files['zz-small.txt']).toMatchObject({ truncated: false, hunks: [{ lines: ['+small'] }] });
  });

  it('counts files beyond its limit instead of listing them', async () => {
    for (let number = 0; number < 2_003; number += 1) fixture.write(`many/${number}`, 'x\n');
    const untracked = await diff();
    expect([untracked.files.length, untracked.moreFiles]).toEqual([2_000, 3]);
    fixture.sh(['add', '--all']);
    const staged = await diff();
    expect([staged.files.length, staged.moreFiles]).toEqual([2_000, 3]);
  });

  it('compares directly with a base of unrelated history', async () => {
    fixture.sh(['checkout', '--quiet', '--orphan', 'lonely']);
    fixture.commit('Alone');
    fixture.sh(['rm', '--quiet', 'readme.md']);
    expect((await diff('main')).files.map((each) => [each.path, each.status])).toEqual([['readme.md', 'deleted']]);
  });

  it.each([
    ['nowhere', 'NOT_FOUND'],
    ['--output=owned', 'VALIDATION'],
  ])('rejects the base %j with %s', async (base, expected) => {
    expect(await code(diff(base))).toBe(expected);
  });
});

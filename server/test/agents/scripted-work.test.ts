import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { useWorkplaceInProcess } from './support/workplace.ts';

describe('the work of the scripted agent', () => {
  const place = useWorkplaceInProcess();
  const read = (path: string) => readFileSync(join(place.cwd, path), 'utf8');

  it('writes files below its folder, with newlines where the prompt has \\n', async () => {
    const agent = await place.start();
    const shown = await agent.turn('@write deep/er/a.txt one\\n  two ü\\n\n@write empty.txt');
    expect(read('deep/er/a.txt')).toBe('one\n  two ü\n');
    expect(read('empty.txt')).toBe('');
    expect(shown).toBe('wrote deep/er/a.txt (13 bytes)\nwrote empty.txt (0 bytes)\n');
  });

  it('keeps the error of a failed turn in a fork', async () => {
    const agent = await place.start();
    await agent.turn('@fail no more credit');
    const fork = join(place.folder, 'fork.jsonl');
    await place.start(['--transcript', fork, '--fork-from', place.transcript]);
    const entriesOf = (file: string) => {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as unknown);
    };
    expect(entriesOf(fork).at(-1)).toMatchObject({ role: 'turnEnd', error: 'no more credit' });
    expect(entriesOf(fork)).toEqual(entriesOf(place.transcript));
  });

  it.each([
    ['above its folder', '../out.txt'],
    ['at an absolute path', '/tmp/scripted-agent-must-not-write.txt'],
    ['through a linked folder', 'link/out.txt'],
    ['through a linked file', 'file-link'],
    ['through a link to nothing', 'dangling'],
    ['into git', '.git/hooks/pre-commit'],
    ['over its own folder', '.'],
  ])('does not write %s', async (_, path) => {
    mkdirSync(join(place.folder, 'outside'));
    writeFileSync(join(place.folder, 'outside', 'file'), 'untouched');
    symlinkSync(join(place.folder, 'outside'), join(place.cwd, 'link'));
    symlinkSync(join(place.folder, 'outside', 'file'), join(place.cwd, 'file-link'));
    symlinkSync(join(place.folder, 'outside', 'new'), join(place.cwd, 'dangling'));
    const agent = await place.start();
    expect(await agent.turn(`@write ${path} gotcha`)).toMatch(/^error: /);
    expect(readdirSync(join(place.folder, 'outside'))).toEqual(['file']);
    expect(readFileSync(join(place.folder, 'outside', 'file'), 'utf8')).toBe('untouched');
    expect(readdirSync(place.cwd).sort()).toEqual(['dangling', 'file-link', 'link']);
    expect(existsSync('/tmp/scripted-agent-must-not-write.txt')).toBe(false);
    expect(existsSync(join(place.folder, 'out.txt'))).toBe(false);
  });

  it('commits everything, as itself if git has no user, and says if there is nothing to commit', async () => {
    place.repository();
    const agent = await place.start();
    const shown = await agent.turn('@write a.txt x\n@commit --first: "quoted" $(id)\n@commit again\n@commit');
    expect(shown).toMatch(
      /committed [0-9a-f]{7,} --first: "quoted" \$\(id\)\nnothing to commit\nerror: usage: @commit message/,
    );
    expect(place.git('log', '-1', '--format=%an <%ae>|%cn <%ce>|%s')).toBe(
      'Scripted Agent <scripted-agent@localhost>|Scripted Agent <scripted-agent@localhost>|--first: "quoted" $(id)',
    );
    expect(place.git('status', '--porcelain')).toBe('');
  });

  it("commits in the user's name if git has one", async () => {
    place.repository();
    place.git('config', 'user.name', 'Ada');
    place.git('config', 'user.email', 'ada@localhost');
    const agent = await place.start();
    await agent.turn('@write a.txt x\n@commit hers');
    expect(place.git('log', '-1', '--format=%an <%ae>')).toBe('Ada <ada@localhost>');
  });

  it('handles a plain prompt by committing a single note, before the lines that follow', async () => {
    place.repository();
    writeFileSync(join(place.cwd, 'unfinished.txt'), 'not asked for');
    const agent = await place.start();
    const shown = await agent.turn('@say first\nAdd a login page, "très" bien!\n\n- with tests\n@say last\nand docs');
    expect(shown).toMatch(
      /^first\nwrote notes\/\d{8}T\d{9}Z-add-a-login-page-tres-bien\.md and committed it: [0-9a-f]+\nlast\n$/,
    );
    const [note] = readdirSync(join(place.cwd, 'notes'));
    expect(read(`notes/${note}`)).toBe('Add a login page, "très" bien!\n\n- with tests\nand docs\n');
    expect(place.git('show', '--format=%s', '--name-only', 'HEAD').split('\n')).toEqual([
      'note: Add a login page, "très" bien!',
      '',
      `notes/${note}`,
    ]);
    expect(place.git('status', '--porcelain')).toBe('?? unfinished.txt');
  });

  it('writes the note without a commit if there is no repository', async () => {
    const agent = await place.start();
    expect(await agent.turn('漢字だけ')).toMatch(
      /^wrote notes\/\d{8}T\d{9}Z-note\.md but did not commit it: not a git repository/,
    );
    expect(readdirSync(join(place.cwd, 'notes'))).toHaveLength(1);
  });

  it('merges a branch, and undoes a merge that conflicts', async () => {
    place.repository();
    const agent = await place.start();
    await agent.turn('@write a.txt base\n@commit base');
    place.git('checkout', '--quiet', '-b', 'clean');
    await agent.turn('@write b.txt new\n@commit on clean');
    place.git('checkout', '--quiet', '-b', 'clash', 'main');
    await agent.turn('@write a.txt theirs\n@commit on clash');
    place.git('checkout', '--quiet', 'main');
    await agent.turn('@write a.txt ours\n@commit on main');

    const shown = await agent.turn('@merge clean\n@merge clash\n@merge --help\n@merge nowhere\n@say done');
    expect(shown).toMatch(/^merged clean: .*\nerror: git merge: clash conflicts in a\.txt; the merge was undone\n/);
    expect(shown).toMatch(/error: git merge: merge: --help - not something we can merge\n/);
    expect(shown).toMatch(/error: git merge: merge: nowhere - not something we can merge\ndone\n$/);
    expect(place.git('log', '-1', '--format=%an|%s|%p')).toMatch(/^Scripted Agent\|Merge branch 'clean'\|\S+ \S+$/);
    expect(place.git('status', '--porcelain')).toBe('');
    expect(read('a.txt')).toBe('ours');
  });

  it('prints the error message of git, and continues', async () => {
    const agent = await place.start();
    expect(await agent.turn('@commit nowhere\n@say on')).toMatch(
      /^error: git add: not a git repository.*\n(.*\n)?on\n$/,
    );
  });

  it('says when git is not installed', async () => {
    const agent = await place.start(undefined, { PATH: join(place.folder, 'home') });
    expect(await agent.turn('@commit x')).toBe('error: git is not installed, or not in PATH\n');
  });

  it('waits for another git command that holds the index lock', async () => {
    place.repository();
    const trace = join(place.folder, 'trace');
    const lock = join(place.cwd, '.git', 'index.lock');
    writeFileSync(lock, '');
    const agent = await place.start(undefined, { GIT_TRACE: trace });
    agent.submit('@write a.txt x\n@commit patient');
    await until(
      'git to try twice',
      () => existsSync(trace) && readFileSync(trace, 'utf8').split('built-in: git add').length > 2,
    );
    rmSync(lock);
    await agent.expect('committed ');
  });
});

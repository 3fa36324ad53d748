import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixture, type Fixture, failure, gitThatFirst } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
  fixture.sh(['config', '--global', 'user.name', 'Tester']);
  fixture.sh(['config', '--global', 'user.email', 'tester@example.com']);
});
afterEach(() => fixture.remove());

const sha = (name: string) => fixture.sh(['rev-parse', name]);
const spec = (strategy: 'merge' | 'squash' | 'rebase') => ({
  strategy,
  into: sha('main'),
  from: sha('work'),
  message: 'Combined\n',
});

/** Commits all changes with exactly this message, which may contain bytes that are not UTF-8. */
function commitAs(message: Buffer | string, args: readonly string[] = [], env: Record<string, string> = {}) {
  fixture.sh(['add', '--all']);
  const all = ['commit', '--quiet', '--allow-empty', '--allow-empty-message', '--cleanup=verbatim', ...args, '-F', '-'];
  execFileSync('git', all, { cwd: fixture.repository, env: { ...fixture.env, ...env }, input: message });
}

/** Returns authors, dates, trees and messages of the commits of `tip` that `main` does not have, oldest first. */
function history(tip: string): string {
  const log = ['log', '--reverse', '--format=%an <%ae> %ad %T %B%x00', '--date=raw', `main..${tip}`];
  return execFileSync('git', log, { cwd: fixture.repository, env: fixture.env }).toString('latin1');
}

describe('a rebase', () => {
  it('gives the same commits as git rebase: authors, encodings, messages, empty commits, renames', async () => {
    fixture.write('moved.txt', 'one\ntwo\nthree\nfour\nfive\n');
    fixture.commit('Base');
    fixture.sh(['switch', '--quiet', '--create', 'work']);
    fixture.write('a.txt', 'a\n');
    commitAs('\n\nSubject\n# Not a comment\n\nBody  \n\n\n');
    commitAs('An empty commit\n');
    fixture.write('b.txt', 'b\n');
    commitAs('', ['--author=Zoë Ä <zoe@example.com>'], { GIT_AUTHOR_DATE: '@86400 -0730' });
    fixture.write('c.txt', 'c\n');
    commitAs(Buffer.from('Latin \xfc\n', 'latin1'), [], {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'i18n.commitEncoding',
      GIT_CONFIG_VALUE_0: 'ISO-8859-1',
    });
    fixture.write('same.txt', 'same\n');
    commitAs('Applied in both\n');
    fixture.sh(['mv', 'moved.txt', 'renamed.txt']);
    commitAs('Rename\n');
    fixture.sh(['merge', '--quiet', '--no-ff', '-m', 'A merge', 'HEAD~3']);
    fixture.write('renamed.txt', 'one\ntwo\nthree\nfour\nFIVE\n');
    commitAs('No newline at the end');
    fixture.sh(['switch', '--quiet', 'main']);
    fixture.write('same.txt', 'same\n');
    fixture.commit('The same change');
    fixture.write('moved.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
    fixture.commit('Change of the renamed file');
    const combined = await fixture.git.combine(fixture.row, spec('rebase'));
    fixture.sh(['branch', 'plain', 'work']);
    fixture.sh(['rebase', '--quiet', 'main', 'plain']);
    fixture.sh(['switch', '--quiet', 'main']);
    expect(combined.conflicts).toEqual([]);
    expect(history(combined.commit ?? '')).toBe(history('plain'));
    expect(fixture.sh(['show', `${combined.commit}:renamed.txt`])).toBe('ONE\ntwo\nthree\nfour\nFIVE');
  });

  it('keeps commits that are already on top of the target, and combines unrelated histories', async () => {
    fixture.sh(['switch', '--quiet', '--create', 'work']);
    fixture.write('a.txt', 'a\n');
    fixture.commit('On top');
    expect(await fixture.git.combine(fixture.row, spec('rebase'))).toMatchObject({ commit: sha('work') });
    fixture.sh(['checkout', '--quiet', '--orphan', 'unrelated']);
    fixture.sh(['rm', '-rfq', '.']);
    fixture.write('other.txt', 'other\n');
    fixture.commit('Unrelated');
    const from = sha('unrelated');
    const { commit } = await fixture.git.combine(fixture.row, { ...spec('rebase'), from });
    expect(fixture.sh(['ls-tree', '-r', '--name-only', commit ?? ''])).toBe('other.txt\nreadme.md\nsrc/app.ts');
    expect(await failure(fixture.git.combine(fixture.row, { ...spec('merge'), from }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('no common commit'),
    });
  });
});

describe('combining commits', () => {
  /** Creates the branch `work` and adds a commit to it and to `main`. The two commits do not conflict. */
  function diverge() {
    fixture.sh(['switch', '--quiet', '--create', 'work']);
    fixture.write('work.txt', 'work\n');
    fixture.commit('Work');
    fixture.sh(['switch', '--quiet', 'main']);
    fixture.write('main.txt', 'main\n');
    fixture.commit('Main');
  }

  it('finds nothing to squash when the target already has all changes', async () => {
    diverge();
    fixture.write('work.txt', 'work\n');
    fixture.commit('The same work');
    expect(await fixture.git.combine(fixture.row, spec('squash'))).toEqual({ commit: sha('main'), conflicts: [] });
  });

  /** Adds a file to the folder `split` on `work`, and moves the other files to two different folders on `main`. */
  function splitFolder() {
    fixture.write('split/one.txt', 'one\n');
    fixture.write('split/two.txt', 'two\n');
    fixture.commit('Base');
    fixture.sh(['switch', '--quiet', '--create', 'work']);
    fixture.write('split/new.txt', 'new\n');
    fixture.commit('Work');
    fixture.sh(['switch', '--quiet', 'main']);
    for (const name of ['one', 'two']) {
      mkdirSync(path.join(fixture.repository, name));
      fixture.sh(['mv', `split/${name}.txt`, `${name}/`]);
    }
    fixture.commit('Split');
  }

  it('names the folder of a conflict that concerns no file, and combines nothing', async () => {
    splitFolder();
    const conflicts = [{ path: 'split', kind: 'directory rename split', ours: null, theirs: null }];
    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      expect(await fixture.git.combine(fixture.row, spec(strategy))).toEqual({ commit: null, conflicts });
    }
    expect(() => fixture.sh(['merge', '--quiet', 'work'])).toThrow();
    fixture.sh(['merge', '--abort']);
    fixture.sh(['switch', '--quiet', 'work']);
    const checkout = fixture.checkout(fixture.repository, 'work');
    const compared = await fixture.git.compareWithBase(checkout, { base: 'main', start: null });
    expect(compared).toMatchObject({ conflictsWithBase: true, merged: false });
  });

  it('has conflicts whenever git says so, even if it names none', async () => {
    diverge();
    const env = gitThatFirst(fixture, `case "$*" in *' merge-tree '*) "$real" "$@"; exit 1;; esac`);
    expect(await fixture.adapter({ env }).combine(fixture.row, spec('merge'))).toEqual({
      commit: null,
      conflicts: [{ path: '.', kind: 'unknown', ours: null, theirs: null }],
    });
  });

  it.each([
    ['without an identity', ['user.useConfigOnly', 'true'], 'GIT_FAILED', /user\.name/],
    ['when a signature is required and fails', ['commit.gpgSign', 'true'], 'GIT_FAILED', /could not sign.*gpg-agent/s],
  ] as const)('fails %s, and says what to do', async (_, setting, code, advice) => {
    diverge();
    fixture.sh(['config', '--global', '--unset', 'user.name']);
    fixture.sh(['config', '--global', '--unset', 'user.email']);
    fixture.sh(['config', '--global', ...setting]);
    if (setting[0] === 'commit.gpgSign') {
      fixture.sh(['config', '--global', 'user.name', 'Tester']);
      fixture.sh(['config', '--global', 'user.email', 'nobody@example.com']);
    }
    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      const refused = await failure(fixture.git.combine(fixture.row, spec(strategy)));
      expect(refused.code).toBe(code);
      expect(refused.message).toMatch(advice);
    }
  });

  it('fails if git cannot merge, and says what to do', async () => {
    diverge();
    const env = gitThatFirst(
      fixture,
      `case "$*" in *' merge-tree '*) echo 'fatal: unable to read tree' >&2; exit 128;; esac`,
    );
    const failed = await failure(fixture.adapter({ env }).combine(fixture.row, spec('merge')));
    expect(failed.code).toBe('GIT_FAILED');
    expect(failed.message).toMatch(/unable to read tree\. .*git fsck/);
  });

  it('needs git 2.38, and says so', async () => {
    diverge();
    const env = gitThatFirst(
      fixture,
      `case "$*" in *' merge-tree '*) echo 'usage: git merge-tree <base-tree> <branch1> <branch2>' >&2; exit 129;; esac`,
    );
    const refused = await failure(fixture.adapter({ env }).combine(fixture.row, spec('merge')));
    expect(refused).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('Install git 2.38') });
  });
});

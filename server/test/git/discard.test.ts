import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { RECOVERY_UNTRACKED_MAX_BYTES, RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GitContext } from '../../src/git/context.ts';
import { discard as discardIn } from '../../src/git/discard.ts';
import { undoDiscard } from '../../src/git/undo-discard.ts';
import { code, createFixture, type Fixture, failure, until } from './fixture.ts';
import { killedAt } from './killed.ts';

let fixture: Fixture;
let tree: string;
const NAME = 'wt-001-abcd';

beforeEach(async () => {
  fixture = createFixture();
  fixture.write('a.txt', 'committed\n');
  fixture.commit('A file');
  tree = fixture.path('trees/work');
  await fixture.git.addWorktree(fixture.checkout(tree, 'work'), { startPoint: 'main' });
  fixture.write('a.txt', 'changed\n', tree);
  fixture.write('new.txt', 'new\n', tree);
});
afterEach(() => fixture.remove());

const location = () => ({ path: tree, commonDir: fixture.row.commonDir });
const temporaryFiles = () =>
  readdirSync(tree, { recursive: true }).filter((name) => String(name).includes('.agent-console'));
const read = (name: string) => readFileSync(`${tree}/${name}`, 'utf8');
const discard = (onSaved: (recoveryRef: string) => Promise<void>) =>
  fixture.git.discard(fixture.checkout(tree), NAME, { onSaved, onRefused: async () => undefined });

describe('discarding changes', () => {
  it('changes no file before its caller knows where all are saved', async () => {
    let saved: string[] = [];
    const stopped = discard(async (recoveryRef) => {
      saved = ['a.txt', 'new.txt'].map((name) => fixture.sh(['show', `${recoveryRef}:${name}`]));
      throw new Error('the server dies here');
    });
    await expect(stopped).rejects.toThrow('the server dies here');
    expect(saved).toEqual(['changed', 'new']);
    expect([read('a.txt'), read('new.txt')]).toEqual(['changed\n', 'new\n']);
  });

  it.each(['ignored', 'untracked'])('restores a file that was removed from the index only and is %s', async (kind) => {
    fixture.write('.gitignore', kind === 'ignored' ? 'a.txt\n' : '', tree);
    fixture.sh(['rm', '--quiet', '--cached', 'a.txt'], tree);
    let saved = '';
    await discard(async (recoveryRef) => {
      saved = recoveryRef;
    });
    expect(read('a.txt')).toBe('committed\n');
    expect(fixture.sh(['status', '--porcelain'], tree)).toBe('');
    await fixture.git.undoDiscard(fixture.checkout(tree), NAME, saved, async () => undefined);
    expect(read('a.txt')).toBe('changed\n');
  });

  it.each(['a.txt', 'new.txt'])(
    'is refused if %s is written after it was saved, so that nothing unsaved is lost',
    async (name) => {
      const refused = discard(async () => fixture.write(name, 'later\n', tree));
      expect(await code(refused)).toBe('CONFLICT');
      expect({ 'a.txt': read('a.txt'), 'new.txt': read('new.txt') }).toEqual({
        'a.txt': 'changed\n',
        'new.txt': 'new\n',
        [name]: 'later\n',
      });
    },
  );

  it('refuses a single hunk of a file that is not UTF-8, because its bytes would be lost', async () => {
    fixture.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'), tree);
    fixture.commit('Latin 1', tree);
    fixture.write('latin.txt', 'coffee\n', tree);
    const hunks = [{ path: 'latin.txt', oldStart: 1, newStart: 1 }];
    const nothing = async () => undefined;
    const refused = fixture.git.discard(fixture.checkout(tree), NAME, { hunks, onSaved: nothing, onRefused: nothing });
    expect(await code(refused)).toBe('CONFLICT');
    expect(read('latin.txt')).toBe('coffee\n');
  });

  it('is ended at the next start if the server dies while git writes files, and can be undone', async () => {
    const started = fixture.path('started');
    const smudge = `touch '${started}'; while [ ! -e '${started}.go' ]; do sleep 0.02; done; cat`;
    fixture.sh(['config', '--global', 'filter.slow.smudge', smudge]);
    fixture.write('.git/info/attributes', 'a.txt filter=slow\n');
    const { context, killed } = killedAt(fixture, 'restore', 'after');
    let saved = '';
    const onSaved = async (recoveryRef: string) => {
      saved = recoveryRef;
    };
    const what = { onSaved, onRefused: async () => undefined };
    const outlives = Promise.race([discardIn(context, location(), NAME, what), killed]);
    await until(() => existsSync(started));
    await fixture.adapter().sweep();
    expect(await outlives).toBe('killed');
    expect(existsSync(`${tree}/a.txt`)).toBe(false);
    await fixture.git.undoDiscard(fixture.checkout(tree), NAME, saved, async () => undefined);
    expect([read('a.txt'), read('new.txt')]).toEqual(['changed\n', 'new\n']);
  });

  it('says how a file can be discarded whose path cannot be passed, because it is not UTF-8', async () => {
    for (const name of ['\xe9.txt', 'caf\xe9/menu.txt', 'docs/\xe9/a.txt']) {
      const file = Buffer.from(`${tree}/${name}`, 'latin1');
      mkdirSync(file.subarray(0, file.lastIndexOf('/')), { recursive: true });
      writeFileSync(file, 'text\n');
    }
    const nothing = async () => undefined;
    const adviceFor = async (path: string) => {
      const hunks = [{ path, oldStart: 0, newStart: 1 }];
      const what = { hunks, onSaved: nothing, onRefused: nothing };
      return (await failure(fixture.git.discard(fixture.checkout(tree), NAME, what))).message;
    };
    expect(await adviceFor('\ufffd.txt')).toContain('Discard all changes of the worktree.');
    expect(await adviceFor('caf\ufffd/menu.txt')).toContain('Discard all changes of the worktree.');
    expect(await adviceFor('docs/\ufffd/a.txt')).toContain('Pass the folder docs ');
    await discard(async () => undefined);
    expect(readdirSync(tree).sort()).toEqual(['.git', 'a.txt', 'readme.md', 'src']);
  });

  it('keeps a folder in place of a file while it contains files that are not discarded', async () => {
    fixture.write('.gitignore', '*.log\n', tree);
    fixture.commit('Ignore', tree);
    rmSync(`${tree}/a.txt`, { force: true });
    fixture.write('a.txt/new.txt', 'new\n', tree);
    fixture.write('a.txt/build.log', 'ignored\n', tree);
    expect(await discard(async () => undefined)).toMatchObject({ leftOut: ['a.txt'] });
    expect(readdirSync(`${tree}/a.txt`)).toEqual(['build.log']);
    rmSync(`${tree}/a.txt/build.log`);
    expect(await discard(async () => undefined)).toMatchObject({ files: 1, leftOut: [] });
    expect(fixture.sh(['status', '--porcelain'], tree)).toBe('');
    expect(read('a.txt')).toBe('changed\n');
  });

  it('restores a folder in place of which there is a file, and a file in place of which there is a link', async () => {
    fixture.write('folder/b.txt', 'committed\n', tree);
    fixture.write('c.txt', 'committed\n', tree);
    fixture.commit('Folder', tree);
    rmSync(`${tree}/folder`, { recursive: true });
    fixture.write('folder', 'file\n', tree);
    rmSync(`${tree}/c.txt`);
    symlinkSync(fixture.root, `${tree}/c.txt`);
    expect(await discard(async () => undefined)).toMatchObject({ files: 3, leftOut: [] });
    expect([read('folder/b.txt'), read('c.txt')]).toEqual(['committed\n', 'committed\n']);
  });

  it('keeps every file that is too large to be saved, however many there are', async () => {
    const names = Array.from({ length: RISK_LIST_MAX + 5 }, (_, at) => `large/${at}.bin`);
    for (const name of names) {
      fixture.write(name, '', tree);
      truncateSync(`${tree}/${name}`, RECOVERY_UNTRACKED_MAX_BYTES + 1);
    }
    const { leftOut } = await discard(async () => undefined);
    expect(leftOut).toHaveLength(RISK_LIST_MAX);
    expect(readdirSync(`${tree}/large`)).toHaveLength(names.length);
    expect(existsSync(`${tree}/new.txt`)).toBe(false);
  });
});

describe('bringing changes back', () => {
  it('is refused if one of the files is written meanwhile, and leaves no temporary files', async () => {
    let saved = '';
    await discard(async (recoveryRef) => {
      saved = recoveryRef;
    });
    const undo = (onSaved: () => Promise<void>) =>
      fixture.git.undoDiscard(fixture.checkout(tree), NAME, saved, onSaved);
    expect(await code(undo(async () => fixture.write('a.txt', 'later\n', tree)))).toBe('CONFLICT');
    expect(read('a.txt')).toBe('later\n');
    fixture.write('a.txt', 'committed\n', tree);
    await undo(async () => undefined);
    expect([read('a.txt'), read('new.txt')]).toEqual(['changed\n', 'new\n']);
    expect(temporaryFiles()).toEqual([]);
  });

  it('merges them into a file that was renamed meanwhile', async () => {
    let saved = '';
    await discard(async (recoveryRef) => {
      saved = recoveryRef;
    });
    renameSync(`${tree}/a.txt`, `${tree}/b.txt`);
    await fixture.git.undoDiscard(fixture.checkout(tree), NAME, saved, async () => undefined);
    expect(read('b.txt')).toBe('changed\n');
    expect(existsSync(`${tree}/a.txt`)).toBe(false);
  });

  it('leaves no temporary files for a later commit, even if the server dies while a file is written', async () => {
    fixture.write('folder/b.txt', 'new\n', tree);
    let saved = '';
    await discard(async (recoveryRef) => {
      saved = recoveryRef;
    });
    const { context } = killedAt(fixture, 'never', 'before');
    const killed = new Promise((reached) => {
      const run: GitContext['run'] = async (args, options) => {
        if (args.join(' ') !== 'cat-file --batch') return context.run(args, options);
        const { onStdout, ...rest } = options;
        const { stdout } = await context.run(args, rest);
        // Only a part of the last file arrives.
        await onStdout?.(stdout.subarray(0, -3));
        reached('killed');
        return new Promise<never>(() => {});
      };
      const what = { name: NAME, recoveryRef: saved, onSaved: async () => undefined };
      void undoDiscard({ ...context, run }, fixture.repository, location(), what);
    });
    await killed;
    expect(temporaryFiles()).toHaveLength(1);
    await fixture.adapter().sweep();
    expect(temporaryFiles()).toEqual([]);
  });
});

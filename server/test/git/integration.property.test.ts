import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { moveBranch } from '../../src/git/move-branch.ts';
import type { BranchMove } from '../../src/ports/git-integration.ts';
import { createFixture, type Fixture, snapshot } from './fixture.ts';
import { killedAt } from './killed.ts';

const RUNS = process.env.LONG ? 2_000 : 8;
/**
 * Number of git commands that the console runs to move a checked-out branch. A test stops the server at one of them.
 */
const STEPS = 8;

let fixture: Fixture;
beforeAll(() => {
  fixture = createFixture();
  fixture.sh(['config', '--global', 'user.name', 'Tester']);
  fixture.sh(['config', '--global', 'user.email', 'tester@example.com']);
  // Git ignores some of the paths, so that the histories also contain ignored files that are tracked.
  fixture.write('home/.config/git/ignore', '*.log\n', fixture.root);
  fixture.sh(['worktree', 'add', '--quiet', '--detach', fixture.path('plain')]);
});
afterAll(() => fixture.remove());

const PATHS = ['a', 'a/b', 'c', 'c/d/e', 'f.log', 'g h'];
/** Files of a folder. One branch moves the folder or splits it into two, while the other branch may add files to it. */
const FOLDER = ['s/one', 's/two', 's/three', 's/four'];
/**
 * Lines in the middle of most versions of a file. They separate its first from its last line, so that changes of these
 * two lines do not conflict.
 */
const MIDDLE = ['one', 'two', 'three', 'four', 'five', 'six'];

const content = fc
  .tuple(fc.constantFrom('top', 'TOP'), fc.constantFrom('end', 'END'))
  .map(([first, last]) => `${[first, ...MIDDLE, last].join('\n')}\n`);
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...PATHS), content }),
  },
  fc.record({
    kind: fc.constantFrom('delete' as const, 'mode' as const, 'link' as const),
    path: fc.constantFrom(...PATHS),
  }),
  fc.record({ kind: fc.constant('move' as const), path: fc.constantFrom(...PATHS), to: fc.constantFrom(...PATHS) }),
);
const side = fc.constantFrom('main', 'work', 'both', 'work merges main');
const anyHistory = fc.record({
  base: fc.array(change, { minLength: 1, maxLength: 6 }),
  /**
   * Each entry is a commit on the target, a commit on the source, two commits with the same changes on both, or a merge
   * of the target into the source.
   */
  commits: fc.array(fc.record({ side, changes: fc.array(change, { maxLength: 3 }) }), { maxLength: 6 }),
});
const folderChange = fc.oneof(
  fc.record({ kind: fc.constantFrom('move folder' as const, 'split folder' as const), to: fc.constantFrom('t', 'u') }),
  fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom('s/new', 's/one', 't/one'), content }),
);
const folderHistory = fc.record({
  base: fc.constant(
    FOLDER.map((path) => ({ kind: 'write' as const, path, content: `${[path, ...MIDDLE].join('\n')}\n` })),
  ),
  commits: fc.array(fc.record({ side, changes: fc.array(folderChange, { minLength: 1, maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 4,
  }),
});
const history = fc.record({
  about: fc.oneof({ weight: 3, arbitrary: anyHistory }, { weight: 1, arbitrary: folderHistory }),
  strategy: fc.constantFrom('merge' as const, 'squash' as const, 'rebase' as const),
  kill: fc.record({ at: fc.nat(STEPS), when: fc.constantFrom('before' as const, 'after' as const) }),
  killUndo: fc.record({ at: fc.nat(STEPS), when: fc.constantFrom('before' as const, 'after' as const) }),
});

type Change = typeof change | typeof folderChange extends fc.Arbitrary<infer T> ? T : never;
type Tree = ReadonlyMap<string, { mode: string; content: string }>;

function apply(tree: Tree, changes: readonly Change[]): Tree {
  const files = new Map(tree);
  const put = (at: string, file: { mode: string; content: string }) => {
    for (const other of [...files.keys()]) {
      if (other.startsWith(`${at}/`) || at.startsWith(`${other}/`)) files.delete(other);
    }
    files.set(at, file);
  };
  for (const each of changes) {
    if (!('path' in each)) {
      const inside = [...files].filter(([at]) => at.startsWith('s/'));
      for (const [at] of inside) files.delete(at);
      for (const [index, [at, file]] of inside.entries()) {
        const isOther = each.kind === 'split folder' && index % 2 === 1;
        put(`${each.to}${isOther ? '-other' : ''}${at.slice(1)}`, file);
      }
      continue;
    }
    const found = files.get(each.path);
    if (each.kind === 'write') put(each.path, { mode: '100644', content: each.content });
    else if (each.kind === 'link') put(each.path, { mode: '120000', content: 'g h' });
    else if (each.kind === 'delete') files.delete(each.path);
    else if (each.kind === 'mode' && found?.mode === '100644') files.set(each.path, { ...found, mode: '100755' });
    else if (each.kind === 'move' && found !== undefined) {
      files.delete(each.path);
      put(each.to, found);
    }
  }
  return files;
}

/** Writes the commits of both branches with one git process, and checks out the target branch. */
function build({
  base,
  commits,
}: {
  base: readonly Change[];
  commits: readonly { side: string; changes: readonly Change[] }[];
}) {
  const stream: string[] = [];
  let mark = 0;
  const write = (branch: string, tree: Tree, parents: readonly number[]) => {
    mark += 1;
    const message = `Commit ${mark}`;
    stream.push(`commit refs/heads/${branch}\nmark :${mark}\n`);
    stream.push(`committer Tester <tester@example.com> ${1_700_000_000 + mark} +0100\n`);
    stream.push(`data ${message.length}\n${message}\n`);
    for (const [at, parent] of parents.entries()) stream.push(`${at === 0 ? 'from' : 'merge'} :${parent}\n`);
    stream.push('deleteall\n');
    for (const [at, { mode, content: text }] of tree)
      stream.push(`M ${mode} inline ${at}\ndata ${text.length}\n${text}\n`);
    return { mark, tree };
  };
  const root = write('main', apply(new Map(), base), []);
  const tips = { main: root, work: root };
  for (const { side, changes } of commits) {
    if (side === 'work merges main') {
      // The merged content is random, like that of a person who resolves conflicts freely.
      const tree = apply(new Map([...tips.main.tree, ...tips.work.tree]), [...changes]);
      const isTree = [...tree.keys()].every((at) => ![...tree.keys()].some((other) => other.startsWith(`${at}/`)));
      if (isTree) tips.work = write('work', tree, [tips.work.mark, tips.main.mark]);
      continue;
    }
    for (const branch of ['main', 'work'] as const) {
      if (side !== branch && side !== 'both') continue;
      tips[branch] = write(branch, apply(tips[branch].tree, changes), [tips[branch].mark]);
    }
  }
  stream.push(`reset refs/heads/work\nfrom :${tips.work.mark}\n\nreset refs/heads/main\nfrom :${tips.main.mark}\n\n`);
  const input = stream.join('');
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: fixture.repository, env: fixture.env, input });
  fixture.sh(['reset', '--quiet', '--hard', 'main']);
  fixture.sh(['clean', '-fdxq']);
}

/** Integrates with plain git in another worktree. Returns the resulting commit, or null if there are conflicts. */
function plainly(strategy: 'merge' | 'squash' | 'rebase'): string | null {
  const cwd = fixture.path('plain');
  const git = (...args: string[]) => spawnSync('git', args, { cwd, env: fixture.env }).status;
  git('checkout', '--quiet', '--force', '--detach', strategy === 'rebase' ? 'work' : 'main');
  git('clean', '-fdxq');
  const args = {
    merge: ['merge', '--no-ff', '-m', 'M', 'work'],
    squash: ['merge', '--squash', 'work'],
    rebase: ['rebase', 'main'],
  };
  const isClean = git(...args[strategy]) === 0;
  if (isClean && strategy === 'squash') git('commit', '--quiet', '-m', 'S');
  const tip = fixture.sh(['rev-parse', 'HEAD'], cwd);
  if (!isClean) git(...(strategy === 'rebase' ? ['rebase', '--abort'] : ['reset', '--hard', 'HEAD']));
  return isClean ? tip : null;
}

const sha = (name: string) => fixture.sh(['rev-parse', name]);
const commitsOf = (tip: string) => fixture.sh(['log', '--format=%T %an %ad %B', '--date=raw', `main..${tip}`]);
const files = () => snapshot(fixture.repository);

/**
 * Moves the branch with a server that is killed at a step. The next server completes the move, or undoes and repeats
 * it.
 */
async function moveKilled(move: BranchMove, { at, when }: { at: number; when: 'before' | 'after' }): Promise<void> {
  const before = files();
  const { context, killed } = killedAt(fixture, at, when);
  const outcome = await Promise.race([moveBranch(context, fixture.row, move), killed]);
  const git = fixture.adapter();
  await git.sweep();
  const state = await git.settleMove(fixture.row, move);
  expect(sha('main')).toBe(state === 'after' ? move.to : move.from);
  expect(fixture.sh(['status', '--porcelain', '--untracked-files=no'])).toBe('');
  if (outcome !== 'killed') expect(state).toBe('after');
  if (state === 'after') return;
  expect(files()).toEqual(before);
  await git.moveBranch(fixture.row, move);
}

it(
  'an integration has the same tree as with plain git, loses nothing when killed, and can be undone',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ strategy, kill, killUndo, about }) => {
        build(about);
        fixture.write('mine.tmp', 'of a person\n');
        fixture.write('mine.log', 'of a person\n');
        const before = files();
        const from = sha('main');
        const source = sha('work');
        const expected = plainly(strategy);
        const spec = { strategy, into: from, from: source, message: 'M' };
        const { commit: to } = await fixture.git.combine(fixture.row, spec);
        expect(to === null).toBe(expected === null);
        if (to === null || expected === null) return;
        expect(sha(`${to}^{tree}`)).toBe(sha(`${expected}^{tree}`));
        if (strategy === 'rebase') expect(commitsOf(to)).toBe(commitsOf(expected));
        if (to === from) return;
        await moveKilled({ branch: 'main', from, to, reason: 'test' }, kill);
        expect(sha('main')).toBe(to);
        expect(fixture.sh(['status', '--porcelain'])).toBe('?? mine.tmp');
        expect(fixture.sh(['diff', '--name-only', 'HEAD'])).toBe('');
        await moveKilled({ branch: 'main', from: to, to: from, reason: 'test' }, killUndo);
        expect(files()).toEqual(before);
        expect(fixture.sh(['status', '--porcelain'])).toBe('?? mine.tmp');
        expect(readFileSync(path.join(fixture.repository, 'mine.log'), 'utf8')).toBe('of a person\n');
        expect([sha('main'), sha('work')]).toEqual([from, source]);
      }),
      { numRuns: RUNS, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) },
    );
  },
  process.env.LONG ? 4 * 3_600_000 : 120_000,
);

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { COMPARISONS_CACHED_MAX, SQUASH_SEARCH_COMMITS, SQUASH_SEARCH_FILES } from '@agent-console/shared/limits/git';
import type { ChangeSize } from '@agent-console/shared/models/git-status';
import type { BaseComparison } from '../ports/git-comparison.ts';
import { type CheckoutView, withView } from './checkout-view.ts';
import { mergeTree } from './combine.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { changeSize } from './diff.ts';
import { requireBranchName } from './names.ts';
import { branchCommit } from './refs.ts';
import { type BytePath, readChangesAndUpstream } from './status.ts';

/**
 * Comparison of the commit `base` with the commit `head`. The result never changes, unless the repository is a shallow
 * clone or git is too old to find conflicts.
 */
interface CommitComparison {
  ahead: number;
  behind: number;
  conflicts: boolean | null;
  /** Whether `base` contains all changes of `head`; null if this was not searched, because it would take too long. */
  isContained: boolean | null;
  /** Merge base; null if the histories are unrelated. */
  mergeBase: string | null;
}

/** Compares checkouts with branches, and caches the comparisons of commits. */
export interface BaseComparisons {
  /**
   * Compares a checkout with a branch of its repository. `dirtyFiles` and `changes` include uncommitted changes; all
   * other results depend only on commits.
   */
  compare(
    cwd: string,
    checkout: CheckoutLocation,
    work: { base: string; start: string | null },
  ): Promise<BaseComparison>;
  /**
   * Returns the merge base of two commits from the cache; null if the commits have none, undefined if their comparison
   * is not cached.
   */
  mergeBase(commonDir: string, base: string, head: string): string | null | undefined;
}

const keyOf = (commonDir: string, base: string, head: string) => `${base} ${head} ${commonDir}`;

const NO_CHANGES: ChangeSize = { files: 0, additions: 0, deletions: 0 };

export function createBaseComparisons(context: GitContext): BaseComparisons {
  const known = new Map<string, CommitComparison>();

  async function compareCommits(cwd: string, commonDir: string, base: string, head: string): Promise<CommitComparison> {
    if (base === head) return { ahead: 0, behind: 0, conflicts: false, isContained: true, mergeBase: head };
    const key = keyOf(commonDir, base, head);
    const compared = known.get(key) ?? (await compareTwo(context, cwd, base, head));
    if (compared.conflicts === null || (await isShallow(commonDir))) return compared;
    // The used entry is moved to the end of the map, because the least recently used entries are deleted first.
    known.delete(key);
    known.set(key, compared);
    const [oldest] = known.keys();
    if (known.size > COMPARISONS_CACHED_MAX && oldest !== undefined) known.delete(oldest);
    return compared;
  }

  return {
    mergeBase: (commonDir, base, head) => known.get(keyOf(commonDir, base, head))?.mergeBase,
    async compare(cwd, checkout, { base, start }) {
      requireBranchName(base);
      return withView(context, checkout, async (view) => {
        const { head, branch, changes, untracked, upstream } = await readChangesAndUpstream(view);
        const baseHead = await branchCommit(context, cwd, base);
        const dirtyFiles = changes.length + untracked.length;
        if (head === null || baseHead === null) {
          const unknown = {
            ahead: 0,
            behind: 0,
            upstream: null,
            merged: head === null ? false : null,
            conflictsWithBase: null,
            changes: null,
          };
          return { head: head ?? '', branch, baseHead, dirtyFiles, ...unknown };
        }
        const compared = await compareCommits(cwd, checkout.commonDir, baseHead, head);
        const { ahead, behind, conflicts, isContained, mergeBase } = compared;
        const merged = head === start ? false : isContained;
        const isUnchanged = mergeBase === head && dirtyFiles === 0;
        const size = isUnchanged ? NO_CHANGES : await sizeOf(view, mergeBase ?? baseHead, untracked);
        const counts = { dirtyFiles, ahead, behind, upstream, changes: size };
        return { head, branch, baseHead, ...counts, merged, conflictsWithBase: conflicts };
      });
    },
  };
}

/** Returns the size of the changes; null if git could not compare them, e.g. while files are being deleted. */
async function sizeOf(view: CheckoutView, base: string, untracked: readonly BytePath[]): Promise<ChangeSize | null> {
  return changeSize(view, base, untracked).catch(() => null);
}

/**
 * Whether the repository is a shallow clone. Comparisons in it are not cached, because a later fetch can add older
 * commits.
 */
async function isShallow(commonDir: string): Promise<boolean> {
  return (await stat(path.join(commonDir, 'shallow')).catch(() => null)) !== null;
}

async function compareTwo(context: GitContext, cwd: string, base: string, head: string): Promise<CommitComparison> {
  const text = async (args: readonly string[]) => (await context.run(args, { cwd })).stdout.toString().trim();
  const [ofBase, ofHead] = await factsOf(text, base, head);
  // Usually the branch or the base has exactly one new commit. The result is then known without another git process.
  if (ofBase.parents === head) return { ahead: 0, behind: 1, conflicts: false, isContained: true, mergeBase: head };
  const onlyAhead = { conflicts: false, isContained: ofBase.tree === ofHead.tree, mergeBase: base };
  if (ofHead.parents === base) return { ahead: 1, behind: 0, ...onlyAhead };
  const counts = await text(['rev-list', '--left-right', '--count', `${base}...${head}`]);
  const [behind = 0, ahead = 0] = counts.split(/\s+/).map(Number);
  if (ahead === 0) return { ahead, behind, conflicts: false, isContained: true, mergeBase: head };
  if (behind === 0) return { ahead, behind, ...onlyAhead };
  const found = await context.run(['merge-base', base, head], { cwd, okCodes: [0, 1] });
  const mergeBase = found.exitCode === 0 ? found.stdout.toString().trim() : null;
  const merged = await tryMerge(context, cwd, base, head);
  const conflicts = merged?.conflicts ?? null;
  if (merged?.tree === ofBase.tree) {
    return { ahead, behind, conflicts, isContained: true, mergeBase };
  }
  const isContained = conflicts === false ? false : await isInHistory(context, cwd, { base, head, mergeBase, behind });
  return { ahead, behind, conflicts, isContained, mergeBase };
}

/**
 * Whether the base contains the changes of a branch that was rebased or squashed into it. Null if the base has more than
 * SQUASH_SEARCH_COMMITS new commits, in which the branch is not searched.
 */
async function isInHistory(
  context: GitContext,
  cwd: string,
  { base, head, mergeBase, behind }: { base: string; head: string; mergeBase: string | null; behind: number },
): Promise<boolean | null> {
  if (behind > SQUASH_SEARCH_COMMITS) return null;
  if (await wasRebased(context, cwd, base, head)) return true;
  return mergeBase === null ? false : wasSquashed(context, cwd, { base, head, start: mergeBase });
}

interface CommitFacts {
  tree: string;
  /** Ids of the commit's parents, separated by spaces. */
  parents: string;
}

/** Reads tree and parents of two commits in one git process. */
async function factsOf(
  text: (args: readonly string[]) => Promise<string>,
  one: string,
  other: string,
): Promise<[CommitFacts, CommitFacts]> {
  const printed = await text(['rev-list', '--no-walk=unsorted', '--format=%T %P', one, other]);
  // git prints two lines for each commit: its id, and the fields of `--format`.
  const [, ofOne = '', , ofOther = ''] = printed.split('\n');
  const parse = (line: string) => {
    const [tree = '', ...parents] = line.split(' ');
    return { tree, parents: parents.join(' ') };
  };
  return [parse(ofOne), parse(ofOther)];
}

/**
 * Merges two commits in the object store, without a checkout. Returns null if git is too old or the histories are
 * unrelated.
 */
async function tryMerge(context: GitContext, cwd: string, base: string, head: string) {
  try {
    const { tree } = await mergeTree(context, cwd, base, head);
    return { tree, conflicts: tree === null };
  } catch (error) {
    if (error instanceof ConsoleError && ['UNSUPPORTED', 'CONFLICT'].includes(error.code)) return null;
    throw error;
  }
}

/** Whether, for each commit of the branch, the base has a commit with the same change. */
async function wasRebased(context: GitContext, cwd: string, base: string, head: string): Promise<boolean> {
  const args = ['rev-list', '--count', '--no-merges', '--cherry-pick', '--right-only', `${base}...${head}`];
  const { stdout } = await context.run(args, { cwd });
  return stdout.toString().trim() === '0';
}

/**
 * Whether one commit of the base makes the same change as all commits of the branch together. Needed only if later
 * commits of the base changed the same lines. Otherwise, a merge shows that the base contains the change. Returns null
 * without a search if the branch changes more than SQUASH_SEARCH_FILES files.
 */
async function wasSquashed(
  context: GitContext,
  cwd: string,
  { base, head, start }: { base: string; head: string; start: string },
): Promise<boolean | null> {
  const named = await context.run(['diff-tree', '-r', '-z', '--name-only', start, head, '--'], { cwd });
  const files = named.stdout.toString('latin1').split('\0').filter(Boolean);
  if (files.length > SQUASH_SEARCH_FILES) return null;
  if (files.length === 0) return false;
  const shape = ['-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];
  const own = await context.run(['diff-tree', ...shape, start, head, '--'], { cwd });
  const [wanted] = await patchIds(context, cwd, own.stdout);
  if (wanted === undefined) return false;
  const args = ['log', '--no-merges', '--format=commit %H', ...shape, `${start}..${base}`];
  const paths = files.map((file) => Buffer.from(file, 'latin1').toString());
  const env = { GIT_LITERAL_PATHSPECS: '1' };
  const history = await context.run([...args, '--', ...paths], { cwd, env });
  return (await patchIds(context, cwd, history.stdout)).includes(wanted);
}

/** Returns the ids that `git patch-id` computes for the patches in `input`. */
async function patchIds(context: GitContext, cwd: string, input: Buffer): Promise<string[]> {
  const { stdout } = await context.run(['patch-id', '--stable'], { cwd, input });
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => line.split(' ')[0] || []);
}

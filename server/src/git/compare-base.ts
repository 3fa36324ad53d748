import { ConsoleError } from '@agent-console/shared/errors';
import { SQUASH_SEARCH_COMMITS, SQUASH_SEARCH_FILES } from '@agent-console/shared/limits/git';
import type { BaseComparison } from '../ports/git-comparison.ts';
import { withView } from './checkout-view.ts';
import { mergeTree } from './combine.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { requireBranchName } from './names.ts';
import { storedBranch } from './refs.ts';
import { readStatus } from './status.ts';

/** Compares a checkout with a branch of its repository. Uncommitted changes are counted; commits decide the rest. */
export async function compareWithBase(
  context: GitContext,
  cwd: string,
  checkout: CheckoutLocation,
  { base, start }: { base: string; start: string | null },
): Promise<BaseComparison> {
  requireBranchName(base);
  const status = await withView(context, checkout, (view) => readStatus(view, false));
  const dirtyFiles = status.changes.length + status.untracked.length;
  const { branch } = status;
  const head = status.head ?? '';
  const read = createReader(context, cwd);
  const stored = await storedBranch(cwd, base);
  const baseHead = stored === undefined ? await read.commit(`refs/heads/${base}`) : stored;
  if (head === '' || baseHead === null) {
    return {
      head,
      branch,
      baseHead,
      dirtyFiles,
      ahead: 0,
      behind: 0,
      upstream: null,
      merged: false,
      conflictsWithBase: null,
    };
  }
  const { ahead, behind } = baseHead === head ? { ahead: 0, behind: 0 } : await read.distance(baseHead, head);
  const upstreamRef = branch === null ? '' : await read.upstream(branch);
  const upstreamHead = upstreamRef === '' ? null : await read.commit(upstreamRef);
  const upstream = upstreamHead === null ? null : await read.distance(upstreamHead, head);
  const trial = ahead === 0 ? { conflicts: false, tree: '' } : await tryMerge(context, cwd, baseHead, head);
  const isContained = ahead === 0 || (trial?.tree === (await read.tree(baseHead)) && !trial.conflicts);
  const wasRepeated = async () =>
    (await wasRebased(context, cwd, baseHead, head)) || (await wasSquashed(context, cwd, baseHead, head));
  const isSearched = trial?.conflicts !== false && behind <= SQUASH_SEARCH_COMMITS;
  const merged = head !== start && (isContained || (isSearched && (await wasRepeated())));
  return {
    head,
    branch,
    baseHead,
    dirtyFiles,
    ahead,
    behind,
    upstream,
    merged,
    conflictsWithBase: trial?.conflicts ?? null,
  };
}

function createReader(context: GitContext, cwd: string) {
  const text = async (args: readonly string[], okCodes = [0]) => {
    const { exitCode, stdout } = await context.run(args, { cwd, okCodes });
    return exitCode === 0 ? stdout.toString().trim() : null;
  };
  return {
    commit: (ref: string) =>
      text(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], [0, 1, 128]),
    tree: (commit: string) => text(['rev-parse', '--verify', `${commit}^{tree}`]),
    upstream: async (branch: string) =>
      (await text(['for-each-ref', '--format=%(upstream)', `refs/heads/${branch}`])) ?? '',
    async distance(from: string, to: string): Promise<{ ahead: number; behind: number }> {
      const counts = (await text(['rev-list', '--left-right', '--count', `${from}...${to}`])) ?? '';
      const [behind = 0, ahead = 0] = counts.split(/\s+/).map(Number);
      return { ahead, behind };
    },
  };
}

/** Merges in the object store. Returns null if git is too old or the branches are unrelated. */
async function tryMerge(context: GitContext, cwd: string, base: string, head: string) {
  try {
    const { tree, conflicts } = await mergeTree(context, cwd, base, head);
    return { tree, conflicts: conflicts.length > 0 };
  } catch (error) {
    if (error instanceof ConsoleError && ['UNSUPPORTED', 'CONFLICT'].includes(error.code)) return null;
    throw error;
  }
}

/** Whether the base has a commit with the same change for each commit of the branch. */
async function wasRebased(context: GitContext, cwd: string, base: string, head: string): Promise<boolean> {
  const args = ['rev-list', '--count', '--no-merges', '--cherry-pick', '--right-only', `${base}...${head}`];
  const { stdout } = await context.run(args, { cwd });
  return stdout.toString().trim() === '0';
}

/**
 * Whether a commit of the base makes the same change as all commits of the branch together. Only needed when later
 * commits of the base changed the same lines.
 */
async function wasSquashed(context: GitContext, cwd: string, base: string, head: string): Promise<boolean> {
  const found = await context.run(['merge-base', base, head], { cwd, okCodes: [0, 1] });
  if (found.exitCode !== 0) return false;
  const start = found.stdout.toString().trim();
  const named = await context.run(['diff-tree', '-r', '-z', '--name-only', start, head, '--'], { cwd });
  const files = named.stdout.toString('latin1').split('\0').filter(Boolean);
  if (files.length === 0 || files.length > SQUASH_SEARCH_FILES) return false;
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

/** Returns the patch ids of the patches in git's output. */
async function patchIds(context: GitContext, cwd: string, input: Buffer): Promise<string[]> {
  const { stdout } = await context.run(['patch-id', '--stable'], { cwd, input });
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => line.split(' ')[0] || []);
}

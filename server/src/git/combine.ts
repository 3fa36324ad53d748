import { ConsoleError } from '@agent-console/shared/errors';
import { CONFLICTS_LISTED_MAX } from '@agent-console/shared/limits/git';
import type { MergeConflict } from '@agent-console/shared/models/integration';
import type { Combination, CombineSpec } from '../ports/git-integration.ts';
import type { RunOptions } from './command.ts';
import type { GitContext } from './context.ts';
import { gitFailed } from './failure.ts';
import { isObjectId } from './names.ts';
import { displayPath } from './status.ts';

/** The oldest version of git that supports `merge-tree --write-tree`, which merges without a checkout. */
const MERGE_TREE_MIN = '2.38';

/** Runs git in the repository. Returns its output with one character per byte, without the white space at the end. */
async function read(context: GitContext, args: readonly string[], options: RunOptions): Promise<string> {
  const { stdout } = await context.run(args, options);
  return stdout.toString('latin1').trimEnd();
}

/**
 * Combines the commits of a branch with a target branch without touching any checkout: only objects are written.
 * Returns the commit to which the target branch can be moved, or the files in conflict.
 * @throws UNSUPPORTED when git is too old, CONFLICT for unrelated histories, GIT_FAILED, for example without an
 * identity or when a signature fails.
 */
export async function combine(context: GitContext, cwd: string, spec: CombineSpec): Promise<Combination> {
  const { strategy, into, from } = spec;
  if (await isAncestor(context, cwd, from, into)) return { commit: into, conflicts: [] };
  if (strategy === 'rebase') return rebase(context, cwd, spec);
  const { tree, conflicts } = await mergeTree(context, cwd, into, from);
  if (tree === null) return { commit: null, conflicts };
  // If the target already has all changes, a squash creates no commit, like `git merge --squash`.
  if (strategy === 'squash' && tree === (await treeOf(context, cwd, into))) return { commit: into, conflicts: [] };
  const parents = strategy === 'merge' ? [into, from] : [into];
  return {
    commit: await commitTree(context, cwd, { tree, parents, message: spec.message }),
    conflicts: [],
  };
}

/** Whether `ancestor` is an ancestor of `descendant`, or the same commit. */
export async function isAncestor(
  context: GitContext,
  cwd: string,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  return (await context.run(args, { cwd, okCodes: [0, 1] })).exitCode === 0;
}

/** The result of a merge: the merged tree, or at least one conflict. */
type Merged = { tree: string; conflicts: [] } | { tree: null; conflicts: MergeConflict[] };

/**
 * Merges two commits by `git merge-tree --write-tree`.
 * @throws UNSUPPORTED before git 2.38, CONFLICT for unrelated histories.
 */
export async function mergeTree(context: GitContext, cwd: string, ours: string, theirs: string): Promise<Merged> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  const { exitCode, stdout, stderr } = await context.run(args, { cwd, okCodes: [0, 1, 128, 129] });
  if (exitCode === 129 || /usage: git merge-tree/.test(stderr)) {
    const message = `git is too old to merge without a checkout. Install git ${MERGE_TREE_MIN} or newer.`;
    throw new ConsoleError('UNSUPPORTED', message, { required: MERGE_TREE_MIN });
  }
  if (/refusing to merge unrelated histories/.test(stderr)) {
    throw new ConsoleError('CONFLICT', 'The branches have no common commit, so they cannot be combined.', {});
  }
  const [tree = ''] = stdout.toString('latin1').split('\0', 1);
  if (exitCode > 1 || !isObjectId(tree)) {
    throw gitFailed({ command: 'merge-tree', exitCode, stderr });
  }
  // Only the exit code shows whether the merge is clean: git lists no file for some conflicts, for example when the two
  // branches disagree about the new location of a folder.
  if (exitCode === 0) return { tree, conflicts: [] };
  return { tree: null, conflicts: conflictsIn(stdout.toString('latin1').slice(tree.length + 1)) };
}

/** Placeholder for a conflict for which git reports neither a path nor a kind. */
const UNKNOWN_CONFLICT: MergeConflict = { path: '.', kind: 'unknown', ours: null, theirs: null };

/**
 * Parses what `git merge-tree -z` prints after the tree: a line for each stage of each file in conflict, an empty line,
 * then the messages, each with the number of its paths, the paths, its type and its text. Format: git-merge-tree(1),
 * "OUTPUT". Returns the files in conflict, and the first path of each conflict that concerns none of these files.
 */
function conflictsIn(text: string): MergeConflict[] {
  const fields = text.split('\0');
  const end = fields.indexOf('');
  const stages = new Map<string, Set<string>>();
  for (const line of fields.slice(0, end)) {
    const [, stage = '', path = ''] = /^\d+ [0-9a-f]+ ([1-3])\t(.+)$/s.exec(line) ?? [];
    stages.set(path, (stages.get(path) ?? new Set()).add(stage));
  }
  const kinds = new Map<string, string>();
  for (let at = end + 1; at + 1 < fields.length; ) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const kind = /^CONFLICT \((.+?)\)/.exec(fields[at + 2 + count] ?? '')?.[1];
    const files = paths.filter((path) => stages.has(path));
    const conflictPaths = files.length > 0 ? files : paths.slice(0, 1);
    if (kind !== undefined) for (const path of conflictPaths) if (!kinds.has(path)) kinds.set(path, kind);
    at += count + 3;
  }
  const files = [...stages].map(([path, found]) => ({
    path: displayPath(path),
    kind: kinds.get(path) ?? 'content',
    ours: sideOf(found.has('1'), found.has('2')),
    theirs: sideOf(found.has('1'), found.has('3')),
  }));
  const others = [...kinds].flatMap(([path, kind]) =>
    stages.has(path) ? [] : [{ path: displayPath(path), kind, ours: null, theirs: null }],
  );
  const all = [...files, ...others].slice(0, CONFLICTS_LISTED_MAX);
  return all.length > 0 ? all : [UNKNOWN_CONFLICT];
}

function sideOf(inBase: boolean, inSide: boolean): MergeConflict['ours'] {
  if (inBase) return inSide ? 'modified' : 'deleted';
  return inSide ? 'added' : null;
}

interface CommitSpec {
  tree: string;
  parents: readonly string[];
  message: string | Buffer;
  env?: Record<string, string>;
}

/** Writes a commit with the identity from git's configuration, signed if the configuration requires it. */
async function commitTree(context: GitContext, cwd: string, spec: CommitSpec): Promise<string> {
  const args = ['config', '--type=bool', '--default=false', '--get', 'commit.gpgSign'];
  const sign = (await read(context, args, { cwd })) === 'true' ? '-S' : '--no-gpg-sign';
  return writeCommit(context, cwd, [sign], spec);
}

function treeOf(context: GitContext, cwd: string, commit: string): Promise<string> {
  return read(context, ['rev-parse', '--verify', `${commit}^{tree}`], { cwd });
}

async function writeCommit(context: GitContext, cwd: string, options: readonly string[], spec: CommitSpec) {
  const { tree, parents, message, env = {} } = spec;
  const parentArgs = parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...options, ...parentArgs, '-F', '-', tree];
  return read(context, args, { cwd, env, input: message, settings: ['i18n.commitEncoding=UTF-8'] });
}

const NOBODY = { name: 'Agent Console', email: 'agent-console@localhost', date: '@0 +0000' };

/**
 * Writes a commit that is only merged by `git merge-tree` or compared with other commits. No branch ever contains it.
 * All data besides the tree and the parents is fixed, so repeated calls write the same object.
 */
export function temporaryCommit(
  context: GitContext,
  cwd: string,
  tree: string,
  parents: readonly string[],
): Promise<string> {
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, NOBODY.name],
      [`GIT_${role}_EMAIL`, NOBODY.email],
      [`GIT_${role}_DATE`, NOBODY.date],
    ]),
  ) as Record<string, string>;
  return writeCommit(context, cwd, ['--no-gpg-sign'], { tree, parents, message: 'temporary\n', env });
}

interface Picked {
  /**
   * Whether the target already has a commit with the same change, so that a rebase leaves this commit out. All empty
   * commits count as the same change.
   */
  isApplied: boolean;
  sha: string;
  tree: string;
  /** First parent of the commit; null if the commit has no parent. */
  parent: string | null;
  author: Record<string, string>;
  message: Buffer;
}

/**
 * Reapplies the commits of `from` that are missing in `into` on top of `into`, like `git rebase`. Leaves out merge
 * commits, and commits whose change `into` already contains. Each step merges two temporary commits: one with the tree
 * of the tip, one with the tree of the reapplied commit. Their only parent has the tree of the reapplied commit's
 * parent, because `git merge-tree` determines the common ancestor itself.
 */
async function rebase(context: GitContext, cwd: string, { into, from }: CombineSpec): Promise<Combination> {
  let tip = into;
  let tipTree = await treeOf(context, cwd, into);
  for (const picked of await commitsToPick(context, cwd, { into, from })) {
    if (picked.parent === tip) {
      // The parent of the commit is already `tip`, so the commit is used unchanged.
      [tip, tipTree] = [picked.sha, picked.tree];
      continue;
    }
    const parentTree =
      picked.parent === null ? await emptyTree(context, cwd) : await treeOf(context, cwd, picked.parent);
    const isEmpty = picked.tree === parentTree;
    if (picked.isApplied && !isEmpty) continue;
    const base = await temporaryCommit(context, cwd, parentTree, []);
    const ours = await temporaryCommit(context, cwd, tipTree, [base]);
    const theirs = await temporaryCommit(context, cwd, picked.tree, [base]);
    const { tree, conflicts } = await mergeTree(context, cwd, ours, theirs);
    if (tree === null) return { commit: null, conflicts };
    // A commit that the rebase makes empty is left out; a commit that was already empty is kept.
    if (tree === tipTree && !isEmpty) continue;
    tip = await commitTree(context, cwd, { tree, parents: [tip], message: picked.message, env: picked.author });
    tipTree = tree;
  }
  return { commit: tip, conflicts: [] };
}

async function emptyTree(context: GitContext, cwd: string): Promise<string> {
  return read(context, ['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd, input: '' });
}

const FIELDS = ['%m', '%H', '%T', '%P', '%an', '%ae', '%ad', '%B'];

/**
 * Lists the commits of `from` that `into` lacks, without merges, oldest first. If `into` already contains the same
 * change in another commit, `isApplied` is set.
 */
async function commitsToPick(
  context: GitContext,
  cwd: string,
  { into, from }: { into: string; from: string },
): Promise<Picked[]> {
  const args = ['log', '--reverse', '--topo-order', '--no-merges', '--cherry-mark', '--right-only'];
  const format = ['--date=raw', '--encoding=UTF-8', `--format=${FIELDS.map((field) => `${field}%x00`).join('')}`];
  const { stdout } = await context.run([...args, ...format, `${into}...${from}`, '--'], { cwd });
  // The output is read as bytes, because a commit message need not be UTF-8.
  const fields = stdout.toString('latin1').split('\0');
  const text = (at: number) => Buffer.from(fields[at] ?? '', 'latin1').toString();
  const commits: Picked[] = [];
  for (let at = 0; at + FIELDS.length < fields.length + 1; at += FIELDS.length) {
    const [mark = '', sha = '', tree = '', parents = ''] = fields.slice(at);
    if (sha === '') break;
    commits.push({
      isApplied: mark.trim() === '=',
      sha,
      tree,
      parent: parents === '' ? null : parents,
      // Without `@`, git would parse the seconds of a time close to 1970 as a date.
      author: { GIT_AUTHOR_NAME: text(at + 4), GIT_AUTHOR_EMAIL: text(at + 5), GIT_AUTHOR_DATE: `@${text(at + 6)}` },
      message: Buffer.from((fields[at + 7] ?? '').replace(/^\n+/, ''), 'latin1'),
    });
  }
  return commits;
}

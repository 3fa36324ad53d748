import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS, RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { quotedName } from '@agent-console/shared/patch';
import type { FileDiff } from '../ports/git.ts';
import type { GitChanges, HunkName } from '../ports/git-changes.ts';
import { registeredGitDir, withView } from './checkout-view.ts';
import { selectChanges } from './commit.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { diff } from './diff.ts';
import { stderrOf } from './failure.ts';
import { checkoutEnvironment } from './hooks.ts';
import { inProgress } from './in-progress.ts';
import { absoluteBytes } from './recovery-plan.ts';
import { saveRecovery } from './recovery-save.ts';
import { type BytePath, displayPath, readChanges, type Status } from './status.ts';

type Discarded = Awaited<ReturnType<GitChanges['discard']>>;

/** Discards changes of whole files, or single hunks, after saving the worktree in a recovery ref. */
export async function discard(
  context: GitContext,
  checkout: CheckoutLocation,
  name: string,
  { paths, hunks, onSaved, onRefused }: Parameters<GitChanges['discard']>[2],
): Promise<Discarded> {
  await refuseOperation(checkout);
  const status = await withView(context, checkout, readChanges);
  const patches = hunks === undefined ? [] : await patchesOf(context, checkout, hunks);
  const byPath = paths === undefined && hunks !== undefined ? { files: [], leftOut: [] } : selectChanges(status, paths);
  if (byPath.files.length === 0 && patches.length === 0) {
    throw new ConsoleError('CONFLICT', `There are no changes to discard in ${checkout.path}.`, { path: checkout.path });
  }
  const patch = patches.map((each) => each.text).join('');
  if (patch !== '') await applyReversed(context, checkout, patch, ['--check']);
  const requireUnchanged = await watchFiles(checkout.path, [...byPath.files, ...patches.map((each) => each.path)]);
  const { ref, leftOut } = await saveRecovery(context, checkout, name);
  const unsaved = new Set(leftOut);
  const kept = [...byPath.leftOut, ...byPath.files.filter((each) => unsaved.has(each))];
  const files = byPath.files.filter((each) => !unsaved.has(each));
  const whole = new Set(files);
  const parts = patches.filter((each) => !whole.has(each.path));
  // From `onSaved` on, an undo reverts this discard and not the previous one. So a discard that must be refused fails
  // before `onSaved` if possible. A file that changes during `onSaved` is noticed only afterwards.
  await requireUnchanged((file) => changedMeanwhile(displayPath(file)));
  await onSaved(ref);
  await requireUnchanged((file) => changedMeanwhile(displayPath(file))).catch(async (refusal: unknown) => {
    await onRefused(ref);
    throw refusal;
  });
  const blocked = new Set<BytePath>();
  const work = async () => {
    for (const each of await discardFiles(context, checkout, status, files)) blocked.add(each);
    const rest = parts.map((each) => each.text).join('');
    if (rest !== '') await applyReversed(context, checkout, rest, []);
    await unstage(
      context,
      checkout,
      status,
      parts.map((each) => each.path),
    );
  };
  await work().catch((error: unknown) => {
    throw partlyDiscarded(error, ref);
  });
  const discarded = new Set([...files, ...parts.map((each) => each.path)].filter((each) => !blocked.has(each)));
  const notDiscarded = [...kept, ...blocked].slice(0, RISK_LIST_MAX).map(displayPath);
  return { recoveryRef: ref, files: discarded.size, leftOut: notDiscarded };
}

/**
 * Remembers inode, mode, size and times of files before the files are saved in a recovery ref. Returns a function that
 * throws an error if one of the files has changed since, so that no unsaved change is overwritten.
 */
export async function watchFiles(root: string, files: readonly BytePath[]) {
  const stateOf = async (file: BytePath) => {
    const found = await lstat(absoluteBytes(root, file), { bigint: true }).catch(() => null);
    return found === null ? '' : [found.ino, found.mode, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  };
  const before = await Promise.all(files.map(stateOf));
  return async (errorOf: (file: BytePath) => ConsoleError): Promise<void> => {
    const after = await Promise.all(files.map(stateOf));
    const changed = files.find((_, at) => before[at] !== after[at]);
    if (changed !== undefined) throw errorOf(changed);
  };
}

function partlyDiscarded(error: unknown, recoveryRef: string): unknown {
  if (!(error instanceof ConsoleError)) return error;
  const message = `${error.message} Some changes may already have been discarded. All of them are saved. To bring them back, run: agent-console worktrees undo-discard <worktree>`;
  return new ConsoleError(error.code, message, { ...error.details, recoveryRef }, { cause: error });
}

/** @throws CONFLICT if a merge, rebase, cherry-pick or revert is in progress. */
export async function refuseOperation(checkout: CheckoutLocation): Promise<void> {
  const found = await inProgress(await registeredGitDir(checkout));
  if (found === null || found.operation === 'bisect') return;
  const { operation } = found;
  // Discarding all changes would not end a merge in progress. The next commit would be a merge commit that lacks the
  // merged changes.
  const message = `A ${operation} is in progress in ${checkout.path}. Finish it, or abort it with git ${operation} --abort.`;
  throw new ConsoleError('CONFLICT', message, { operation });
}

const joined = (paths: readonly BytePath[]) => Buffer.from(paths.map((each) => `${each}\0`).join(''), 'latin1');

/**
 * Resets files to HEAD in the worktree and the index, and deletes files that HEAD does not contain. The files are
 * written with a copy of the index, so that a crash leaves no lock on the worktree's own index. Returns the files that
 * were not reset, because a folder in their place contains files that are not discarded.
 */
async function discardFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  status: Status,
  files: readonly BytePath[],
): Promise<BytePath[]> {
  // A file that was removed only from the index is listed twice: as a change and as untracked.
  const changed = new Set(status.changes.map((change) => change.path));
  const untracked = new Set(status.untracked.filter((each) => !changed.has(each)));
  // Untracked files are deleted first, because a folder of them can be in place of a file, or a file in place of a
  // folder.
  for (const each of files.filter((file) => untracked.has(file))) await removeFile(checkout.path, each);
  const submodules = new Set(status.changes.flatMap((change) => (change.submodule ? [change.path] : [])));
  const blocked = new Set<BytePath>();
  for (const each of files) {
    if (!untracked.has(each) && !submodules.has(each) && (await isFilledFolder(checkout.path, each))) blocked.add(each);
  }
  const tracked = files.filter((each) => !untracked.has(each) && !blocked.has(each));
  if (tracked.length > 0) {
    const env = { GIT_LITERAL_PATHSPECS: '1' };
    const source = status.head ?? (await emptyTree(context, checkout));
    const list = ['--pathspec-from-file=-', '--pathspec-file-nul'];
    const args = ['restore', `--source=${source}`, '--staged', '--worktree', '--no-overlay', ...list];
    const settings = ['core.splitIndex=false'];
    // Smudge filters may fetch, so the command has the time limit of a fetch.
    const writing = { filters: 'write', timeoutMs: GIT_REMOTE_LIMIT_MS } as const;
    await withView(context, checkout, (view) => view.run(args, { env, settings, ...writing, input: joined(tracked) }));
    const options = { cwd: checkout.path, env: { ...(await checkoutEnvironment(checkout)), ...env } };
    const reset = status.head === null ? ['rm', '--quiet', '--cached', '--ignore-unmatch'] : ['reset', '--quiet'];
    await context.run([...reset, ...list], { ...options, input: joined(tracked) });
  }
  return [...blocked];
}

async function isFilledFolder(root: string, path: BytePath): Promise<boolean> {
  const at = absoluteBytes(root, path);
  const found = await lstat(at).catch(() => null);
  return found?.isDirectory() === true && (await readdir(at)).length > 0;
}

async function emptyTree(context: GitContext, { path: cwd }: CheckoutLocation): Promise<string> {
  const { stdout } = await context.run(['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd, input: '' });
  return stdout.toString().trim();
}

/** Deletes an untracked file, and its parent folders that become empty. */
async function removeFile(root: string, file: BytePath): Promise<void> {
  await rm(absoluteBytes(root, file), { force: true });
  for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder)) {
    const removed = await rmdir(absoluteBytes(root, folder)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** Resets the index entries of files to HEAD. The files in the worktree stay unchanged. */
async function unstage(
  context: GitContext,
  checkout: CheckoutLocation,
  status: Status,
  files: readonly BytePath[],
): Promise<void> {
  const staged = status.changes.filter((change) => change.staged && files.includes(change.path));
  if (staged.length === 0 || status.head === null) return;
  const env = { ...(await checkoutEnvironment(checkout)), GIT_LITERAL_PATHSPECS: '1' };
  const input = joined(staged.map((change) => change.path));
  const args = ['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await context.run(args, { cwd: checkout.path, env, input });
}

interface Patch {
  path: BytePath;
  text: string;
}

/**
 * Returns a patch of the named hunks for each file.
 * @throws CONFLICT if a hunk is no longer in the diff, or if the changes of its file can only be discarded as a whole.
 */
async function patchesOf(
  context: GitContext,
  checkout: CheckoutLocation,
  hunks: readonly HunkName[],
): Promise<Patch[]> {
  const { files } = await diff(context, checkout, 'HEAD');
  const named = new Map<string, HunkName[]>();
  for (const hunk of hunks) named.set(hunk.path, [...(named.get(hunk.path) ?? []), hunk]);
  return [...named].map(([file, wanted]) => {
    const found = files.find((each) => each.path === file);
    if (found === undefined) throw changedMeanwhile(file);
    refuseWholeFile(found);
    const chosen = wanted.map(({ oldStart, newStart, lines }) => {
      const hunk = found.hunks.find((each) => each.oldStart === oldStart && each.newStart === newStart);
      if (hunk === undefined || !isDeepStrictEqual(lines ?? hunk.lines, hunk.lines)) throw changedMeanwhile(file);
      return hunk;
    });
    const body = [...new Set(chosen)].sort((a, b) => a.newStart - b.newStart);
    const lines = body.flatMap(({ header, lines }) => [header, ...lines]);
    return {
      path: Buffer.from(file).toString('latin1'),
      text: `--- ${quotedName(`a/${file}`)}\n+++ ${quotedName(`b/${file}`)}\n${lines.join('\n')}\n`,
    };
  });
}

function refuseWholeFile({ path: file, status, binary, truncated, invalidUtf8 }: FileDiff): void {
  const hasBoth = status === 'modified' || status === 'renamed' || status === 'copied';
  if (hasBoth && !binary && !truncated && !invalidUtf8) return;
  const cut = truncated ? `The diff of ${file} is too long` : `${file} is ${status}`;
  const why = binary ? `${file} is binary` : invalidUtf8 ? `${file} is not UTF-8` : cut;
  const message = `${why}, so no single hunk can be discarded. ${wholeFileAdvice(file, invalidUtf8)}`;
  throw new ConsoleError('CONFLICT', message, { path: file });
}

/** Character that replaces bytes that are not UTF-8. A path that contains it cannot be passed by its name. */
const REPLACEMENT = '\uFFFD';

function wholeFileAdvice(file: string, invalidUtf8: boolean): string {
  if (!invalidUtf8 || !file.includes(REPLACEMENT)) return 'Pass the file in `paths` to discard all of its changes.';
  let folder = path.posix.dirname(file);
  while (folder.includes(REPLACEMENT)) folder = path.posix.dirname(folder);
  const why = 'The path of the file is not UTF-8, so it cannot be passed in `paths`.';
  return folder === '.'
    ? `${why} Discard all changes of the worktree.`
    : `${why} Pass the folder ${folder} to discard all changes in it.`;
}

function changedMeanwhile(file: string): ConsoleError {
  const message = `${file} has changed in the meantime, so nothing was discarded. Read the diff again and retry.`;
  return new ConsoleError('CONFLICT', message, { path: file });
}

async function applyReversed(
  context: GitContext,
  checkout: CheckoutLocation,
  patch: string,
  options: readonly string[],
): Promise<void> {
  const env = await checkoutEnvironment(checkout);
  const args = ['apply', '--reverse', '--whitespace=nowarn', ...options, '-'];
  await context.run(args, { cwd: checkout.path, env, filters: 'write', input: patch }).catch((error: unknown) => {
    const file = /^error: (?:patch failed: )?(.+?):/m.exec(stderrOf(error))?.[1];
    throw file === undefined ? error : changedMeanwhile(file);
  });
}

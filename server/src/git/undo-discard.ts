import { lstat } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { listNames } from '@agent-console/shared/words';
import type { GitChanges } from '../ports/git-changes.ts';
import { withView } from './checkout-view.ts';
import { mergeTree, temporaryCommit } from './combine.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { refuseOperation, watchFiles } from './discard.ts';
import { absoluteBytes } from './recovery-plan.ts';
import { readRecovery, recoveriesOf } from './recovery-ref.ts';
import { changesBetween, foldersAbove, type RestoredFile, writeChanges } from './recovery-restore.ts';
import { saveRecovery } from './recovery-save.ts';
import { type BytePath, displayPath } from './status.ts';

/**
 * Brings back the changes that `discard` saved, as unstaged changes. Merges the saved files into the current state of
 * the worktree, so that later changes are kept. First saves that state in another recovery ref. Saved files that are
 * missing and in conflict are written again, because a crash during the discard may have left them missing.
 */
export async function undoDiscard(
  context: GitContext,
  repositoryPath: string,
  checkout: CheckoutLocation,
  { name, recoveryRef, onSaved }: { name: string; recoveryRef: string; onSaved: () => Promise<void> },
): ReturnType<GitChanges['undoDiscard']> {
  await refuseOperation(checkout);
  const saved = recoveryRef.startsWith(recoveriesOf(name))
    ? await readRecovery(context, repositoryPath, recoveryRef)
    : undefined;
  if (saved?.head == null) {
    const message = `${recoveryRef} is not a saved state of this worktree, or was saved before the worktree's first commit. Pass the \`recoveryRef\` that the discard returned.`;
    throw new ConsoleError('NOT_FOUND', message, { recoveryRef });
  }
  // Only the files that differ between the recovery ref and the HEAD saved with it can be brought back.
  const saves = await changesBetween(context, repositoryPath, { from: saved.head, to: saved.sha });
  const requireUnchanged = await watchFiles(
    checkout.path,
    saves.map(({ path }) => path),
  );
  const { ref, sha } = await saveRecovery(context, checkout, name);
  const { head } = await readRecovery(context, repositoryPath, ref);
  const commitOf = (state: string, parent: string | null) =>
    temporaryCommit(context, repositoryPath, `${state}^{tree}`, parent === null ? [] : [parent]);
  const theirs = await commitOf(saved.sha, saved.head);
  const mergeInto = async (state: string) => mergeTree(context, repositoryPath, await commitOf(state, head), theirs);
  const changedFiles = saves.filter(({ mode, isNew }) => mode !== null && isNew !== true).map(({ path }) => path);
  let state = sha;
  let merged = await mergeInto(state);
  // A missing file is added only if it is in conflict, because it may have been renamed, which the merge follows.
  while (merged.tree === null && head !== null) {
    const inConflict = new Set(merged.conflicts.map(({ path }) => path));
    const files = changedFiles.filter((path) => inConflict.has(displayPath(path)));
    const completed = await withMissingFiles(context, checkout, { state, head, changedFiles: files });
    if (completed === state) break;
    state = completed;
    merged = await mergeInto(state);
  }
  const { tree, conflicts } = merged;
  if (tree === null)
    throw changedSince(
      conflicts.map(({ path }) => path),
      recoveryRef,
    );
  const changes = await changesBetween(context, repositoryPath, { from: sha, to: tree });
  if (changes.length === 0) {
    const message = `There is nothing to bring back: ${checkout.path} already has all changes of ${recoveryRef}.`;
    throw new ConsoleError('CONFLICT', message, { recoveryRef });
  }
  const occupied = await occupiedBy(checkout.path, changes);
  if (occupied.length > 0) throw changedSince(occupied, recoveryRef);
  await onSaved();
  await requireUnchanged((file) => changedSince([displayPath(file)], recoveryRef));
  await writeChanges(context, checkout.path, changes, repositoryPath);
  return { recoveryRef: ref, files: changes.length };
}

/**
 * Returns the tree of `state`, a commit or tree with the files of the checkout, to which those of `changedFiles` that are
 * missing in the checkout are added as they are in `head`.
 */
async function withMissingFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  { state, head, changedFiles }: { state: string; head: string; changedFiles: readonly BytePath[] },
): Promise<string> {
  const wanted = new Set(changedFiles);
  const inHead = await changesBetween(context, checkout.path, { from: state, to: head });
  const missing: RestoredFile[] = [];
  for (const each of inHead) {
    if (each.isNew === true && wanted.has(each.path) && (await isFree(checkout.path, each.path))) missing.push(each);
  }
  if (missing.length === 0) return state;
  const lines = missing.map(({ mode, sha, path }) => `${mode} ${sha}\t${path}\0`).join('');
  return withView(context, checkout, async ({ run }) => {
    const settings = ['core.splitIndex=false'];
    await run(['read-tree', `${state}^{tree}`], { settings });
    await run(['update-index', '-z', '--index-info'], { settings, input: Buffer.from(lines, 'latin1') });
    return (await run(['write-tree', '--missing-ok'])).stdout.toString().trim();
  });
}

function changedSince(files: readonly string[], recoveryRef: string): ConsoleError {
  const message = `Later changes to these files conflict with the discarded changes, so nothing was brought back: ${listNames(files)}. To bring back single files, run: git restore --source=${recoveryRef} -- <file>`;
  return new ConsoleError('CONFLICT', message, { recoveryRef, files });
}

/**
 * Returns the paths at which the undo would create a file although something unsaved is there, such as an ignored file.
 */
async function occupiedBy(root: string, changes: readonly RestoredFile[]): Promise<string[]> {
  const occupied: string[] = [];
  for (const { path, isNew } of changes) {
    if (isNew === true && !(await isFree(root, path))) occupied.push(displayPath(path));
  }
  return occupied;
}

/** Whether nothing is at a path, and no file or link is in place of its parent folders. */
async function isFree(root: string, path: BytePath): Promise<boolean> {
  const folders = await Promise.all(foldersAbove(path).map((folder) => kindOf(root, folder)));
  return !folders.includes('other') && (await kindOf(root, path)) === 'missing';
}

async function kindOf(root: string, path: string): Promise<'missing' | 'folder' | 'other'> {
  const stat = await lstat(absoluteBytes(root, path)).catch(() => null);
  return stat === null ? 'missing' : stat.isDirectory() ? 'folder' : 'other';
}

import { chmod, type FileHandle, lstat, mkdir, open, rm, rmdir, symlink } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import { fromAsideName } from './aside-names.ts';
import { createBlobReader } from './blob-reader.ts';
import type { GitContext } from './context.ts';
import { canonicalPath, errorCode } from './files.ts';
import { writeStep } from './in-progress.ts';
import { gitDirOf } from './layout.ts';
import { bytes } from './recovery-plan.ts';
import { type Recovery, readRecovery } from './recovery-ref.ts';
import { branchExists } from './refs.ts';
import type { BytePath } from './status.ts';
import { addWorktree } from './worktree-add.ts';
import { discard } from './worktree-discard.ts';

interface Restored {
  path: BytePath;
  /** git's file mode; null when the file was deleted. */
  mode: string | null;
  sha: string;
  /** For its owner alone: it may be a secret, and whether others could read it is not known. */
  own?: boolean;
}

/**
 * Recreates a removed worktree on the branch that it was on, and puts its changes back: modified, deleted and untracked
 * files, nested repositories and ignored files as they were, and what was staged, or in conflict, when the branch has
 * not moved since; `warnings` says when it has. A branch that is gone is made again at its last commit; a detached HEAD
 * is detached again. Nothing remains on failure; the recovery ref stays in any case.
 * @throws NOT_FOUND (no such recovery), CONFLICT (path taken, branch checked out elsewhere), UNSUPPORTED, GIT_FAILED.
 */
export async function restoreWorktree(
  context: GitContext,
  spec: { repositoryPath: string; path: string; recoveryRef: string },
): Promise<{ sha: string; warnings: string[] }> {
  const recovery = await readRecovery(context, spec.repositoryPath, spec.recoveryRef);
  const { head } = recovery;
  if (head === null) {
    const message = `${spec.recoveryRef} was made before the first commit. Read it with: git show ${spec.recoveryRef}`;
    throw new ConsoleError('UNSUPPORTED', message, { recoveryRef: spec.recoveryRef });
  }
  const target = { repositoryPath: spec.repositoryPath, path: await canonicalPath(spec.path) };
  const { sha } = await addWorktree(context, { ...target, ...(await placeOf(context, spec, recovery, head)) });
  const moved = sha !== head;
  try {
    // The index alone, and before the files: git moves it only while they are what it checked out.
    if (recovery.index !== null && !moved) {
      await context.run(['read-tree', '-m', head, recovery.index], { cwd: target.path });
    }
    await applyChanges(context, target.path, { from: head, to: recovery.sha });
    if (recovery.aside !== null) await bringAside(context, target.path, recovery.aside);
    if (recovery.conflict !== null && !moved) await bringConflicts(context, target.path, recovery.conflict);
    if (recovery.step !== null && !moved) await writeStep(await gitDirOf(target.path), recovery.step);
  } catch (error) {
    // A branch that was made again holds commits of the user's; it stays.
    await discard(context, { ...target, branch: null, mark: '' });
    throw error;
  }
  return {
    sha,
    warnings: [...cutOffWords(recovery), ...(moved ? await movedWords(context, target.path, recovery, head) : [])],
  };
}

function cutOffWords({ cutOff, branch }: Recovery): string[] {
  if (cutOff === null) return [];
  const where = branch === null ? ' HEAD is on no branch, at the commit where it stood.' : '';
  return [`A ${cutOff} was in progress when it was removed, and is not gone on with; begin it again.${where}`];
}

/** What is not as it was because the branch has moved on. */
async function movedWords(context: GitContext, cwd: string, recovery: Recovery, head: string): Promise<string[]> {
  const where = `because ${recovery.branch} has moved on since ${head.slice(0, 12)}`;
  const warnings: string[] = [];
  if (recovery.index !== null) {
    const staged = await context.run(['diff-tree', '--quiet', head, recovery.index, '--'], {
      cwd,
      okCodes: [0, 1],
    });
    if (staged.exitCode === 1) warnings.push(`What was staged is not staged again, ${where}. See ${recovery.index}.`);
  }
  if (recovery.conflict !== null) warnings.push(`Files that were in conflict are there without their sides, ${where}.`);
  if (recovery.step !== null)
    warnings.push(`The merge, cherry-pick or revert that was begun is not gone on with, ${where}.`);
  return warnings;
}

async function placeOf(
  context: GitContext,
  spec: { repositoryPath: string },
  { branch }: Recovery,
  head: string,
): Promise<{ branch: string | null; startPoint: string | null }> {
  if (branch === null) return { branch, startPoint: head };
  return { branch, startPoint: (await branchExists(context, spec.repositoryPath, branch)) ? null : head };
}

/** Nested repositories and ignored files. */
async function bringAside(context: GitContext, root: string, aside: string): Promise<void> {
  const entries = await entriesOf(context, root, aside);
  const written: Restored[] = [];
  for (const { mode, sha, name } of entries) {
    const found = fromAsideName(name);
    if (found === null || mode === '160000') continue;
    if (found.isEmptyFolder) await makeRoom(root, found.path, true);
    else written.push({ path: found.path, mode, sha, own: true });
  }
  await writeFiles(context, root, written);
}

/** The index with each file's sides, as the conflict left it. */
async function bringConflicts(context: GitContext, root: string, conflict: string): Promise<void> {
  const lines = (await entriesOf(context, root, conflict)).flatMap(({ mode, sha, name }) => {
    const [, stage, path] = /^([0-3])\/(.+)$/s.exec(name) ?? [];
    return stage === undefined ? [] : [`${mode} ${sha} ${stage}\t${path}\0`];
  });
  await context.run(['read-tree', '--empty'], { cwd: root });
  const input = Buffer.from(lines.join(''), 'latin1');
  await context.run(['update-index', '-z', '--index-info'], { cwd: root, input });
  await context.run(['update-index', '-q', '--refresh'], { cwd: root, okCodes: [0, 1] });
}

async function entriesOf(
  context: GitContext,
  cwd: string,
  commit: string,
): Promise<{ mode: string; sha: string; name: BytePath }[]> {
  const { stdout } = await context.run(['ls-tree', '-r', '-z', '--full-tree', commit], { cwd });
  return stdout
    .toString('latin1')
    .split('\0')
    .flatMap((line) => {
      const [, mode, sha, name] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return mode === undefined || sha === undefined || name === undefined ? [] : [{ mode, sha, name }];
    });
}

async function applyChanges(context: GitContext, root: string, range: { from: string; to: string }): Promise<void> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-commit-id', range.from, range.to, '--'];
  const { stdout } = await context.run(args, { cwd: root });
  const changes = parseRaw(stdout.toString('latin1'));
  for (const change of changes) {
    if (change.mode === null) await removeFile(root, change.path);
  }
  await writeFiles(
    context,
    root,
    changes.filter((change) => change.mode !== null),
  );
}

async function writeFiles(context: GitContext, root: string, written: readonly Restored[]): Promise<void> {
  if (written.length === 0) return;
  let file: FileHandle | undefined;
  let link: Buffer[] = [];
  const reader = createBlobReader({
    async begin(number) {
      const { path, mode, own = false } = expected(written, number);
      await makeRoom(root, path);
      if (mode !== '120000') file = await open(bytes(root, path), 'wx', own ? 0o600 : 0o666);
    },
    async data(chunk) {
      if (file === undefined) link.push(Buffer.from(chunk));
      else await file.writeFile(chunk);
    },
    async end(number) {
      const { path, mode, own = false } = expected(written, number);
      await file?.close();
      if (file === undefined) await symlink(Buffer.concat(link), bytes(root, path));
      else if (mode === '100755') await chmod(bytes(root, path), own ? 0o700 : 0o755);
      file = undefined;
      link = [];
    },
  });
  try {
    await context.run(['cat-file', '--batch'], {
      cwd: root,
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      input: written.map((each) => `${each.sha}\n`).join(''),
      onStdout: reader.push,
    });
    if (reader.count() !== written.length) {
      throw new ConsoleError('GIT_FAILED', 'A recovery could not be read completely.', { stderr: '' });
    }
  } finally {
    await file?.close();
  }
}

function expected(list: readonly Restored[], number: number): Restored {
  const found = list[number];
  if (found === undefined) throw new ConsoleError('GIT_FAILED', 'git sent more files than asked for.', { stderr: '' });
  return found;
}

function parseRaw(text: string): Restored[] {
  const fields = text.split('\0');
  const changes: Restored[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , sha = '', status] = (fields[at] ?? '').split(' ');
    const path = fields[at + 1] ?? '';
    // Submodules are not saved, and nothing of ours ever lies in a git directory.
    if (mode === '160000' || path.split('/').some((part) => part.toLowerCase() === '.git')) continue;
    changes.push({ path, mode: status === 'D' ? null : mode, sha });
  }
  return changes;
}

/** Deletes a file and the folders that become empty by it, as git does. */
async function removeFile(root: string, path: BytePath): Promise<void> {
  if (!(await insideFolders(root, path))) return;
  const at = bytes(root, path);
  try {
    if (!(await lstat(at)).isDirectory()) await rm(at);
    for (const folder of foldersAbove(path).reverse()) await rmdir(bytes(root, folder));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}

function foldersAbove(path: BytePath): BytePath[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Whether every folder above the path is a folder, not a link that leads out of the worktree. */
async function insideFolders(root: string, path: BytePath): Promise<boolean> {
  for (const folder of foldersAbove(path)) {
    const stat = await lstat(bytes(root, folder)).catch(() => null);
    if (stat?.isDirectory() !== true) return false;
  }
  return true;
}

/**
 * Makes the folders above a path and clears the path itself, which may be to become a folder; a link or file in the way
 * gives way, unfollowed.
 */
async function makeRoom(root: string, path: BytePath, asFolder = false): Promise<void> {
  for (const folder of asFolder ? [...foldersAbove(path), path] : foldersAbove(path)) {
    const at = bytes(root, folder);
    const stat = await lstat(at).catch(() => null);
    if (stat?.isDirectory() === true) continue;
    if (stat !== null) await rm(at);
    await mkdir(at);
  }
  if (!asFolder) await rm(bytes(root, path), { force: true, recursive: true });
}

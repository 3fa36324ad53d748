import { chmod, type FileHandle, lstat, mkdir, open, rm, rmdir, symlink } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import { createBlobReader } from './blob-reader.ts';
import type { GitContext } from './context.ts';
import { canonicalPath, errorCode } from './files.ts';
import { type Recovery, readRecovery } from './recovery-ref.ts';
import { bytes } from './recovery-save.ts';
import { branchExists } from './refs.ts';
import type { BytePath } from './status.ts';
import { addWorktree } from './worktree-add.ts';
import { discard } from './worktree-discard.ts';

interface Restored {
  path: BytePath;
  /** git's file mode, or null when the file was deleted. */
  mode: string | null;
  sha: string;
}

/**
 * Recreates a removed worktree and puts its changes back: modified, deleted and untracked files as they were, and what
 * was staged is staged again when the branch has not moved since. A branch that is gone is made again at its last
 * commit; a detached HEAD is detached again. Nothing remains on failure; the recovery ref stays in any case.
 * @throws NOT_FOUND (no such recovery), CONFLICT (path taken, branch checked out elsewhere), UNSUPPORTED, GIT_FAILED.
 */
export async function restoreWorktree(
  context: GitContext,
  spec: { repositoryPath: string; path: string; branch: string; recoveryRef: string },
): Promise<{ sha: string }> {
  const recovery = await readRecovery(context, spec.repositoryPath, spec.recoveryRef);
  const { head } = recovery;
  if (head === null) {
    const message = `${spec.recoveryRef} was made before the first commit. Read it with: git show ${spec.recoveryRef}`;
    throw new ConsoleError('UNSUPPORTED', message, { recoveryRef: spec.recoveryRef });
  }
  const target = { repositoryPath: spec.repositoryPath, path: await canonicalPath(spec.path) };
  const { sha } = await addWorktree(context, { ...target, ...(await placeOf(context, spec, recovery, head)) });
  try {
    // The index alone, and before the files: git moves it only while they are what it checked out.
    if (recovery.index !== null && sha === head) {
      await context.commands.run(['read-tree', '-m', head, recovery.index], { cwd: target.path });
    }
    await applyChanges(context, target.path, { from: head, to: recovery.sha });
  } catch (error) {
    // A branch that was made again holds commits of the user's; it stays.
    await discard(context, { ...target, branch: null, mark: '' });
    throw error;
  }
  return { sha };
}

async function placeOf(
  context: GitContext,
  spec: { repositoryPath: string; branch: string },
  recovery: Recovery,
  head: string,
): Promise<{ branch: string | null; startPoint: string | null }> {
  if (recovery.branch === null) return { branch: null, startPoint: head };
  const exists = await branchExists(context, spec.repositoryPath, spec.branch);
  return { branch: spec.branch, startPoint: exists ? null : head };
}

async function applyChanges(context: GitContext, root: string, range: { from: string; to: string }): Promise<void> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-commit-id', range.from, range.to, '--'];
  const { stdout } = await context.commands.run(args, { cwd: root });
  const changes = parseRaw(stdout.toString('latin1'));
  for (const change of changes) {
    if (change.mode === null) await removeFile(root, change.path);
  }
  const written = changes.filter((change) => change.mode !== null);
  if (written.length === 0) return;
  let file: FileHandle | undefined;
  let link: Buffer[] = [];
  const reader = createBlobReader({
    async begin(number) {
      const { path, mode } = expected(written, number);
      await makeRoom(root, path);
      if (mode !== '120000') file = await open(bytes(root, path), 'wx');
    },
    async data(chunk) {
      if (file === undefined) link.push(Buffer.from(chunk));
      else await file.writeFile(chunk);
    },
    async end(number) {
      const { path, mode } = expected(written, number);
      await file?.close();
      if (file === undefined) await symlink(Buffer.concat(link), bytes(root, path));
      else if (mode === '100755') await chmod(bytes(root, path), 0o755);
      file = undefined;
      link = [];
    },
  });
  try {
    await context.commands.run(['cat-file', '--batch'], {
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

/** Makes the folders above a path and clears the path itself; a link or file in the way gives way, unfollowed. */
async function makeRoom(root: string, path: BytePath): Promise<void> {
  for (const folder of foldersAbove(path)) {
    const at = bytes(root, folder);
    const stat = await lstat(at).catch(() => null);
    if (stat?.isDirectory() === true) continue;
    if (stat !== null) await rm(at);
    await mkdir(at);
  }
  await rm(bytes(root, path), { force: true, recursive: true });
}

import { randomBytes } from 'node:crypto';
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import { fromAsideName } from './aside-names.ts';
import type { GitContext } from './context.ts';
import { canonicalPath, errorCode } from './files.ts';
import { writeStep } from './in-progress.ts';
import { gitDirOf } from './layout.ts';
import { absoluteBytes } from './recovery-plan.ts';
import { type Recovery, readRecovery } from './recovery-ref.ts';
import { branchExists } from './refs.ts';
import type { BytePath } from './status.ts';
import { recordTemporaryFile } from './temporary-files.ts';
import { addWorktree } from './worktree-add.ts';
import { discard } from './worktree-discard.ts';

export interface RestoredFile {
  path: BytePath;
  /** Whether the file exists only in the second of the commits or trees that `changesBetween` compared. */
  isNew?: boolean;
  /** git's file mode; null when the file was deleted. */
  mode: string | null;
  sha: string;
  /**
   * Whether only the owner may read the restored file. Set for files whose original mode is unknown, because they may
   * contain secrets.
   */
  isPrivate?: boolean;
}

/**
 * Recreates a removed worktree on its branch and restores its changes: modified, deleted and untracked files, nested
 * repositories and ignored files. Restores staged changes and conflicts only if the branch has not moved since the
 * worktree was removed. A deleted branch is recreated at its last commit. On failure, the worktree is removed again,
 * but a recreated branch may remain. The recovery ref is always kept.
 * @throws NOT_FOUND (no such recovery), CONFLICT (path taken, branch checked out elsewhere), UNSUPPORTED, GIT_FAILED,
 * TIMEOUT.
 */
export async function restoreWorktree(
  context: GitContext,
  spec: { repositoryPath: string; path: string; recoveryRef: string },
): Promise<{ sha: string; warnings: string[] }> {
  const recovery = await readRecovery(context, spec.repositoryPath, spec.recoveryRef);
  const { head } = recovery;
  if (head === null) {
    const message = `${spec.recoveryRef} cannot be restored, because its worktree had no commit yet. Read it with: git show ${spec.recoveryRef}`;
    throw new ConsoleError('UNSUPPORTED', message, { recoveryRef: spec.recoveryRef });
  }
  const target = { repositoryPath: spec.repositoryPath, path: await canonicalPath(spec.path) };
  const { sha } = await addWorktree(context, { ...target, ...(await checkoutSpec(context, spec, recovery, head)) });
  const moved = sha !== head;
  try {
    // The index is restored before the files, because `read-tree -m` refuses to change the index entry of a modified
    // file.
    if (recovery.index !== null && !moved) {
      await context.run(['read-tree', '-m', head, recovery.index], { cwd: target.path });
    }
    const changes = await changesBetween(context, target.path, { from: head, to: recovery.sha });
    await writeChanges(context, target.path, changes);
    if (recovery.aside !== null) await restoreAside(context, target.path, recovery.aside);
    if (recovery.conflict !== null && !moved) await restoreConflicts(context, target.path, recovery.conflict);
    if (recovery.step !== null && !moved) await writeStep(await gitDirOf(target.path), recovery.step);
  } catch (error) {
    // `branch: null` prevents the deletion of the branch. The branch contains the user's commits, even if this restore
    // has recreated it.
    await discard(context, { ...target, branch: null, mark: '' });
    throw error;
  }
  const warnings = moved ? await movedWarnings(context, target.path, recovery, head) : [];
  return { sha, warnings: [...cutOffWarnings(recovery), ...warnings] };
}

function cutOffWarnings({ cutOff, branch }: Recovery): string[] {
  if (cutOff === null) return [];
  const where = branch === null ? ' HEAD is detached at the same commit as before the removal.' : '';
  return [
    `A ${cutOff} was in progress when the worktree was removed. The ${cutOff} was not saved, so start it again.${where}`,
  ];
}

/** Returns warnings about changes that were not restored because the branch has moved. */
async function movedWarnings(context: GitContext, cwd: string, recovery: Recovery, head: string): Promise<string[]> {
  const moved = `branch ${recovery.branch} is no longer at commit ${head.slice(0, 12)}`;
  const warnings: string[] = [];
  if (recovery.index !== null) {
    const staged = await context.run(['diff-tree', '--quiet', head, recovery.index, '--'], { cwd, okCodes: [0, 1] });
    if (staged.exitCode === 1)
      warnings.push(
        `Staged changes are restored as unstaged, because ${moved}. The staged state is stored in commit ${recovery.index}.`,
      );
  }
  if (recovery.conflict !== null)
    warnings.push(`Files in conflict are restored, but are no longer marked as unmerged, because ${moved}.`);
  if (recovery.step !== null)
    warnings.push(`The merge, cherry-pick or revert that was in progress is not continued, because ${moved}.`);
  return warnings;
}

async function checkoutSpec(
  context: GitContext,
  spec: { repositoryPath: string },
  { branch }: Recovery,
  head: string,
): Promise<{ branch: string | null; startPoint: string | null }> {
  if (branch === null) return { branch, startPoint: head };
  return { branch, startPoint: (await branchExists(context, spec.repositoryPath, branch)) ? null : head };
}

/** Restores nested repositories and ignored files. */
async function restoreAside(context: GitContext, root: string, aside: string): Promise<void> {
  const entries = await entriesOf(context, root, aside);
  const written: RestoredFile[] = [];
  for (const { mode, sha, name } of entries) {
    const found = fromAsideName(name);
    if (found === null || mode === '160000') continue;
    if (found.isEmptyFolder) await makeRoom(root, found.path, true);
    else written.push({ path: found.path, mode, sha, isPrivate: true });
  }
  await writeFiles(context, root, written);
}

async function restoreConflicts(context: GitContext, root: string, conflict: string): Promise<void> {
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

/** Returns the files that differ between two commits or trees, with their content in the second one. */
export async function changesBetween(
  context: GitContext,
  cwd: string,
  range: { from: string; to: string },
): Promise<RestoredFile[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-commit-id', range.from, range.to, '--'];
  const { stdout } = await context.run(args, { cwd });
  return parseRaw(stdout.toString('latin1'));
}

/** Writes and deletes files in a worktree, byte for byte. git reads the new contents from the repository at `cwd`. */
export async function writeChanges(
  context: GitContext,
  root: string,
  changes: readonly RestoredFile[],
  cwd = root,
): Promise<void> {
  const written = changes.filter((change) => change.mode !== null);
  for (const change of changes) if (change.mode === null) await removeFile(root, change.path);
  await writeFiles(context, root, written, cwd);
}

async function writeFiles(
  context: GitContext,
  root: string,
  written: readonly RestoredFile[],
  cwd = root,
): Promise<void> {
  if (written.length === 0) return;
  let file: FileHandle | undefined;
  let link: Buffer[] = [];
  // Each file is written under a temporary name and renamed when complete, so that a crash leaves the old or the new
  // content.
  const temporary = `.agent-console-${randomBytes(6).toString('hex')}`;
  const unfinished = (path: BytePath) => absoluteBytes(root, [...foldersAbove(path).slice(-1), temporary].join('/'));
  const folders = [...new Set(written.map(({ path }) => foldersAbove(path).at(-1) ?? ''))];
  const forget = await recordTemporaryFile(context.viewsDir, { root, folders, name: temporary });
  const reader = createBlobReader({
    async begin(number) {
      const { path, mode, isPrivate = false } = expected(written, number);
      await makeRoom(root, path);
      if (mode !== '120000') file = await open(unfinished(path), 'wx', isPrivate ? 0o600 : 0o666);
    },
    async data(chunk) {
      if (file === undefined) link.push(Buffer.from(chunk));
      else await file.writeFile(chunk);
    },
    async end(number) {
      const { path, mode, isPrivate = false } = expected(written, number);
      const temporaryPath = unfinished(path);
      await file?.close();
      if (file === undefined) await symlink(Buffer.concat(link), temporaryPath);
      else if (mode === '100755') await chmod(temporaryPath, isPrivate ? 0o700 : 0o755);
      await rename(temporaryPath, absoluteBytes(root, path));
      file = undefined;
      link = [];
    },
  });
  try {
    await context.run(['cat-file', '--batch'], {
      cwd,
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      input: written.map((each) => `${each.sha}\n`).join(''),
      onStdout: reader.push,
    });
    if (reader.count() !== written.length) {
      throw new ConsoleError(
        'GIT_FAILED',
        'git returned only some of the files in the recovery ref. Check the repository with `git fsck`.',
        { stderr: '' },
      );
    }
  } finally {
    await file?.close();
    const last = written[reader.count()];
    if (last !== undefined) await rm(unfinished(last.path), { force: true });
    await forget();
  }
}

function expected(list: readonly RestoredFile[], number: number): RestoredFile {
  const found = list[number];
  if (found === undefined)
    throw new ConsoleError(
      'GIT_FAILED',
      'git returned more files of the recovery ref than requested. Try again, and report the problem if it persists.',
      { stderr: '' },
    );
  return found;
}

interface BlobSink {
  /** Called when a blob begins. `number` is its position in the request, from 0. */
  begin(number: number): Promise<void>;
  data(chunk: Buffer): Promise<void>;
  end(number: number): Promise<void>;
}

/**
 * Parses `git cat-file --batch` (`<id> <type> <size>`, line break, bytes, line break) without buffering whole blobs.
 * @throws GIT_FAILED from `push` when an object is missing.
 */
function createBlobReader(sink: BlobSink): { push(chunk: Buffer): Promise<void>; count(): number } {
  let count = 0;
  let header = '';
  /** Remaining bytes of the current blob, including the line break after the blob; -1 while a header is read. */
  let remaining = -1;

  async function push(chunk: Buffer): Promise<void> {
    let at = 0;
    while (at < chunk.length) {
      if (remaining < 0) {
        const end = chunk.indexOf('\n', at);
        header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 1;
        remaining = sizeIn(header) + 1;
        header = '';
        await sink.begin(count);
      }
      const take = Math.min(remaining - 1, chunk.length - at);
      if (take > 0) await sink.data(chunk.subarray(at, at + take));
      at += take;
      remaining -= take;
      if (remaining === 1 && at < chunk.length) {
        at += 1;
        remaining = -1;
        await sink.end(count);
        count += 1;
      }
    }
  }

  return { push, count: () => count };
}

function sizeIn(header: string): number {
  const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
  if (size !== undefined) return Number(size);
  throw new ConsoleError(
    'GIT_FAILED',
    `A file in the recovery ref cannot be read: ${header}. Check the repository with \`git fsck\`.`,
    { stderr: header },
  );
}

function parseRaw(text: string): RestoredFile[] {
  const fields = text.split('\0');
  const changes: RestoredFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , sha = '', status] = (fields[at] ?? '').split(' ');
    const path = fields[at + 1] ?? '';
    // Submodules are skipped, because they are not saved; files in git directories are skipped, because no valid
    // recovery ref contains them.
    if (mode === '160000' || path.split('/').some((part) => part.toLowerCase() === '.git')) continue;
    changes.push({ path, mode: status === 'D' ? null : mode, sha, isNew: status === 'A' });
  }
  return changes;
}

/** Deletes a file and any parent folders that become empty, as git does. */
async function removeFile(root: string, path: BytePath): Promise<void> {
  if (!(await insideFolders(root, path))) return;
  const at = absoluteBytes(root, path);
  try {
    if (!(await lstat(at)).isDirectory()) await rm(at);
    for (const folder of foldersAbove(path).reverse()) await rmdir(absoluteBytes(root, folder));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}

export function foldersAbove(path: BytePath): BytePath[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Whether all parents of the path are folders, not links. A path through a link could lead out of the worktree. */
async function insideFolders(root: string, path: BytePath): Promise<boolean> {
  for (const folder of foldersAbove(path)) {
    const stat = await lstat(absoluteBytes(root, folder)).catch(() => null);
    if (stat?.isDirectory() !== true) return false;
  }
  return true;
}

/**
 * Deletes the links, files and folders that prevent the creation of a path, and creates its parent folders. A file or
 * link at the path itself stays, because the caller replaces it. With `asFolder`, also creates a folder at the path.
 */
async function makeRoom(root: string, path: BytePath, asFolder = false): Promise<void> {
  for (const folder of asFolder ? [...foldersAbove(path), path] : foldersAbove(path)) {
    const at = absoluteBytes(root, folder);
    const stat = await lstat(at).catch(() => null);
    if (stat?.isDirectory() === true) continue;
    if (stat !== null) await rm(at);
    await mkdir(at);
  }
  if (asFolder) return;
  const at = absoluteBytes(root, path);
  if ((await lstat(at).catch(() => null))?.isDirectory() === true) await rm(at, { recursive: true });
}

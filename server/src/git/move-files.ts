import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { CheckoutView } from './checkout-view.ts';
import { stderrOf } from './failure.ts';
import { errorCode } from './files.ts';
import type { IndexLock } from './index-lock.ts';
import { areFromCommits } from './move-leftover.ts';
import { absoluteBytes } from './recovery-plan.ts';
import { type BytePath, displayPath, trackedChanges } from './status.ts';

/** A path that differs between the commits `from` and `to` of a move. */
export interface ChangedPath {
  path: BytePath;
  /** Mode and object of the path in the commit `from`; null if only the commit `to` has the path. */
  before: { mode: string; sha: string } | null;
  /** Whether the commit `to` has the path. */
  isInAfter: boolean;
}

const SUBMODULE = '160000';

/** Lists the paths that differ between two commits. */
export async function changedPaths(
  { run }: Pick<CheckoutView, 'run'>,
  from: string,
  to: string,
): Promise<ChangedPath[]> {
  const { stdout } = await run(['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', from, to, '--']);
  const fields = stdout.toString('latin1').split('\0');
  const found: ChangedPath[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = '', , sha = '', , status] = fields[at]?.slice(1).split(' ') ?? [];
    const path = fields[at + 1] ?? '';
    found.push({ path, before: status === 'A' ? null : { mode, sha }, isInAfter: status !== 'D' });
  }
  return found;
}

type Occupant = 'nothing' | 'folder' | 'other';

/** Returns what exists at a path, without following links. Returns `nothing` if a parent folder is a link. */
async function occupantOf(root: string, relative: BytePath): Promise<Occupant> {
  const parts = relative.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const kind = await kindAt(root, parts.slice(0, count).join('/'));
    if (kind === 'folder' && count < parts.length) continue;
    return count === parts.length ? kind : 'nothing';
  }
  return 'nothing';
}

async function kindAt(root: string, relative: BytePath): Promise<Occupant> {
  try {
    return (await lstat(absoluteBytes(root, relative))).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return 'nothing';
    throw error;
  }
}

/**
 * Lists the files in the way of a move: files that the commit `from` does not contain, at paths where the commit `to`
 * has a file or folder. Includes ignored files, which git itself would overwrite.
 */
export async function filesInTheWay(root: string, paths: readonly ChangedPath[]): Promise<BytePath[]> {
  const deletedByMove = new Set(paths.flatMap(({ path, isInAfter }) => (isInAfter ? [] : [path])));
  const found = new Set<BytePath>();
  const known = new Map<BytePath, Promise<Occupant>>();
  const kindOf = (path: BytePath) => {
    const kind = known.get(path) ?? kindAt(root, path);
    known.set(path, kind);
    return kind;
  };
  const checkPath = async (path: BytePath) => {
    const parts = path.split('/');
    for (let count = 1; count <= parts.length; count += 1) {
      const at = parts.slice(0, count).join('/');
      const kind = await kindOf(at);
      if (kind === 'folder' && count < parts.length) continue;
      if (kind === 'folder')
        for (const inside of await filesBelow(root, at)) if (!deletedByMove.has(inside)) found.add(inside);
      if (kind === 'other' && !deletedByMove.has(at)) found.add(at);
      return;
    }
  };
  for (const { path, before } of paths) if (before === null) await checkPath(path);
  return [...found];
}

async function filesBelow(root: string, folder: BytePath): Promise<BytePath[]> {
  const entries = await readdir(absoluteBytes(root, folder), { withFileTypes: true, encoding: 'buffer' });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = `${folder}/${entry.name.toString('latin1')}`;
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    }),
  );
  return found.flat();
}

/**
 * Runs each filter of the paths once, before anything is changed. A move must not begin without working filters,
 * because the undo of a failed move needs them to restore the files.
 * @throws GIT_FAILED that names the filter.
 */
export async function requireFilters(view: CheckoutView, from: string, paths: readonly ChangedPath[]): Promise<void> {
  const present = paths.filter(({ before }) => before !== null && before.mode !== SUBMODULE);
  if (present.length === 0) return;
  const input = Buffer.from(present.map(({ path }) => `${path}\0`).join(''), 'latin1');
  const { stdout } = await view.run(['check-attr', '-z', '--stdin', 'filter'], { input });
  const fields = stdout.toString('latin1').split('\0');
  const samples = new Map<string, BytePath>();
  for (let at = 0; at + 2 < fields.length; at += 3) samples.set(fields[at + 2] ?? '', fields[at] ?? '');
  for (const [filter, path] of samples) {
    if (filter === 'unspecified' || filter === 'unset') continue;
    // The name is passed by standard input, because an argument cannot contain bytes that are not UTF-8.
    const request = Buffer.from(`${from}:${path}\n`, 'latin1');
    const { stdout: found } = await view.run(['cat-file', '--batch-check=%(objectname)'], { input: request });
    const args = ['cat-file', '--filters', `--path=${displayPath(path)}`, found.toString().trim()];
    await view.run(args, { filters: 'write', onStdout: () => {} });
  }
}

/**
 * Matches the message of `git read-tree` that names a file which it would have to overwrite. After this message, git
 * changes no file.
 */
const REFUSED_FILE = /(?:file|Entry|Updating|remove) '(.+)' (?:would (?:be|lose)|not uptodate|since it is)/;

/**
 * Changes the files of a checkout, and the index of `view`, from one commit to another. Untracked files stay.
 * @throws CONFLICT (recognized by `isRefusal`) if git refused and so changed no file, GIT_FAILED.
 */
export async function writeFiles(view: CheckoutView, { from, to }: { from: string; to: string }): Promise<void> {
  const settings = ['core.splitIndex=false'];
  // Smudge filters may fetch, so the command has the time limit of a fetch.
  const options = { filters: 'write', settings, timeoutMs: GIT_REMOTE_LIMIT_MS } as const;
  await view.run(['read-tree', '-m', '-u', from, to], options).catch((error: unknown) => {
    const file = REFUSED_FILE.exec(stderrOf(error))?.[1];
    if (file === undefined) throw error;
    throw new ConsoleError(
      'CONFLICT',
      `git would overwrite the file ${file} in ${view.path}. Commit or move it first.`,
      { path: view.path, files: [file] },
      { cause: error },
    );
  });
}

/** Whether `writeFiles` failed before it changed any file, because somebody else changed a file at the last moment. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ConsoleError && error.code === 'CONFLICT' && REFUSED_FILE.test(stderrOf(error.cause));
}

/**
 * Undoes a move: resets the paths that differ between `from` and `to`, in the index and in the files, to `from`. Other
 * changes remain.
 * @param save saves the checkout before files are overwritten, because they may have been changed since the move began.
 * If `save` fails, the files are overwritten only if their content comes from `from` or `to`.
 */
export async function resetFiles(
  view: CheckoutView,
  {
    from,
    to,
    lock,
    save,
  }: {
    from: string;
    to: string;
    lock: Pick<IndexLock, 'install'>;
    save: () => Promise<{ leftOut: BytePath[] }>;
  },
): Promise<void> {
  const settings = ['core.splitIndex=false'];
  const feed = (args: readonly string[], lines: readonly string[]) =>
    view.run(args, {
      settings,
      filters: 'write',
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      input: Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1'),
    });
  const paths = await changedPaths(view, from, to);
  const changes = await trackedChanges(view);
  const changed = new Set(changes.map((change) => change.path));
  // The index is compared with `from` instead of HEAD, because the branch may point to a commit other than `from` and
  // `to`.
  const index = await view.run(['diff-index', '--cached', '-z', '--name-only', '--no-renames', from, '--']);
  const inIndex = new Set(index.stdout.toString('latin1').split('\0'));
  const added: BytePath[] = [];
  for (const { path, before } of paths) {
    if (before === null && (await occupantOf(view.path, path)) === 'other') added.push(path);
  }
  const staged = paths.filter(({ path }) => inIndex.has(path));
  const written = paths.filter(
    ({ path, before }) => before !== null && before.mode !== SUBMODULE && (changed.has(path) || inIndex.has(path)),
  );
  if (added.length + staged.length + written.length === 0) return;
  const replaced = [...added, ...written.map(({ path }) => path)];
  const saved = await save().catch(async (error: unknown) => {
    // Saving may have failed because the disk is full. The files may be overwritten nevertheless if they contain only
    // what git wrote.
    if (await areFromCommits(view, [to, from], replaced)) return { leftOut: [] };
    throw error;
  });
  const unsaved = new Set(saved.leftOut);
  for (const path of added) if (unsaved.has(path)) await moveAside(view.path, path);
  await deleteFiles(view.path, added);
  const leftOut = await setIndex(view, feed, staged);
  const files = written.flatMap(({ path }) => (leftOut.has(path) ? [] : [path]));
  for (const path of files) {
    // A folder at the path of a file is moved aside, because git would delete the folder with all its files.
    if ((await occupantOf(view.path, path)) === 'folder') await moveAside(view.path, path);
  }
  await feed(['checkout-index', '--force', '--index', '-z', '--stdin'], files);
  await lock.install(`${view.folder}/index`);
}

type Feed = (args: readonly string[], lines: readonly string[]) => Promise<unknown>;

/**
 * Resets the index entries of these paths to the commit before the move. Returns those of the paths that a sparse
 * checkout leaves out.
 */
async function setIndex(view: CheckoutView, feed: Feed, staged: readonly ChangedPath[]): Promise<Set<BytePath>> {
  if (staged.length === 0) return new Set();
  // `S` marks files that a sparse checkout leaves out. Replacing the index entry of such a file would clear its `S`, so
  // `S` is set again below.
  const { stdout } = await view.run(['ls-files', '-t', '-z']);
  const lines = new Set(stdout.toString('latin1').split('\0'));
  // Index entries are removed before others are added, because a file may replace a folder.
  await feed(
    ['update-index', '-z', '--index-info'],
    [
      ...staged.map(({ path, before }) => `0 ${'0'.repeat(before?.sha.length ?? 40)}\t${path}`),
      ...staged.flatMap(({ path, before }) => (before === null ? [] : [`${before.mode} ${before.sha}\t${path}`])),
    ],
  );
  const skipped = staged.flatMap(({ path, before }) => (before !== null && lines.has(`S ${path}`) ? [path] : []));
  if (skipped.length > 0) await feed(['update-index', '--skip-worktree', '-z', '--stdin'], skipped);
  return new Set(skipped);
}

/** Deletes files, and then each of their parent folders that is empty. */
async function deleteFiles(root: string, paths: readonly BytePath[]): Promise<void> {
  const ignored = (codes: readonly string[]) => (error: unknown) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error;
  };
  for (const path of paths) await unlink(absoluteBytes(root, path)).catch(ignored(['ENOENT']));
  const folders = new Set<BytePath>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let count = parts.length; count > 0; count -= 1) folders.add(parts.slice(0, count).join('/'));
  }
  const deepestFirst = [...folders].sort((a, b) => b.split('/').length - a.split('/').length);
  for (const folder of deepestFirst) {
    await rmdir(absoluteBytes(root, folder)).catch(ignored(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']));
  }
}

/** Renames a file or folder, so that the reset of the checkout does not delete or overwrite it. */
async function moveAside(root: string, path: BytePath): Promise<void> {
  for (let number = 1; ; number += 1) {
    const aside = `${path}.saved-${number}`;
    if ((await occupantOf(root, aside)) !== 'nothing') continue;
    return rename(absoluteBytes(root, path), absoluteBytes(root, aside));
  }
}

import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import {
  RECOVERY_IGNORED_FOLDER_MAX_FILES,
  RECOVERY_IGNORED_MAX_BYTES,
  RECOVERY_IGNORED_MAX_FILES,
  RECOVERY_UNTRACKED_MAX_BYTES,
  RECOVERY_UNTRACKED_MAX_FILES,
} from '@agent-console/shared/limits/git';
import { errorCode } from './files.ts';
import type { BytePath, Status } from './status.ts';

/** A path of the working tree whose content, or whose absence, is stored in a recovery ref. */
export interface Entry {
  path: BytePath;
  mode: '100644' | '100755' | '120000' | 'emptyFolder';
  /**
   * Whether there is a regular file, a link or an empty folder to save at the path. False for a deleted file, for
   * example.
   */
  present: boolean;
}

/** The content of a planned recovery ref. Planning does not write anything. */
export interface RecoveryPlan {
  /** Changed and untracked files that the recovery ref will contain. */
  entries: Entry[];
  /** Nested repositories and ignored files. They are stored in a separate tree under escaped names. */
  aside: Entry[];
  /** Changes, untracked files and nested repositories that the recovery ref will not contain. */
  leftOut: BytePath[];
  /** Ignored paths that the recovery ref will contain. */
  savedIgnored: ReadonlySet<BytePath>;
}

interface Allowance {
  bytes: number;
  files: number;
}

/** A file or folder that is saved completely or not at all. */
interface Item {
  path: BytePath;
  entries: Entry[];
  bytes: number;
}

/** Returns the absolute path of a file as bytes, because file names need not be UTF-8. */
export function absoluteBytes(root: string, relative: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(relative, 'latin1')]);
}

/** Decides what a recovery ref of the checkout at `root` will contain. */
export async function planRecovery(root: string, status: Status): Promise<RecoveryPlan> {
  const plan = { entries: [] as Entry[], aside: [] as Entry[], leftOut: [] as BytePath[] };
  const untracked = { bytes: RECOVERY_UNTRACKED_MAX_BYTES, files: RECOVERY_UNTRACKED_MAX_FILES };
  const items: Item[] = [];
  const addItem = async (path: BytePath) => {
    const item = await itemAt(root, path, untracked);
    if (item === null) plan.leftOut.push(path);
    else items.push(item);
  };
  const untrackedPaths = new Set(status.untracked);
  for (const change of status.changes) {
    // An ignored file that was removed only from the index is saved with the changes, because a discard overwrites it.
    if (change.removed && !untrackedPaths.has(change.path)) {
      if ((await entryAt(root, change.path)).entry.present) await addItem(change.path);
      continue;
    }
    if (!change.unstaged) continue;
    if (!change.submodule) plan.entries.push((await entryAt(root, change.path)).entry);
    else if (await isFolder(root, `${change.path}/.git`)) await addItem(`${change.path}/`);
    // The repository of this submodule is in the worktree's git directory, which a recovery ref does not contain.
    else plan.leftOut.push(change.path);
  }
  for (const path of status.untracked) await addItem(path);
  // Items are added in ascending order of size, so that as many as possible fit into the limits for untracked files.
  items.sort((a, b) => a.bytes - b.bytes);
  for (const item of items) {
    if (!takeAllowance(untracked, item)) plan.leftOut.push(item.path);
    else (isNested(item.path) ? plan.aside : plan.entries).push(...item.entries);
  }
  const ignored = await smallIgnored(root, status.ignored);
  plan.aside.push(...ignored.flatMap((item) => item.entries));
  return { ...plan, savedIgnored: new Set(ignored.map((item) => item.path)) };
}

/** A path that ends in a slash is a folder whose files git does not list. */
const isNested = (path: BytePath) => path.endsWith('/');

/**
 * Selects small ignored files to be saved. Files come before folders, and files with few parent folders come first,
 * because people are more likely to have written such files.
 */
async function smallIgnored(root: string, paths: readonly BytePath[]): Promise<Item[]> {
  const depth = (path: BytePath) => path.split('/').length;
  const files = paths.filter((path) => !isNested(path)).sort((a, b) => depth(a) - depth(b));
  const folders = paths.filter(isNested);
  const remaining = { bytes: RECOVERY_IGNORED_MAX_BYTES, files: RECOVERY_IGNORED_MAX_FILES };
  const saved: Item[] = [];
  for (const path of [...files, ...folders]) {
    if (remaining.files <= 0) break;
    const files = isNested(path) ? Math.min(remaining.files, RECOVERY_IGNORED_FOLDER_MAX_FILES) : 1;
    const item = await itemAt(root, path, { bytes: remaining.bytes, files });
    if (item !== null && takeAllowance(remaining, item)) saved.push(item);
  }
  return saved;
}

function takeAllowance(remaining: Allowance, { entries, bytes }: Item): boolean {
  if (bytes > remaining.bytes || entries.length > remaining.files) return false;
  remaining.bytes -= bytes;
  remaining.files -= entries.length;
  return true;
}

/**
 * Returns what to save for a path: the file, or the folder with its contents. Returns null if there is no file at the
 * path, if a file cannot be read, or if the files in a folder exceed `allowed`.
 */
async function itemAt(root: string, path: BytePath, allowed: Allowance): Promise<Item | null> {
  const item: Item = { path, entries: [], bytes: 0 };
  if (isNested(path)) return (await addFolder(root, path.slice(0, -1), item, allowed)) ? item : null;
  const { entry, size } = await entryAt(root, path);
  if (!entry.present || !(await isReadable(root, entry))) return null;
  return { ...item, entries: [entry], bytes: size };
}

async function addFolder(root: string, folder: BytePath, item: Item, allowed: Allowance): Promise<boolean> {
  const names = await readdir(absoluteBytes(root, folder), { encoding: 'buffer' }).catch(() => null);
  if (names === null) return false;
  if (names.length === 0) item.entries.push({ path: folder, mode: 'emptyFolder', present: true });
  for (const name of names) {
    const path = `${folder}/${name.toString('latin1')}`;
    if (await isFolder(root, path)) {
      if (!(await addFolder(root, path, item, allowed))) return false;
      continue;
    }
    const { entry, size } = await entryAt(root, path);
    // Sockets and pipes contain nothing to save.
    if (!entry.present) continue;
    if (!(await isReadable(root, entry))) return false;
    item.entries.push(entry);
    item.bytes += size;
    if (item.bytes > allowed.bytes || item.entries.length > allowed.files) return false;
  }
  return true;
}

async function isFolder(root: string, path: BytePath): Promise<boolean> {
  return (await lstat(absoluteBytes(root, path)).catch(() => null))?.isDirectory() === true;
}

async function isReadable(root: string, { path, mode }: Entry): Promise<boolean> {
  if (mode === '120000') return true;
  return access(absoluteBytes(root, path), constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Returns the file at a path. A folder or special file counts as missing, because it has no bytes to save. */
async function entryAt(root: string, path: BytePath): Promise<{ entry: Entry; size: number }> {
  const gone: Entry = { path, mode: '100644', present: false };
  try {
    const stat = await lstat(absoluteBytes(root, path));
    if (stat.isSymbolicLink()) return { entry: { path, mode: '120000', present: true }, size: stat.size };
    if (!stat.isFile()) return { entry: gone, size: 0 };
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
    return { entry: { path, mode, present: true }, size: stat.size };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { entry: gone, size: 0 };
    throw error;
  }
}

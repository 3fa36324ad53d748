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

/** One file of the working tree as it will stand in a recovery. */
export interface Entry {
  path: BytePath;
  mode: '100644' | '100755' | '120000' | 'emptyFolder';
  /** False: it is not there, or is nothing that has bytes to save. */
  present: boolean;
}

/** What a recovery of a checkout holds, found out by looking alone. */
export interface RecoveryPlan {
  /** Changed and untracked files. */
  entries: Entry[];
  /** What no tree of git's holds by its own name or should: nested repositories, and ignored files. */
  aside: Entry[];
  /** What is not saved of the changes, untracked files and nested repositories. */
  leftOut: BytePath[];
  /** Those of the status's ignored paths that are saved. */
  savedIgnored: ReadonlySet<BytePath>;
}

interface Allowance {
  bytes: number;
  files: number;
}

/** Something that is saved as a whole or not at all. */
interface Item {
  path: BytePath;
  entries: Entry[];
  bytes: number;
}

/** The file system's name of a path in the worktree. */
export function bytes(root: string, relative: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(relative, 'latin1')]);
}

/** Says what a recovery of the checkout at `root` would hold, and what it would not. */
export async function planRecovery(root: string, status: Status): Promise<RecoveryPlan> {
  const plan = { entries: [] as Entry[], aside: [] as Entry[], leftOut: [] as BytePath[] };
  const untracked = { bytes: RECOVERY_UNTRACKED_MAX_BYTES, files: RECOVERY_UNTRACKED_MAX_FILES };
  const items: Item[] = [];
  const find = async (path: BytePath) => {
    const item = await itemAt(root, path, untracked);
    if (item === null) plan.leftOut.push(path);
    else items.push(item);
  };
  for (const change of status.changes) {
    if (!change.unstaged) continue;
    if (!change.submodule) plan.entries.push((await entryAt(root, change.path)).entry);
    else if (await isFolder(root, `${change.path}/.git`)) await find(`${change.path}/`);
    // The repository of a submodule proper lies in the worktree's own git directory, and goes with it.
    else plan.leftOut.push(change.path);
  }
  for (const path of status.untracked) await find(path);
  // The small ones first: that saves the most.
  items.sort((a, b) => a.bytes - b.bytes);
  for (const item of items) {
    if (!take(untracked, item)) plan.leftOut.push(item.path);
    else (isNested(item.path) ? plan.aside : plan.entries).push(...item.entries);
  }
  const ignored = await smallIgnored(root, status.ignored);
  plan.aside.push(...ignored.flatMap((item) => item.entries));
  return { ...plan, savedIgnored: new Set(ignored.map((item) => item.path)) };
}

/** git ends the path of a folder that it does not look into with a slash. */
const isNested = (path: BytePath) => path.endsWith('/');

/** Files first, those nearest to the top before the others, since that is where people write them. */
async function smallIgnored(root: string, paths: readonly BytePath[]): Promise<Item[]> {
  const depth = (path: BytePath) => path.split('/').length;
  const files = paths.filter((path) => !isNested(path)).sort((a, b) => depth(a) - depth(b));
  const folders = paths.filter(isNested);
  const left = { bytes: RECOVERY_IGNORED_MAX_BYTES, files: RECOVERY_IGNORED_MAX_FILES };
  const saved: Item[] = [];
  for (const path of [...files, ...folders]) {
    if (left.files <= 0) break;
    const files = isNested(path) ? Math.min(left.files, RECOVERY_IGNORED_FOLDER_MAX_FILES) : 1;
    const item = await itemAt(root, path, { bytes: left.bytes, files });
    if (item !== null && take(left, item)) saved.push(item);
  }
  return saved;
}

function take(left: Allowance, { entries, bytes }: Item): boolean {
  if (bytes > left.bytes || entries.length > left.files) return false;
  left.bytes -= bytes;
  left.files -= entries.length;
  return true;
}

/** A file, or a folder with all that is in it; null when it is more than allowed, or cannot be read. */
async function itemAt(root: string, path: BytePath, allowed: Allowance): Promise<Item | null> {
  const item: Item = { path, entries: [], bytes: 0 };
  if (isNested(path)) return (await addFolder(root, path.slice(0, -1), item, allowed)) ? item : null;
  const { entry, size } = await entryAt(root, path);
  if (!entry.present || !(await isReadable(root, entry))) return null;
  return { ...item, entries: [entry], bytes: size };
}

async function addFolder(root: string, folder: BytePath, item: Item, allowed: Allowance): Promise<boolean> {
  const names = await readdir(bytes(root, folder), { encoding: 'buffer' }).catch(() => null);
  if (names === null) return false;
  if (names.length === 0) item.entries.push({ path: folder, mode: 'emptyFolder', present: true });
  for (const name of names) {
    const path = `${folder}/${name.toString('latin1')}`;
    if (await isFolder(root, path)) {
      if (!(await addFolder(root, path, item, allowed))) return false;
      continue;
    }
    const { entry, size } = await entryAt(root, path);
    // Sockets and pipes have nothing that could be saved.
    if (!entry.present) continue;
    if (!(await isReadable(root, entry))) return false;
    item.entries.push(entry);
    item.bytes += size;
    if (item.bytes > allowed.bytes || item.entries.length > allowed.files) return false;
  }
  return true;
}

async function isFolder(root: string, path: BytePath): Promise<boolean> {
  return (await lstat(bytes(root, path)).catch(() => null))?.isDirectory() === true;
}

async function isReadable(root: string, { path, mode }: Entry): Promise<boolean> {
  if (mode === '120000') return true;
  return access(bytes(root, path), constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** What stands at a path now. Folders and special files have no bytes to save and count as gone. */
async function entryAt(root: string, path: BytePath): Promise<{ entry: Entry; size: number }> {
  const gone: Entry = { path, mode: '100644', present: false };
  try {
    const stat = await lstat(bytes(root, path));
    if (stat.isSymbolicLink()) return { entry: { path, mode: '120000', present: true }, size: stat.size };
    if (!stat.isFile()) return { entry: gone, size: 0 };
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
    return { entry: { path, mode, present: true }, size: stat.size };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { entry: gone, size: 0 };
    throw error;
  }
}

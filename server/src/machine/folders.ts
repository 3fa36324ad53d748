import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FolderEntry, Host } from '../ports/host.ts';

/**
 * Describes a folder. Returns undefined if the path is not a folder. A folder that contains `.git` counts as the top
 * directory of a git checkout.
 */
async function entryOf(path: string): Promise<FolderEntry | undefined> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isFolder) return undefined;
  const isRepository = await stat(join(path, '.git')).then(
    () => true,
    () => false,
  );
  return { name: basename(path), path, isRepository };
}

/** Lists the folders in a folder, without hidden ones. Symbolic links to folders are listed too. */
export const listFolders: Host['listFolders'] = async (path) => {
  const real = await realpath(path).catch(() => undefined);
  const folder = real === undefined ? undefined : await entryOf(real);
  const entries =
    folder === undefined ? undefined : await readdir(folder.path, { withFileTypes: true }).catch(() => undefined);
  if (folder === undefined || entries === undefined) return undefined;
  const visible = entries.filter(
    (entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
  );
  const folders = await Promise.all(visible.map(({ name }) => entryOf(join(folder.path, name))));
  return { ...folder, folders: folders.filter((entry) => entry !== undefined) };
};

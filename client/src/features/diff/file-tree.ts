import type { DiffFile } from './types.ts';

export type FileTreeRow =
  | { kind: 'folder'; path: string; name: string; depth: number; isFolded: boolean; files: number }
  | { kind: 'file'; file: DiffFile; depth: number };

interface Folder {
  path: string;
  folders: Map<string, Folder>;
  files: DiffFile[];
}

function newFolder(path: string): Folder {
  return { path, folders: new Map(), files: [] };
}

function treeOf(files: readonly DiffFile[]): Folder {
  const root = newFolder('');
  for (const file of files) {
    // The path of a nested repository ends with a slash, but the repository is listed like a file.
    const names = file.path.replace(/\/$/, '').split('/').slice(0, -1);
    let folder = root;
    for (const name of names) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      const next = folder.folders.get(name) ?? newFolder(path);
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return root;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function filesBelow(folder: Folder): DiffFile[] {
  const inside = [...folder.folders].sort(byName).flatMap(([, each]) => filesBelow(each));
  return [...inside, ...folder.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))];
}

/** Returns files in the order of the file list: in each folder, first its folders and then its files, by name. */
export function inTreeOrder(files: readonly DiffFile[]): DiffFile[] {
  return filesBelow(treeOf(files));
}

/**
 * Returns the rows of the file list. A folder that contains nothing but another folder shares a row with that folder,
 * e.g. `src/features`.
 * @param folded paths of the folders whose content is not shown
 */
export function fileTreeRows(files: readonly DiffFile[], folded: ReadonlySet<string>): FileTreeRow[] {
  const rows: FileTreeRow[] = [];
  const add = (folder: Folder, depth: number) => {
    for (const [name, each] of [...folder.folders].sort(byName)) {
      let shown = each;
      let label = name;
      for (;;) {
        const [only] = shown.folders;
        if (shown.files.length > 0 || shown.folders.size !== 1 || only === undefined) break;
        label += `/${only[0]}`;
        shown = only[1];
      }
      const isFolded = folded.has(shown.path);
      rows.push({ kind: 'folder', path: shown.path, name: label, depth, isFolded, files: filesBelow(shown).length });
      if (!isFolded) add(shown, depth + 1);
    }
    for (const file of folder.files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
      rows.push({ kind: 'file', file, depth });
  };
  add(treeOf(files), 0);
  return rows;
}

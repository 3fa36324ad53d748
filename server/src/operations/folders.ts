import { dirname } from 'node:path';
import { fieldError } from '@agent-console/shared/errors';
import { FOLDERS_MAX } from '@agent-console/shared/limits/answers';
import type { FolderEntry } from '../ports/host.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

const byKindAndName = (a: FolderEntry, b: FolderEntry) =>
  Number(b.isRepository) - Number(a.isRepository) || a.name.localeCompare(b.name);

function listFolders({ host, storage }: OperationContext): Implementation<'folders.list'> {
  return async ({ path = host.userPath('.') }) => {
    const listing = await host.listFolders(path);
    if (listing === undefined) {
      throw fieldError('path', 'is not a folder that the console can read. Pass the path of another folder');
    }
    const registered = await storage.read.repositories.find({ removedAt: null });
    const ids = new Map(registered.map((repository) => [repository.path, repository.id]));
    const withId = (entry: FolderEntry) => ({ ...entry, repositoryId: ids.get(entry.path) ?? null });
    const { folders, ...folder } = listing;
    const parent = dirname(folder.path);
    return {
      ...withId(folder),
      parent: parent === folder.path ? null : parent,
      home: host.userPath('.'),
      folders: folders.sort(byKindAndName).slice(0, FOLDERS_MAX).map(withId),
      truncated: folders.length > FOLDERS_MAX,
    };
  };
}

export function folderOperations(context: OperationContext) {
  return { 'folders.list': listFolders(context) } satisfies Partial<Implementations>;
}

import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf } from '../ids.ts';
import { operation } from '../operation.ts';
import { AbsolutePath } from '../text.ts';

const Folder = v.object({
  name: described(v.string(), 'Name of the folder'),
  path: described(v.string(), 'Absolute path of the folder'),
  isRepository: described(v.boolean(), 'Whether the folder is the top directory of a git checkout'),
  repositoryId: nullableIdOf('repository', 'Id of the repository that is registered with this path, or null'),
});

export const folders = [
  operation({
    name: 'folders.list',
    summary:
      'Folders inside a folder on the machine of the console, for choosing a repository; hidden folders are left out',
    access: 'owner',
    rest: { method: 'GET', path: '/folders' },
    cli: { command: 'folders list', positional: ['path'], rows: 'folders', columns: ['name', 'isRepository', 'path'] },
    example: { path: '/home/me' },
    input: v.strictObject({
      path: v.optional(described(AbsolutePath, 'Absolute path of a folder; default: the home folder')),
    }),
    output: v.object({
      ...Folder.entries,
      parent: described(v.nullable(v.string()), 'Path of the parent folder, or null for the root'),
      home: described(v.string(), 'Path of the home folder of the user who runs the console'),
      folders: described(v.array(Folder), 'Subfolders; git repositories first, then by name'),
      truncated: described(v.boolean(), 'Whether more folders exist than are listed'),
    }),
  }),
] as const;

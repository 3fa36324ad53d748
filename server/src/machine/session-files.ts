import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { ACP_FILE_MAX_BYTES } from '@agent-console/shared/limits/acp';
import type { Host } from '../ports/host.ts';

type SessionFiles = Pick<Host, 'readText' | 'writeText' | 'realFolder'>;

/** Accesses files for a session's agent, in the session's directory and in further folders that the session may use. */
export const sessionFiles: SessionFiles = {
  async readText(folders, path) {
    const file = await openFile(folders, path, constants.O_RDONLY);
    try {
      const facts = await file.stat();
      if (facts.size > ACP_FILE_MAX_BYTES) {
        throw new ConsoleError(
          'TOO_LARGE',
          `${path} is larger than ${ACP_FILE_MAX_BYTES} bytes. Read a part of it with a command instead.`,
          { path },
        );
      }
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  },
  async writeText(folders, path, text) {
    const file = await openFile(folders, path, constants.O_WRONLY | constants.O_CREAT);
    try {
      await file.truncate();
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  },
  async realFolder(session, path) {
    if (!isAbsolute(path)) throw fieldError('cwd', `${path} must be an absolute path`);
    const real = await realpath(path).catch((error: unknown) => {
      throw fileError(error, path);
    });
    assertInside(await realCwd(session.cwd), real, path, 'folder');
    if (!(await stat(real)).isDirectory()) throw fieldError('cwd', `${path} is not a folder`);
    return real;
  },
};

/** Opens a regular file. Creates missing folders if the flags allow creating the file. */
async function openFile(folders: readonly string[], path: string, flags: number): Promise<FileHandle> {
  const place = await placeOf(folders, path);
  try {
    const folder = await openFolder(place, path, (flags & constants.O_CREAT) !== 0);
    try {
      // Without O_NONBLOCK, opening a named pipe would block a thread until another process opens it.
      const file = await open(pathIn(folder, place.name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      if ((await file.stat()).isFile()) return file;
      await file.close();
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
  throw fieldError('path', `${path} is not a file`);
}

interface OpenFolder {
  handle: FileHandle;
  path: string;
}

/**
 * Opens the folder of a file. The agent can replace a folder by a symbolic link after its path was resolved, so on
 * Linux each step starts at a folder that is already open. The path of the first folder is checked after the folder was
 * opened.
 */
async function openFolder(place: Place, path: string, create: boolean): Promise<OpenFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let folder: OpenFolder = { handle: await open(place.folder, flags), path: place.folder };
  try {
    const real = isLinux ? await readlink(descriptorPath(folder)) : await realpath(place.folder);
    assertInside(place.root, join(real, ...place.missing, place.name), path, 'file');
    for (const name of place.missing) {
      const next = pathIn(folder, name);
      if (create) await mkdir(next, { recursive: true });
      const handle = await open(next, flags);
      await folder.handle.close();
      folder = { handle, path: join(folder.path, name) };
    }
    return folder;
  } catch (error) {
    await folder.handle.close();
    throw error;
  }
}

const isLinux = process.platform === 'linux';

const descriptorPath = ({ handle }: OpenFolder) => `/proc/self/fd/${handle.fd}`;

/**
 * Returns a path of an entry of an open folder. On Linux, the returned path stays valid if the folder is moved or
 * replaced.
 */
const pathIn = (folder: OpenFolder, name: string) => join(isLinux ? descriptorPath(folder) : folder.path, name);

interface Place {
  /** The one of the session's folders that contains the file. */
  root: string;
  /** Real path of the innermost existing folder on the path of the file. */
  folder: string;
  /** Names of the folders between `folder` and the file, which do not exist. */
  missing: readonly string[];
  name: string;
}

/**
 * Returns where a file is or would be created. Its parent folders need not exist. The existing parent folders are
 * resolved first, because a symbolic link among them may lead out of `folders`.
 * @throws PERMISSION_DENIED if the file is in none of `folders`, or in a git directory; VALIDATION for a relative path;
 * NOT_FOUND if the session's directory was deleted.
 */
async function placeOf(folders: readonly string[], path: string): Promise<Place> {
  if (!isAbsolute(path)) throw fieldError('path', `${path} must be an absolute path`);
  const absolutePath = resolve(path);
  const missing: string[] = [];
  let folder = dirname(absolutePath);
  let real = await realpath(folder).catch(() => null);
  while (real === null) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
    real = await realpath(folder).catch(() => null);
  }
  const name = basename(absolutePath);
  const realFile = join(real, ...missing, name);
  // A deleted folder contains no files, and must not hide those of the other folders.
  const roots = await Promise.all(folders.map((each) => realpath(each).catch(() => null)));
  const [cwd = ''] = folders;
  const root = roots.findLast((each) => each !== null && isBelow(each, realFile)) ?? (await realCwd(cwd));
  assertInside(root, realFile, path, 'file');
  return { root, folder: real, missing, name };
}

/** Returns the real path of a session's directory. @throws NOT_FOUND if the directory was deleted. */
async function realCwd(cwd: string): Promise<string> {
  return realpath(cwd).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    const message = `The session's directory ${cwd} no longer exists. Restore it first.`;
    throw new ConsoleError('NOT_FOUND', message, { path: cwd }, { cause: error });
  });
}

function isBelow(root: string, real: string): boolean {
  return real.startsWith(root + sep);
}

/**
 * @throws PERMISSION_DENIED if a real path is outside `root` or in a git directory, or is `root` itself although a file
 * is expected. Git directories are refused at any depth, because files in them, such as hooks, can run commands.
 */
function assertInside(root: string, real: string, path: string, type: 'file' | 'folder'): void {
  const names = relative(root, real).split(sep);
  const [first = ''] = names;
  if (first === '..' || isAbsolute(first) || (first === '' && type === 'file'))
    throw denied(path, "is outside the session's directory", type);
  // The names are compared without case, because some file systems ignore case.
  if (names.some((name) => name.toLowerCase() === '.git')) throw denied(path, 'is in a git directory', type);
}

function denied(path: string, why: string, type: 'file' | 'folder'): ConsoleError {
  const message = `${path} ${why}. Use a ${type} inside the session's directory.`;
  return new ConsoleError('PERMISSION_DENIED', message, { path });
}

function fileError(error: unknown, path: string): unknown {
  if (error instanceof ConsoleError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return notFound('File', path);
  if (code === 'ELOOP') return denied(path, 'is a symbolic link', 'file');
  return code === undefined ? error : fieldError('path', `${path} cannot be opened: ${code}`);
}

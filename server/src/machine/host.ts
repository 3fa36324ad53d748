import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Host } from '../ports/host.ts';
import { createCommands } from './command.ts';
import { createDiskUsage } from './disk-usage.ts';
import { listFolders } from './folders.ts';
import type { ProcessReader } from './recorded-process.ts';
import { sessionFiles } from './session-files.ts';
import { startProgram } from './start-program.ts';
import { createWorkerFiles } from './worker-files.ts';

/** Whether `path` is `folder` or inside it. Both are absolute. */
function isWithin(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`);
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

/** Provides access to the directories, files and executables of this machine. */
export function createHost(options: {
  home: string;
  /** The port that workers use to connect to the console. */
  port: number;
  environment: Readonly<Record<string, string | undefined>>;
  processes: ProcessReader;
}): Host {
  const { home, port, environment, processes } = options;

  async function isFolder(path: string): Promise<boolean> {
    return stat(path).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
  }

  /**
   * Whether the cwd of a process was deleted. After the deletion, Linux appends ` (deleted)` to the cwd's path in
   * `/proc`. The name of an existing folder may also end like this, so the function checks that no such folder exists.
   */
  async function isCwdDeleted({ pid }: Parameters<Host['isCwdDeleted']>[0]): Promise<boolean> {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return folder.endsWith(' (deleted)') && !(await isFolder(folder));
  }

  async function findInside(...[session, path]: Parameters<Host['findInside']>): ReturnType<Host['findInside']> {
    if (isAbsolute(path) || !isWithin(session.cwd, resolve(session.cwd, path))) return 'outside';
    const root = await realpath(session.cwd).catch(() => undefined);
    if (root === undefined) return 'missing';
    const real = await realpath(resolve(root, path)).catch(() => undefined);
    if (real === undefined) return 'missing';
    if (!isWithin(root, real)) return 'outside';
    const entry = await stat(real).catch(() => undefined);
    if (entry === undefined) return 'missing';
    if (entry.isDirectory()) return 'folder';
    return entry.isFile() ? 'file' : 'other';
  }

  async function isProgram(path: string): Promise<boolean> {
    const entry = await stat(path).catch(() => undefined);
    if (entry === undefined || !entry.isFile()) return false;
    return access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
  }

  return {
    baseUrl: () => `http://127.0.0.1:${port}`,
    port: () => port,
    repositoriesDir: join(home, 'repositories'),
    transcriptsDir: join(home, 'transcripts'),
    isFolder,
    listFolders,
    isPresent: (worktree) => isFolder(worktree.path),
    hasCwd: (session) => isFolder(session.cwd),
    isCwdDeleted,
    findInside,
    realPath,
    async which(program) {
      if (program.includes('/')) return isAbsolute(program) && (await isProgram(program)) ? program : null;
      for (const folder of (environment.PATH ?? '').split(delimiter)) {
        if (folder !== '' && (await isProgram(join(folder, program)))) return join(folder, program);
      }
      return null;
    },
    ...sessionFiles,
    ...createWorkerFiles({ home, environment }),
    ...createCommands({ home, processes }),
    startProgram,
    diskUsage: createDiskUsage(environment),
    environment,
  };
}

import { mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { USER_FILE_MAX_BYTES } from '@agent-console/shared/limits/agents';
import type { Overlay } from '../ports/agents.ts';
import type { Host } from '../ports/host.ts';
import { userPath as resolveUserPath } from './user-path.ts';

type WorkerFiles = Pick<
  Host,
  | 'workerPaths'
  | 'writeWorkerFiles'
  | 'readWorkerFile'
  | 'readErrors'
  | 'writeWorkerFile'
  | 'removeWorkerFile'
  | 'readUserFiles'
  | 'userPath'
  | 'clearWorker'
  | 'removeWorker'
>;

/** Maximum number of bytes that are read from the end of a process's error output. The first character may be cut. */
const ERRORS_READ_BYTES = 8 * 1024;

/**
 * Manages the files of a worker except its output log. The folder of the agent's configuration contains the worker's
 * token. The agent's hooks write to the signals file. Also reads the error output of the worker's process, and files of
 * the user.
 */
export function createWorkerFiles(options: {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}): WorkerFiles {
  const { home, environment } = options;

  function workerPaths(workerId: string) {
    const own = join(home, 'workers', workerId);
    return { folder: join(own, 'process'), signalsFile: join(own, 'signals.ndjson') };
  }

  const pathOf = (name: string) => resolveUserPath(environment, name);

  async function linkFolder(folder: string, overlay: Overlay): Promise<void> {
    const source = pathOf(overlay.of);
    const target = join(folder, overlay.into);
    for (const name of overlay.make) await mkdir(join(source, name), { recursive: true, mode: 0o700 });
    await mkdir(target, { recursive: true, mode: 0o700 });
    for (const name of await readdir(source)) {
      if (!overlay.except.includes(name)) await symlink(join(source, name), join(target, name));
    }
  }

  return {
    workerPaths,
    userPath: pathOf,
    async writeWorkerFiles(workerId, files, overlay) {
      const { folder, signalsFile } = workerPaths(workerId);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (overlay !== null) await linkFolder(folder, overlay);
      for (const [name, text] of Object.entries(files)) {
        const file = resolve(folder, name);
        if (!file.startsWith(folder + sep)) throw new Error(`${name} is outside the worker's folder`);
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      }
      await (await open(signalsFile, 'a', 0o600)).close();
    },
    readWorkerFile: (workerId, name) => readFile(join(workerPaths(workerId).folder, name), 'utf8').catch(() => null),
    async readErrors(workerId) {
      const file = await open(join(dirname(workerPaths(workerId).folder), 'stderr.log')).catch(() => null);
      if (file === null) return '';
      try {
        const { size } = await file.stat();
        const position = Math.max(0, size - ERRORS_READ_BYTES);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(ERRORS_READ_BYTES), 0, ERRORS_READ_BYTES, position);
        return stripVTControlCharacters(buffer.toString('utf8', 0, bytesRead));
      } finally {
        await file.close();
      }
    },
    writeWorkerFile: (workerId, name, text) =>
      writeFile(join(workerPaths(workerId).folder, name), text, { mode: 0o600 }),
    removeWorkerFile: (workerId, name) => rm(join(workerPaths(workerId).folder, name), { force: true }),
    async readUserFiles(names) {
      const texts: Record<string, string> = {};
      for (const name of names) {
        const path = pathOf(name);
        const facts = await stat(path).catch(() => undefined);
        if (facts === undefined || !facts.isFile() || facts.size > USER_FILE_MAX_BYTES) continue;
        texts[name] = await readFile(path, 'utf8');
      }
      return texts;
    },
    async clearWorker(workerId) {
      // `rm` removes symbolic links without following them. It retries, because processes of an ended agent may still
      // write to the folder.
      await rm(workerPaths(workerId).folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
    async removeWorker(workerId) {
      await rm(dirname(workerPaths(workerId).folder), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

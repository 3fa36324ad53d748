import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivateValues } from '../ports/private-values.ts';

/** Stores values in `<home>/private` (0700), each in a separate file (0600) named by its id. */
export function createPrivateValues(options: { home: string; newId: () => string }): PrivateValues {
  const folder = join(options.home, 'private');
  const pathOf = (id: string) => join(folder, id);

  return {
    async store(value) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = options.newId();
      const file = await open(pathOf(id), 'wx', 0o600);
      try {
        await file.writeFile(value);
        await file.sync();
      } finally {
        await file.close();
      }
      return id;
    },
    async read(id) {
      return readFile(pathOf(id), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
    async remove(ids) {
      for (const id of ids) await rm(pathOf(id), { force: true });
    },
    async sweep(ids) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) if (!ids.has(name)) await rm(pathOf(name), { force: true });
    },
  };
}

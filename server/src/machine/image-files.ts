import { link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageFiles } from '../ports/images.ts';

/** Stores images in `<home>/images/<sessionId>` (0700), each in a separate file (0600). */
export function createImageFiles(options: { home: string; newId: () => string }): ImageFiles {
  const root = join(options.home, 'images');
  const folder = (sessionId: string) => join(root, sessionId);
  const pathOf = (sessionId: string, name: string) => join(folder(sessionId), name);
  const namesIn = (sessionId: string) => readdir(folder(sessionId)).catch(() => []);
  const createFolder = async (sessionId: string) =>
    void (await mkdir(folder(sessionId), { recursive: true, mode: 0o700 }));

  return {
    folder,
    async store(sessionId, name, bytes) {
      await createFolder(sessionId);
      // The file has another name until it is complete, so a crash leaves no damaged image.
      const partial = pathOf(sessionId, `.${options.newId()}`);
      const file = await open(partial, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, pathOf(sessionId, name));
    },
    async list(sessionId) {
      const names = (await namesIn(sessionId)).filter((name) => !name.startsWith('.'));
      const facts = await Promise.all(names.map((name) => stat(pathOf(sessionId, name)).catch(() => null)));
      return names.flatMap((name, index) => {
        const bytes = facts[index]?.size;
        return bytes === undefined ? [] : [{ name, bytes }];
      });
    },
    async read(sessionId, name) {
      return readFile(pathOf(sessionId, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
    async touch(sessionId, name) {
      const now = new Date();
      await utimes(pathOf(sessionId, name), now, now);
    },
    async share(fromSessionId, toSessionId) {
      const names = (await namesIn(fromSessionId)).filter((name) => !name.startsWith('.'));
      if (names.length === 0) return;
      await createFolder(toSessionId);
      for (const name of names) {
        await link(pathOf(fromSessionId, name), pathOf(toSessionId, name)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
        });
      }
    },
    remove: (sessionId) => rm(folder(sessionId), { recursive: true, force: true }),
    sessions: () => readdir(root).catch(() => []),
    async removeUnused(sessionId, before, used) {
      for (const name of await namesIn(sessionId)) {
        if (used.has(name)) continue;
        const facts = await stat(pathOf(sessionId, name)).catch(() => null);
        if (facts !== null && facts.mtimeMs < before.getTime()) await rm(pathOf(sessionId, name), { force: true });
      }
    },
  };
}

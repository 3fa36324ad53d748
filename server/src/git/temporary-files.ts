import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './checkout-view.ts';
import { absoluteBytes } from './recovery-plan.ts';
import type { BytePath } from './status.ts';

const PREFIX = 'writing-';
const RECORD = 'files.json';

/** The possible paths of a temporary file in a checkout: one name in several folders. */
interface TemporaryFile {
  root: string;
  folders: readonly BytePath[];
  name: string;
}

/**
 * Stores in the folder for views where a temporary file will be written, so that `removeTemporaryFiles` deletes it after
 * a crash. Returns a function that deletes the record.
 */
export async function recordTemporaryFile(viewsDir: string, file: TemporaryFile): Promise<() => Promise<void>> {
  const folder = await makeFolder(viewsDir, PREFIX);
  const forget = () => rm(folder, { recursive: true, force: true });
  await writeFile(path.join(folder, RECORD), JSON.stringify(file)).catch(async (error: unknown) => {
    await forget();
    throw error;
  });
  return forget;
}

/** Deletes the temporary files that a crash left in checkouts. */
export async function removeTemporaryFiles(viewsDir: string): Promise<void> {
  const names = await readdir(viewsDir).catch(() => []);
  for (const each of names.filter((name) => name.startsWith(PREFIX))) {
    const file = await readFile(path.join(viewsDir, each, RECORD), 'utf8').then(parse, () => null);
    if (file === null) continue;
    for (const folder of file.folders) {
      await rm(absoluteBytes(file.root, path.posix.join(folder, file.name)), { force: true }).catch(() => undefined);
    }
  }
}

function parse(text: string): TemporaryFile | null {
  try {
    return JSON.parse(text) as TemporaryFile;
  } catch {
    // A crash while the record was written left it incomplete. The temporary file did not exist yet.
    return null;
  }
}

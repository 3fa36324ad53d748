import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chmod, mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { AgentKindName } from '@agent-console/shared/models/agent';
import * as v from 'valibot';
import type { Registration } from './registrations.ts';

const Registrations = v.array(
  v.object({
    agent: AgentKindName,
    file: v.string(),
    url: v.string(),
    inserted: v.string(),
    created: v.boolean(),
    // Earlier versions of `setup` wrote records without `folders`.
    folders: v.optional(v.array(v.string()), []),
    ownContainer: v.boolean(),
  }),
);
/** Returns the path of setup's record, a file in the data directory that `setup --undo` needs. */
export const recordFile = (home: string) => join(home, 'setup.json');

/** Reads the registrations of earlier `setup` runs, except those that were undone. */
export async function readRecord(home: string): Promise<Registration[]> {
  const text = await readFile(recordFile(home), 'utf8').catch(() => '[]');
  return v.parse(Registrations, JSON.parse(text));
}

/**
 * Writes the record of setup's changes. Must be called before a file is changed, so that the change can be undone after
 * any crash.
 */
export async function writeRecord(home: string, record: readonly Registration[]): Promise<void> {
  if (record.length === 0) return rm(recordFile(home), { force: true });
  await mkdir(home, { recursive: true, mode: 0o700 });
  await replace(recordFile(home), `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

export async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Returns the missing parent folders of a file, outermost first. */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  return missing;
}

/** Removes empty folders that setup created. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  // A folder that contains other files is not removed, and neither are its parents.
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
}

/** Replaces a file atomically and keeps its mode. If the file is a symbolic link, its target is replaced. */
export async function writeText(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (facts) => facts.mode & 0o777,
    () => 0o600,
  );
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await replace(target, text, mode);
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx' });
    await chmod(temporary, mode);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export async function isOnPath(program: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const found =
      folder !== '' &&
      (await access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (found) return true;
  }
  return false;
}

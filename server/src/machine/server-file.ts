import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Atomically writes `<home>/server.json` (0600), which the CLI uses to find its server. */
export async function writeServerFile(
  home: string,
  facts: { host: string; port: number; pid: number; startTime: string; version: string },
): Promise<void> {
  const file = join(home, 'server.json');
  await writeFile(`${file}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Removes `server.json`, unless another server has written it in the meantime. */
export async function removeServerFile(home: string, pid: number): Promise<void> {
  const file = join(home, 'server.json');
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.includes(`"pid":${pid},`)) await rm(file, { force: true });
}

/**
 * Writes the local owner's token to `<home>/cli-token`, which the CLI needs if callers are not identified by their
 * process. `undefined` removes the file.
 */
export async function writeCliToken(home: string, token: string | undefined): Promise<void> {
  await rm(join(home, 'cli-token'), { force: true });
  if (token === undefined) return;
  await writeFile(join(home, 'cli-token'), token, { mode: 0o600, flag: 'wx' });
}

import * as v from 'valibot';
import type { Host } from '../../ports/host.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';

/** Key of the stored ids of workers whose rows were removed, but whose files were not removed yet. */
const KEY = 'removedWorkers';
const Ids = v.array(v.string());

interface Deps {
  storage: Storage;
  runner: Pick<Runner, 'gone' | 'dropLog'>;
  host: Pick<Host, 'removeWorker'>;
}

async function removedIds({ meta }: Pick<Storage['read'], 'meta'>): Promise<string[]> {
  const stored = await meta.get(KEY);
  return stored === undefined ? [] : v.parse(Ids, JSON.parse(stored));
}

/** Stores that the files of these workers must be removed. Called in the transaction that removes their rows. */
export async function noteRemovedWorkers(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.meta.set(KEY, JSON.stringify([...(await removedIds(tx)), ...ids]));
}

/** Removes the files of removed workers: their output, and what their hooks reported. */
export async function removeFilesOf({ storage, runner, host }: Deps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const id of ids) {
    // A runner that is gone no longer writes to the log, which is removed with the other files.
    if (!runner.gone) await runner.dropLog(id);
    await host.removeWorker(id);
  }
  await storage.write(SYSTEM, async (tx) => {
    const others = (await removedIds(tx)).filter((id) => !ids.includes(id));
    await tx.meta.set(KEY, JSON.stringify(others));
  });
}

/** Removes the files that the previous server did not remove before it died. */
export async function sweepRemovedWorkers(deps: Deps): Promise<void> {
  await removeFilesOf(deps, await removedIds(deps.storage.read));
}

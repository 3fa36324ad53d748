import { LIVE_WORKER } from '../../domain/states.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { McpServerRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';

/** Ids of stored private values, by the name of the environment variable or header. */
type ValueIds = Record<string, string>;

export function valueIds({ env, headers }: Pick<McpServerRow, 'env' | 'headers'>): string[] {
  return [...Object.values(env), ...Object.values(headers)];
}

/** Stores these private values. Returns their ids by name. Names with the value null are skipped. */
export async function storeAll(
  privateValues: Pick<PrivateValues, 'store'>,
  values: Readonly<Record<string, string | null>>,
): Promise<ValueIds> {
  const ids: ValueIds = {};
  for (const [name, value] of Object.entries(values)) if (value !== null) ids[name] = await privateValues.store(value);
  return ids;
}

/**
 * Returns the value ids of an MCP server after a change of some values. `added` are the ids of the new values; a name
 * that was changed to null is removed.
 */
export function merged(before: ValueIds, changes: Readonly<Record<string, string | null>>, added: ValueIds): ValueIds {
  return Object.fromEntries(
    [...Object.entries(before).filter(([name]) => !(name in changes)), ...Object.entries(added)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );
}

/** Returns the stored values by name, and the names whose value is missing. */
export async function readAll(
  privateValues: Pick<PrivateValues, 'read'>,
  ids: ValueIds,
): Promise<{ values: Record<string, string>; missing: string[] }> {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, id] of Object.entries(ids)) {
    const value = await privateValues.read(id);
    if (value === null) missing.push(name);
    else values[name] = value;
  }
  return { values, missing };
}

/**
 * Deletes private values that belong to no MCP server and no live worker, for example because a crash interrupted a
 * change.
 */
export async function sweepValues({
  storage,
  privateValues,
}: {
  storage: Pick<Storage, 'read'>;
  privateValues: Pick<PrivateValues, 'sweep'>;
}): Promise<void> {
  const rows = await storage.read.mcpServers.find({ removedAt: null });
  const live = await storage.read.workers.find(LIVE_WORKER);
  const ofWorkers = live.flatMap(({ clientServers }) => clientServers?.valueId ?? []);
  await privateValues.sweep(new Set([...rows.flatMap(valueIds), ...ofWorkers]));
}

import { LIVE_WORKER } from '../../domain/states.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { McpServerRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';

/** Ids of stored private values, by the name of the environment variable or header. */
type Kept = Record<string, string>;

/** Returns the ids of all private values of an MCP server. */
export function valueIds({ env, headers }: Pick<McpServerRow, 'env' | 'headers'>): string[] {
  return [...Object.values(env), ...Object.values(headers)];
}

/** Stores the values. Names with the value null are skipped. */
export async function keepAll(
  privateValues: Pick<PrivateValues, 'store'>,
  values: Readonly<Record<string, string | null>>,
): Promise<Kept> {
  const kept: Kept = {};
  for (const [name, value] of Object.entries(values)) if (value !== null) kept[name] = await privateValues.store(value);
  return kept;
}

/** Merges changes into the stored values; null removes a name. */
export function merged(before: Kept, changes: Readonly<Record<string, string | null>>, kept: Kept): Kept {
  return Object.fromEntries(
    [...Object.entries(before).filter(([name]) => !(name in changes)), ...Object.entries(kept)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );
}

/** Returns all values by name, or the names whose value is missing. */
export async function readAll(
  privateValues: Pick<PrivateValues, 'read'>,
  kept: Kept,
): Promise<{ values: Record<string, string>; missing: string[] }> {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, id] of Object.entries(kept)) {
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

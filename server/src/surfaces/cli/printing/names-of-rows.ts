import { NAMED_IDS_MAX } from '@agent-console/shared/limits/answers';
import type { CliColumn, Noun } from '@agent-console/shared/operation';
import type { ConsoleClient } from '../client.ts';
import { idsToName, type NamesById } from './cells.ts';

/**
 * Returns the name of each id that these columns show by name. If a name cannot be read, it is missing in the result,
 * and the table shows the id.
 */
export async function namesOfRows(
  client: ConsoleClient,
  columns: readonly CliColumn[],
  rows: readonly unknown[],
): Promise<NamesById> {
  const byNoun = new Map<Noun, Set<string>>();
  for (const [noun, id] of idsToName(columns, rows)) byNoun.set(noun, (byNoun.get(noun) ?? new Set()).add(id));
  const names = new Map<string, string>();
  for (const [noun, ids] of byNoun) {
    const all = [...ids];
    for (let from = 0; from < all.length; from += NAMED_IDS_MAX) {
      const part = all.slice(from, from + NAMED_IDS_MAX);
      // A console of an earlier build has no `names.list`. The table then shows ids.
      const found = await client
        .call('names.list', { noun, ids: part, limit: NAMED_IDS_MAX })
        .catch(() => ({ names: [] }));
      for (const { id, title } of found.names) names.set(`${noun} ${id}`, title);
    }
  }
  return names;
}

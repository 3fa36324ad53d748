import * as v from 'valibot';
import type { Page } from '../page.ts';
import { bytesBeside, fittingRows } from './size.ts';

/** The spelling of the `agor_*` tools: snake_case, ids named after their noun. Pure presenters only. */

type Json = Readonly<Record<string, unknown>>;

/** Fields that these tools call by another name than their own in snake_case. */
const NAMES: Readonly<Record<string, string>> = { repositoryId: 'repo_id', agentId: 'agentic_tool' };

function snakeName(name: string): string {
  return NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same value with every key below it in snake_case; for values whose keys are ours, not those of free JSON. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeName(name), snakeKeys(each)]));
}

/** An entity as these tools show it: `id` becomes `<noun>_id`, everything else snake_case. */
export function snakeEntity(noun: string, { id, ...rest }: Json & { id: string }): Record<string, unknown> {
  return { [`${noun}_id`]: id, ...(snakeKeys(rest) as Record<string, unknown>) };
}

/** What a caller of a list said of its length. */
export interface Asked {
  limit?: number | undefined;
}

/**
 * A page in the envelope of every list. Without a limit of the caller's it has the rows that fit into one result, and
 * `limit` says how many those are, so that `skip + limit` is the next page.
 */
export function snakeList<Row>(page: Page<Row>, present: (row: Row) => Record<string, unknown>, asked: Asked = {}) {
  const rows = page.data.map(present);
  const data = asked.limit === undefined ? fittingRows(rows, bytesBeside({})) : rows;
  const limit = data.length < rows.length ? data.length : page.limit;
  return { total: page.total, limit, skip: page.skip, data };
}

/** What was created, in the envelope of every creation. `fields` stand beside the entity. */
export function snakeCreated(entityId: string, entity: Record<string, unknown>, fields: Json = {}) {
  return { created: true as const, entity_id: entityId, entity, ...fields };
}

/** Schema of what `snakeCreated` answers. */
export function snakeCreatedOf<Entity extends v.GenericSchema>(entity: Entity) {
  return v.object({ created: v.literal(true), entity_id: v.string(), entity });
}

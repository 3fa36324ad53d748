import * as v from 'valibot';
import type { Page } from '../page.ts';
import { bytesBeside, fittingRows } from './size.ts';

/** Spelling of the `agor_*` tools: snake_case, ids named after their noun. Pure presenters. */

type Json = Readonly<Record<string, unknown>>;

/** Fields with another name than their own in snake_case. */
const NAMES: Readonly<Record<string, string>> = { repositoryId: 'repo_id', agentId: 'agentic_tool' };

function snakeName(name: string): string {
  return NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same value with all its keys in snake_case. Only for values whose keys are ours, not for free JSON. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeName(name), snakeKeys(each)]));
}

/** An entity in snake_case, with `id` as `<noun>_id`. */
export function snakeEntity(noun: string, { id, ...rest }: Json & { id: string }): Record<string, unknown> {
  return { [`${noun}_id`]: id, ...(snakeKeys(rest) as Record<string, unknown>) };
}

/** Length of a list that the call requested. */
export interface ListArguments {
  limit?: number | undefined;
}

/**
 * A page in the envelope of every list. Without a limit in the call it has the rows that fit into one result, and
 * `limit` is their number, so that `skip + limit` is the next page.
 */
export function snakeList<Row>(
  page: Page<Row>,
  present: (row: Row) => Record<string, unknown>,
  args: ListArguments = {},
) {
  const rows = page.data.map(present);
  const data = args.limit === undefined ? fittingRows(rows, bytesBeside({})) : rows;
  const limit = data.length < rows.length ? data.length : page.limit;
  return { total: page.total, limit, skip: page.skip, data };
}

/** A created entity in the envelope of every creation. `fields` are added beside the entity. */
export function snakeCreated(entityId: string, entity: Record<string, unknown>, fields: Json = {}) {
  return { created: true as const, entity_id: entityId, entity, ...fields };
}

/** Schema of the result of `snakeCreated`. */
export function snakeCreatedOf<Entity extends v.GenericSchema>(entity: Entity) {
  return v.object({ created: v.literal(true), entity_id: v.string(), entity });
}

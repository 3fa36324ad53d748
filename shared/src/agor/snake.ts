import * as v from 'valibot';
import type { Page } from '../page.ts';
import { bytesBeside, fittingRows } from './size.ts';

/**
 * This file converts field names to those of the `agor_*` tools: snake_case, and the `id` of an entity becomes
 * `<noun>_id`.
 */

type Json = Readonly<Record<string, unknown>>;

/** Fields that have another name in the results of `agor_*` tools, instead of the same name in snake_case. */
const NAMES: Readonly<Record<string, string>> = { repositoryId: 'repo_id', agentId: 'agentic_tool' };

function snakeName(name: string): string {
  return NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns the value with all keys in snake_case. Must not be used for JSON that users or agents provide, because its
 * keys must not change.
 */
function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeName(name), snakeKeys(each)]));
}

/** Converts an entity to snake_case and names its `id` `<noun>_id`. */
export function snakeEntity(noun: string, { id, ...rest }: Json & { id: string }): Record<string, unknown> {
  return { [`${noun}_id`]: id, ...(snakeKeys(rest) as Record<string, unknown>) };
}

/** Arguments of a list tool that determine the number of rows on a page. */
export interface ListArguments {
  limit?: number | undefined;
}

/**
 * Formats a page as the result of a list tool. If the call has no `limit`, rows that do not fit into one result are
 * left out. If rows are left out, `limit` in the result is the number of returned rows, so that the next page starts at
 * `skip + limit`.
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

/** Formats an entity as the result of the tool that created it, with `fields` beside the entity. */
export function snakeCreated(entityId: string, entity: Record<string, unknown>, fields: Json = {}) {
  return { created: true as const, entity_id: entityId, entity, ...fields };
}

/** Returns the schema of a result that `snakeCreated` formats. */
export function snakeCreatedOf<Entity extends v.GenericSchema>(entity: Entity) {
  return v.object({ created: v.literal(true), entity_id: v.string(), entity });
}

import type { JsonSchema } from '../json-schema.ts';
import { wordsFor } from '../words.ts';

/** The schema with a description at each field that has words for it and no description of its own, at any depth. */
export function describeFields(schema: JsonSchema, owner: string): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, key === 'properties' ? described(part) : walk(part)]),
    );
  };
  const described = (fields: Record<string, JsonSchema>) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, part]) => {
        const description = part.description ?? wordsFor(owner, field);
        return [field, { ...(walk(part) as JsonSchema), ...(description === undefined ? {} : { description }) }];
      }),
    );
  return walk(schema) as JsonSchema;
}

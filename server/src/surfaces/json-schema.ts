import type { AnySchema } from '@agent-console/shared/operation';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { partsOf } from './input.ts';

export type JsonSchema = Record<string, unknown>;

/** Models by name. A schema contains the reference that `refOf` returns instead of repeating the model. */
export interface Components {
  models: Readonly<Record<string, v.GenericSchema>>;
  refOf: (name: string) => string;
}

/**
 * Returns the JSON Schema 2020-12 of an input. Leaves out checks that JSON Schema cannot express, such as a limit in
 * bytes.
 */
export function inputSchema(schema: AnySchema, components?: Components): JsonSchema {
  return convert(schema, components, 'ignore');
}

/** Returns the JSON Schema 2020-12 of an output. Throws for a model that JSON Schema cannot express. */
export function outputSchema(schema: AnySchema, components?: Components): JsonSchema {
  return convert(schema, components, 'throw');
}

function convert(schema: AnySchema, components: Components | undefined, errorMode: 'ignore' | 'throw'): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(components === undefined ? schema : referring(schema, components), {
    target: 'draft-2020-12',
    errorMode,
    // `brand` gives ids a type of their own (shared/src/ids.ts), which JSON Schema cannot express.
    ignoreActions: ['brand'],
  });
  return rest as JsonSchema;
}

/**
 * Returns the schema with each model in it replaced by a reference to its component. The JSON Schema converter is not
 * used for this: it overlooks a model to which a field has added a description, and converts all models again for each
 * schema.
 */
function referring(schema: AnySchema, { models, refOf }: Components): AnySchema {
  const names = new Map(Object.entries(models).map(([name, model]) => [model as AnySchema, name]));
  const isSchema = (part: unknown): part is AnySchema =>
    typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'schema';
  const each = (part: unknown) => (isSchema(part) ? walk(part) : part);
  const walk = (part: AnySchema): AnySchema => {
    const name = names.get(part);
    if (name !== undefined) return v.pipe(v.unknown(), v.metadata({ $ref: refOf(name) }));
    const { entries, wrapped, item, value, options, pipe } = partsOf(part);
    return {
      ...part,
      ...(entries && {
        entries: Object.fromEntries(Object.entries(entries).map(([key, field]) => [key, walk(field)])),
      }),
      ...(wrapped && { wrapped: walk(wrapped) }),
      ...(item && { item: walk(item) }),
      ...(value && { value: walk(value) }),
      ...(options && { options: options.map(each) }),
      ...(pipe && { pipe: pipe.map(each) }),
    } as AnySchema;
  };
  return walk(schema);
}

/**
 * Removes a keyword at any depth. A property with the same name as the keyword stays: unlike the keyword, it has an
 * object as its value.
 */
export function withoutKeyword(schema: JsonSchema, keyword: string): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const isSchema = (part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part);
    const others = Object.entries(value).filter(([key, part]) => key !== keyword || isSchema(part));
    return Object.fromEntries(others.map(([key, part]) => [key, walk(part)]));
  };
  return walk(schema) as JsonSchema;
}

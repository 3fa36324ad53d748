import type { AnySchema } from '@agent-console/shared/operation';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

export type JsonSchema = Record<string, unknown>;

/** Models by name, to be referred to instead of repeated. */
export interface Components {
  models: Readonly<Record<string, GenericSchema>>;
  refOf: (name: string) => string;
}

/**
 * What a caller may write, as JSON Schema 2020-12. Checks that JSON Schema cannot say (sizes in bytes, git's grammar)
 * are left out: the operation makes them.
 */
export function inputSchema(schema: AnySchema, components?: Components): JsonSchema {
  return convert(schema, components, 'ignore');
}

/** What a caller gets, as JSON Schema 2020-12. Throws when a model cannot be said in JSON Schema: that is a mistake in it. */
export function outputSchema(schema: AnySchema, components?: Components): JsonSchema {
  return convert(schema, components, 'throw');
}

function convert(schema: AnySchema, components: Components | undefined, errorMode: 'ignore' | 'throw'): JsonSchema {
  const {
    $schema: _,
    $defs: __,
    ...rest
  } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    errorMode,
    ...(components === undefined
      ? {}
      : { definitions: { ...components.models }, overrideRef: ({ referenceId }) => components.refOf(referenceId) }),
  });
  return rest as JsonSchema;
}

/** The schema without regular expressions: some models' providers refuse those that they do not know. */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key, part]) => !(key === 'pattern' && typeof part === 'string'));
    return Object.fromEntries(kept.map(([key, part]) => [key, walk(part)]));
  };
  return walk(schema) as JsonSchema;
}

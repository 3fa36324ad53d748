import { fieldError } from '@agent-console/shared/errors';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '@agent-console/shared/limits/calls';
import type { AnySchema, Contract } from '@agent-console/shared/operation';
import { AbsolutePath } from '@agent-console/shared/text';
import * as v from 'valibot';

/** Properties of an input field. `kind` decides how texts (query values, command arguments) are parsed. */
export interface FieldShape {
  kind: 'string' | 'number' | 'boolean' | 'array' | 'json';
  optional: boolean;
  nullable: boolean;
  default: unknown;
  description: string | undefined;
  /** Allowed values; undefined if the field is not restricted to certain values. */
  choices: readonly string[] | undefined;
  /** Whether the value is an absolute path. */
  isPath: boolean;
  /** Shape of an array's items. */
  item: FieldShape | undefined;
}

/** Properties of valibot schemas that this module reads. valibot's generic schema type does not declare all of them. */
interface SchemaParts {
  type: string;
  wrapped?: AnySchema;
  default?: unknown;
  item?: AnySchema;
  value?: AnySchema;
  options?: readonly unknown[];
  entries?: Record<string, AnySchema>;
  pipe?: readonly unknown[];
}

export const partsOf = (schema: AnySchema) => schema as unknown as SchemaParts;
const KINDS: Record<string, FieldShape['kind']> = {
  string: 'string',
  picklist: 'string',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
};

function shapeOf(schema: AnySchema): FieldShape {
  const parts = partsOf(schema);
  const description = v.getDescription(schema);
  if (parts.wrapped !== undefined) {
    const inner = shapeOf(parts.wrapped);
    return {
      ...inner,
      optional: inner.optional || parts.type === 'optional',
      nullable: inner.nullable || parts.type === 'nullable',
      default: parts.default ?? inner.default,
      description: description ?? inner.description,
    };
  }
  return {
    kind: KINDS[parts.type] ?? 'json',
    optional: false,
    nullable: false,
    default: undefined,
    description,
    choices: parts.type === 'picklist' ? parts.options?.map(String) : undefined,
    isPath: schema === AbsolutePath || parts.pipe?.includes(AbsolutePath) === true,
    item: parts.item === undefined ? undefined : shapeOf(parts.item),
  };
}

/** Returns the fields of an input schema, in the order in which the schema declares them. */
export function fieldsOf(schema: AnySchema): ReadonlyMap<string, FieldShape> {
  const entries = partsOf(schema).entries ?? {};
  return new Map(Object.entries(entries).map(([name, field]) => [name, shapeOf(field)]));
}

/**
 * Parses a text by the type of its field: a number, `true` or `false`, JSON, or null if allowed. A text that cannot be
 * parsed is returned unchanged, so that the operation's own validation rejects it.
 */
function fromText(shape: FieldShape, text: string): unknown {
  if (shape.nullable && (text === '' || text === 'null')) return null;
  if (shape.kind === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (shape.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (shape.kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Parses the items of an array field, or the value of any other field. @throws VALIDATION if a field that is not an
 * array has several values.
 */
export function fromTexts(name: string, shape: FieldShape, texts: readonly string[]): unknown {
  const { item } = shape;
  if (shape.kind === 'array') {
    const items = texts.map((text) => (item === undefined ? text : fromText(item, text)));
    // Each text may be one object or a JSON array of objects.
    return item?.kind === 'json' ? items.flat() : items;
  }
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) {
    throw fieldError(name, `passed ${texts.length} times; pass it once`);
  }
  return fromText(shape, text);
}

/**
 * Parses a query. Values of unknown fields are returned as texts, and the operation then rejects these fields by name.
 */
export function fromQuery(contract: Contract, query: URLSearchParams): Record<string, unknown> {
  const fields = fieldsOf(contract.input);
  const input: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const shape = fields.get(name);
    const texts = query.getAll(name);
    input[name] = shape === undefined ? texts[0] : fromTexts(name, shape, texts);
  }
  return { ...input };
}

/**
 * Removes a well-formed `idempotencyKey` from an input that has this field, because REST, MCP and CLI pass the key to
 * the operation separately. A malformed key stays in the input and is rejected like any other invalid field.
 */
export function takeIdempotencyKey(
  schema: AnySchema,
  input: Record<string, unknown>,
): { input: Record<string, unknown>; key: string | undefined } {
  const { idempotencyKey: key, ...rest } = input;
  const usable =
    typeof key === 'string' &&
    key !== '' &&
    key.length <= IDEMPOTENCY_KEY_MAX_CHARS &&
    fieldsOf(schema).has('idempotencyKey');
  return usable ? { input: rest, key } : { input, key: undefined };
}

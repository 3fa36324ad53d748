import { fieldError } from '@agent-console/shared/errors';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '@agent-console/shared/limits/calls';
import type { AnySchema, Contract } from '@agent-console/shared/operation';
import * as v from 'valibot';

/** What a text (a query value, an argument of a command) must become for one field of an input. */
export interface FieldShape {
  kind: 'string' | 'number' | 'boolean' | 'array' | 'json';
  optional: boolean;
  nullable: boolean;
  default: unknown;
  description: string | undefined;
  /** The words allowed, where there is a closed list. */
  choices: readonly string[] | undefined;
  /** Shape of an array's items. */
  item: FieldShape | undefined;
}

/** The parts of valibot's schemas that are read here; they are plain data in its public types. */
interface SchemaParts {
  type: string;
  wrapped?: AnySchema;
  default?: unknown;
  item?: AnySchema;
  options?: readonly unknown[];
  entries?: Record<string, AnySchema>;
  pipe?: readonly AnySchema[];
}

const partsOf = (schema: AnySchema) => schema as unknown as SchemaParts;
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
    item: parts.item === undefined ? undefined : shapeOf(parts.item),
  };
}

/** The fields of an input schema, in the order they were written. */
export function fieldsOf(schema: AnySchema): ReadonlyMap<string, FieldShape> {
  const entries = partsOf(schema).entries ?? {};
  return new Map(Object.entries(entries).map(([name, field]) => [name, shapeOf(field)]));
}

/**
 * Reads one text as the field wants it: `12` where a number is, `true` or `false`, null for none where that is allowed. A text
 * that is none of these stays as it is, so that the operation's own check refuses it with its own words.
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

/** Reads all texts given for a field: each item of an array, or the one value. VALIDATION when there are too many. */
export function fromTexts(name: string, shape: FieldShape, texts: readonly string[]): unknown {
  const { item } = shape;
  if (shape.kind === 'array') return texts.map((text) => (item === undefined ? text : fromText(item, text)));
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) {
    throw fieldError(name, `given ${texts.length} times; give it once`);
  }
  return fromText(shape, text);
}

/** A query as an input: known fields as they are meant, unknown ones as texts, for the operation to refuse by name. */
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
 * Takes a well-formed `idempotencyKey` out of an input that has the field, so that the key travels beside the call on
 * every surface; a malformed one stays, to be refused as any field.
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

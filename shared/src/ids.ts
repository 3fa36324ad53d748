import * as v from 'valibot';
import { described } from './describe.ts';
import { ID_PREFIX_MIN } from './limits/answers.ts';
import type { Noun } from './operation.ts';

/** A complete id: a UUIDv7 in lower case (RFC 9562 section 5.7), monotonic within one server. */
export const Id = v.pipe(
  v.string(),
  v.regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    'must be a whole id, such as 019a3f5e-7c1b-7d2a-9e4f-0123456789ab',
  ),
);

/** Rule for ids in inputs. Error messages put the entity in front of the rule: `Session id must have ...`. */
export const ID_RULE = `id must have ${ID_PREFIX_MIN} to 36 characters, only 0-9, a-f and "-"`;

/** Returns the schema of an id in an input: the complete id or a unique prefix of at least 8 characters. */
export function IdPrefix(noun: string) {
  return v.pipe(
    ListedIdPrefix(noun),
    v.description(`Id of the ${noun}, or a unique prefix of at least ${ID_PREFIX_MIN} characters`),
  );
}

/** Like `IdPrefix`, but without a description, for the items of a list whose description says what they are. */
export function ListedIdPrefix(noun: string) {
  return v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(/^[0-9a-f-]{8,36}$/, `${noun} ${ID_RULE}`));
}

/**
 * What an id refers to: an entity of the named type, an actor, or the entity that an object `{ kind, id }` names.
 * `untyped` marks a value whose fields no schema describes, and which can contain ids anywhere.
 */
export type ReferenceMark = Noun | 'actor' | 'kindAndId' | 'untyped';

/** Marks a schema with what its ids refer to; `referenceMarkOf` returns the mark. */
function marked<S extends v.GenericSchema>(schema: S, mark: ReferenceMark): S {
  return v.pipe(schema, v.brand(mark)) as unknown as S;
}

/** Returns the schema of an entity's own id in an output. */
export function ownId(noun: string) {
  return described(v.string(), `${noun} id (UUIDv7); newer ids sort after older ids`);
}

/** Returns the schema of another entity's id, marked so that ids of sessions hidden from the caller can be removed. */
export function idOf(noun: Noun, description: string) {
  return described(marked(v.string(), noun), description);
}

/** Like `idOf`, but the schema also accepts null. */
export function nullableIdOf(noun: Noun, description: string) {
  return described(v.nullable(marked(v.string(), noun)), description);
}

/**
 * Returns the schema of the author of an action: `session:<id>` for an agent, `user:<id>` for a person, or `system`.
 */
export function actor(description: string) {
  return described(marked(v.string(), 'actor'), description);
}

/** Like `actor`, but the schema also accepts null. */
export function nullableActor(description: string) {
  return described(v.nullable(marked(v.string(), 'actor')), description);
}

/**
 * Returns the schema of an object `{ kind, id }` in an output, marked as a reference to an entity. `kind` is the
 * entity's type, such as `session`.
 */
export function kindAndId<S extends v.GenericSchema<{ kind: string; id: string | null }>>(
  pair: S,
  description: string,
) {
  return described(marked(pair, 'kindAndId'), description);
}

/**
 * Marks a value whose fields no schema describes, so that ids of hidden sessions can be removed from any of its fields.
 */
export function untyped<S extends v.GenericSchema>(schema: S, description: string) {
  return described(marked(schema, 'untyped'), description);
}

/** Returns the reference mark of a schema, even if it is inside nested pipes. */
export function referenceMarkOf(schema: v.GenericSchema): ReferenceMark | undefined {
  if (!('pipe' in schema)) return undefined;
  for (const item of schema.pipe as readonly (v.GenericSchema | { type: 'brand'; name: ReferenceMark })[]) {
    if (item.type === 'brand' && 'name' in item) return item.name as ReferenceMark;
    const inner = 'kind' in item && item.kind === 'schema' ? referenceMarkOf(item) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/**
 * Returns the part of an id that is displayed: 18 characters. The first 8 characters are part of a timestamp and change
 * only every 65 s, so they would not distinguish ids.
 */
export function shortId(id: string): string {
  return id.slice(0, 18);
}

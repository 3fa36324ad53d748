import { Id, referenceMarkOf } from '@agent-console/shared/ids';
import { ConsoleEvent } from '@agent-console/shared/models/event';
import { EVENT_DATA, NO_EVENT_DATA } from '@agent-console/shared/models/event-data';
import type { AnySchema } from '@agent-console/shared/operation';
import * as v from 'valibot';
import { canSee } from '../../domain/access.ts';
import type { Readers } from '../../ports/storage.ts';

/** Returns the subset of these ids whose sessions are hidden from a viewer right now. */
export type HiddenSessions = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** Returns the subset of these ids whose sessions and orchestrations are hidden from a viewer right now. */
export type HiddenIds = (
  sessionIds: readonly string[],
  orchestrationIds: readonly string[],
) => Promise<ReadonlySet<string>>;

/**
 * Returns the function that selects the sessions hidden from one user. A session that does not exist does not count as
 * hidden.
 */
export function sessionsHiddenFrom({ sessions }: Pick<Readers, 'sessions'>, userId: string): HiddenSessions {
  return async (ids) => {
    if (ids.length === 0) return new Set();
    const rows = await sessions.find({ id: [...new Set(ids)] });
    return new Set(rows.filter((row) => !canSee(userId, row)).map(({ id }) => id));
  };
}

/** Like `sessionsHiddenFrom`, but also selects orchestrations. They are hidden with the session that created them. */
export function idsHiddenFrom(read: Pick<Readers, 'sessions' | 'orchestrations'>, userId: string): HiddenIds {
  const hiddenSessions = sessionsHiddenFrom(read, userId);
  return async (sessionIds, orchestrationIds) => {
    const orchestrations =
      orchestrationIds.length === 0 ? [] : await read.orchestrations.find({ id: [...new Set(orchestrationIds)] });
    const creators = orchestrations.flatMap(({ createdBySessionId }) => createdBySessionId ?? []);
    const hidden = await hiddenSessions([...sessionIds, ...creators]);
    const ids = orchestrations.filter(({ createdBySessionId }) => hidden.has(createdBySessionId ?? ''));
    return new Set([...hidden, ...ids.map(({ id }) => id)]);
  };
}

/**
 * Returns a copy of the value without ids of hidden sessions and orchestrations. The schema marks the fields that
 * contain ids (shared/src/ids.ts). An actor that is a hidden session becomes `session`, without an id. Any other hidden
 * id is:
 * - dropped from a list
 * - omitted in an optional field that cannot be null
 * - null in any other field
 */
export async function withoutHidden<T>(schema: AnySchema, value: T, hiddenOf: HiddenIds): Promise<T> {
  const rewrite = rewriterOf(schema);
  if (rewrite === undefined) return value;
  const ids: Record<Hideable, string[]> = { session: [], orchestration: [] };
  const copy = rewrite(value, (id, noun) => {
    ids[noun].push(id);
    return id;
  });
  const hidden = await hiddenOf(ids.session, ids.orchestration);
  return (hidden.size === 0 ? copy : rewrite(value, (id) => (hidden.has(id) ? null : id))) as T;
}

type Hideable = 'session' | 'orchestration';
/** Returns the replacement for an id, or null to remove it. */
type Change = (id: string, noun: Hideable) => string | null;
/** Copies a value, replacing the ids in it. */
type Rewrite = (value: unknown, change: Change) => unknown;

/** Properties of valibot schemas that contain other schemas. Valibot's type for any schema does not declare them. */
interface SchemaParts {
  type: string;
  entries?: Readonly<Record<string, AnySchema>>;
  wrapped?: AnySchema;
  item?: AnySchema;
  value?: AnySchema;
  options?: readonly AnySchema[];
}

const rewriters = new WeakMap<AnySchema, { rewrite: Rewrite | undefined }>();

/**
 * Returns the function that rewrites values of a schema, or undefined if the schema has no ids of sessions or
 * orchestrations. Created once per schema.
 */
function rewriterOf(schema: AnySchema): Rewrite | undefined {
  const made = rewriters.get(schema) ?? { rewrite: makeRewriter(schema) };
  rewriters.set(schema, made);
  return made.rewrite;
}

function makeRewriter(schema: AnySchema): Rewrite | undefined {
  if (schema === ConsoleEvent) return rewriteEvent;
  const mark = referenceMarkOf(schema);
  if (mark === 'session' || mark === 'orchestration')
    return (value, change) => (typeof value === 'string' ? change(value, mark) : value);
  if (mark === 'actor') return rewriteActor;
  if (mark === 'kindAndId') return rewriteKindAndId;
  if (mark === 'untyped') return rewriteUntyped;
  const { type, entries, wrapped, item, value, options } = schema as unknown as SchemaParts;
  if (entries !== undefined) return objectRewriter(entries);
  if (wrapped !== undefined) return rewriterOf(wrapped);
  if (item !== undefined) return listRewriter(item);
  if (type === 'record' && value !== undefined) return recordRewriter(value);
  if (type === 'union' || type === 'variant') return everyRewriter(options ?? []);
  return undefined;
}

const SESSION_ACTOR_PREFIX = 'session:';

const rewriteActor: Rewrite = (value, change) => {
  if (typeof value !== 'string' || !value.startsWith(SESSION_ACTOR_PREFIX)) return value;
  return change(value.slice(SESSION_ACTOR_PREFIX.length), 'session') === null ? 'session' : value;
};

const rewriteKindAndId: Rewrite = (value, change) => {
  if (!isObject(value) || typeof value.id !== 'string') return value;
  const { kind, id } = value;
  return kind === 'session' || kind === 'orchestration' ? { ...value, id: change(id, kind) } : value;
};

/** Rewrites a value that no schema describes. Any text in it that has the form of an id may be the id of a session. */
const rewriteUntyped: Rewrite = (value, change) => {
  if (typeof value === 'string') return v.is(Id, value) ? change(value, 'session') : value;
  if (Array.isArray(value)) return listOf(value, rewriteUntyped, change);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, rewriteUntyped(field, change)]));
};

/** Rewrites the items of a list. An item for which `rewrite` returns null is left out, unless it was already null. */
function listOf(items: readonly unknown[], rewrite: Rewrite, change: Change): unknown[] {
  return items.map((each) => rewrite(each, change)).filter((each, at) => each !== null || items[at] === null);
}

function objectRewriter(entries: Readonly<Record<string, AnySchema>>): Rewrite | undefined {
  const fields = Object.entries(entries).flatMap(([name, schema]) => {
    const rewrite = rewriterOf(schema);
    return rewrite === undefined ? [] : [{ name, rewrite, omitted: isOmittedWhenHidden(schema) }];
  });
  if (fields.length === 0) return undefined;
  return (value, change) => {
    if (!isObject(value)) return value;
    const copy = { ...value };
    for (const { name, rewrite, omitted } of fields) {
      if (!Object.hasOwn(value, name)) continue;
      copy[name] = rewrite(value[name], change);
      if (omitted && copy[name] === null) delete copy[name];
    }
    return copy;
  };
}

/** Whether a field is optional and cannot be null. Such a field is omitted if it contains a hidden id. */
function isOmittedWhenHidden(schema: AnySchema): boolean {
  const { type, wrapped } = schema as unknown as SchemaParts;
  if (type === 'nullable' || type === 'nullish') return false;
  return type === 'optional' && wrapped !== undefined && (wrapped as unknown as SchemaParts).type !== 'nullable';
}

function listRewriter(item: AnySchema): Rewrite | undefined {
  const rewrite = rewriterOf(item);
  if (rewrite === undefined) return undefined;
  return (value, change) => {
    if (!Array.isArray(value)) return value;
    return listOf(value, rewrite, change);
  };
}

function recordRewriter(schema: AnySchema): Rewrite | undefined {
  const rewrite = rewriterOf(schema);
  if (rewrite === undefined) return undefined;
  return (value, change) => {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewrite(each, change)]));
  };
}

/**
 * Returns the function that rewrites values of a union type. It applies the functions of all alternatives, because a
 * field name has the same meaning in each of them.
 */
function everyRewriter(options: readonly AnySchema[]): Rewrite | undefined {
  const all = options.map(rewriterOf).filter((rewrite) => rewrite !== undefined);
  if (all.length === 0) return undefined;
  return (value, change) => all.reduce((rewritten, rewrite) => rewrite(rewritten, change), value);
}

const rewriteEnvelope = objectRewriter(ConsoleEvent.entries);

/** Rewrites an event. Data fields that are not declared for its event type are omitted. */
const rewriteEvent: Rewrite = (value, change) => {
  const event = rewriteEnvelope?.(value, change) as ConsoleEvent;
  // An event of a type that only a newer version defines has no declared data fields, so all its data is omitted.
  const schema = event.type in EVENT_DATA ? EVENT_DATA[event.type] : NO_EVENT_DATA;
  const declared = Object.entries(event.data).filter(([name]) => Object.hasOwn(schema.entries, name));
  return { ...event, data: rewriterOf(schema)?.(Object.fromEntries(declared), change) };
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

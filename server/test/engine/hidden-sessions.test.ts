import { described } from '@agent-console/shared/describe';
import { actor, idOf, kindAndId, nullableIdOf, referenceMarkOf } from '@agent-console/shared/ids';
import { ConsoleEvent } from '@agent-console/shared/models/event';
import { EVENT_DATA } from '@agent-console/shared/models/event-data';
import { Job } from '@agent-console/shared/models/job';
import { Session } from '@agent-console/shared/models/session';
import type { AnySchema } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { withoutHidden } from '../../src/engine/access/hidden-sessions.ts';

const HIDDEN = '0193a1b2-c3d4-7e5f-8a6b-000000000001';
const SEEN = '0193a1b2-c3d4-7e5f-8a6b-000000000002';
const hiddenOf = async (ids: readonly string[]) => new Set(ids.filter((id) => id === HIDDEN));
const shown = <T>(schema: AnySchema, value: T) => withoutHidden(schema, value, hiddenOf);

describe('a field that is added to a model', () => {
  const Planted = v.object({
    ...Session.entries,
    approvedBySession: nullableIdOf('session', 'Session that approved'),
    watchers: v.array(idOf('session', 'Session id')),
    borrowed: v.optional(v.object({ lender: v.optional(idOf('session', 'Lender')), since: v.string() })),
    byName: v.record(v.string(), v.union([v.object({ owner: actor('Owner') }), v.literal(false)])),
    origin: kindAndId(v.object({ kind: v.string(), id: v.nullable(v.string()) }), 'Origin'),
    note: v.string(),
  });

  it('never shows the id of a hidden session, whatever its name and place', async () => {
    const planted = {
      approvedBySession: HIDDEN,
      watchers: [SEEN, HIDDEN],
      borrowed: { lender: HIDDEN, since: 'now' },
      byName: { a: { owner: `session:${HIDDEN}` }, b: { owner: `session:${SEEN}` }, c: false },
      origin: { kind: 'session', id: HIDDEN },
      note: 'free text',
    };
    expect(await shown(Planted, planted)).toEqual({
      approvedBySession: null,
      watchers: [SEEN],
      borrowed: { since: 'now' },
      byName: { a: { owner: 'session' }, b: { owner: `session:${SEEN}` }, c: false },
      origin: { kind: 'session', id: null },
      note: 'free text',
    });
    expect(await shown(v.object({ data: v.array(Planted) }), { data: [planted] })).toMatchObject({
      data: [{ approvedBySession: null }],
    });
  });

  it('is shown unchanged if it names another kind of entity', async () => {
    const value = { origin: { kind: 'task', id: HIDDEN }, note: HIDDEN };
    expect(await shown(Planted, value)).toEqual(value);
  });
});

describe('an event', () => {
  const event = {
    seq: 1,
    at: '2026-11-21T22:30:00.000Z',
    type: 'session.updated' as const,
    subject: { kind: 'session' as const, id: SEEN },
    actor: `session:${HIDDEN}`,
    viaSessionId: HIDDEN,
    data: { sessionId: SEEN, permission: { before: {}, after: {}, loweredBy: HIDDEN }, fromAnOlderVersion: HIDDEN },
  };

  it('shows only the id of its session if its type, recorded by a newer build, is unknown', async () => {
    const unknown = { ...event, type: 'session.invented' as ConsoleEvent['type'] };
    expect(await shown(ConsoleEvent, unknown)).toMatchObject({ type: 'session.invented', data: { sessionId: SEEN } });
    expect(JSON.stringify(await shown(ConsoleEvent, unknown))).not.toContain(HIDDEN);
  });

  it('shows only the declared fields of its data, without ids of hidden sessions', async () => {
    expect(await shown(ConsoleEvent, event)).toEqual({
      seq: 1,
      at: event.at,
      type: 'session.updated',
      subject: { kind: 'session', id: SEEN },
      actor: 'session',
      data: { sessionId: SEEN, permission: { before: {}, after: {} } },
    });
  });
});

it('a job and its events show no id of a hidden session anywhere in its result or its error', async () => {
  const job = {
    ...{ id: SEEN, kind: 'worktree-creation', state: 'succeeded', createdAt: 'now', endedAt: null },
    progress: { fraction: 1, phase: 'done' },
    result: { sessionId: HIDDEN, taskId: SEEN, all: [HIDDEN, SEEN, null], text: `not ${HIDDEN} alone` },
    error: { code: 'CONFLICT', message: 'no', details: { of: { sessionIds: [HIDDEN] } } },
  };
  const result = { sessionId: null, taskId: SEEN, all: [SEEN, null], text: job.result.text };
  const error = { ...job.error, details: { of: { sessionIds: [] } } };
  const Answer = v.object({ job: v.optional(described(Job, 'The job')) });
  expect(await shown(Answer, { job })).toEqual({ job: { ...job, result, error } });
  const about = { seq: 1, at: '2026-11-22T10:00:00.000Z', type: 'job.failed', actor: 'system' };
  const failed = { ...about, subject: { kind: 'job', id: SEEN }, data: { error: job.error } };
  expect(await shown(ConsoleEvent, failed)).toMatchObject({ data: { error } });
});

/** Fields whose names end in Id, but which name neither a session nor anything that belongs to a session. */
const UNMARKED = ['agentId', 'defaultAgentId', 'optionId', 'inputId', 'messageId', 'imageId', 'callId'];

it('every field of an output whose name ends in Id is marked with the kind of entity that it names', () => {
  const unmarked = new Set<string>();
  const marks = new Set<string | undefined>();
  const walk = (schema: AnySchema, name: string): void => {
    const mark = referenceMarkOf(schema);
    marks.add(mark);
    const { type, entries, wrapped, item, options } = schema as unknown as {
      type: string;
      entries?: Record<string, AnySchema>;
      wrapped?: AnySchema;
      item?: AnySchema;
      options?: AnySchema[];
    };
    if (type === 'string' && mark === undefined && /Ids?$/.test(name)) unmarked.add(name);
    for (const [field, inner] of Object.entries(entries ?? {})) walk(inner, field);
    if (wrapped !== undefined) walk(wrapped, name);
    if (item !== undefined) walk(item, name);
    if (type === 'union' || type === 'variant') for (const option of options ?? []) walk(option, name);
  };
  for (const { output } of CONTRACTS) walk(output, '');
  for (const schema of Object.values(EVENT_DATA)) walk(schema, '');
  expect([...unmarked].filter((name) => !UNMARKED.includes(name))).toEqual([]);
  for (const mark of ['session', 'actor', 'kindAndId', 'untyped']) expect(marks).toContain(mark);
});

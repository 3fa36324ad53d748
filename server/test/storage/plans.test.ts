import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractOf, type InputOf, type OperationName, type RequestOf } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../../src/domain/call.ts';
import { implementOperations } from '../../src/operations/implementations.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { createViews } from '../../src/operations/views.ts';
import type { Readers } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createReadersOfUser } from '../../src/storage/readers-of-user.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { messageRow, sessionRow, taskRow } from '../support/rows.ts';

const migrations = new URL('../../src/storage/migrations', import.meta.url).pathname;
/**
 * Small tables, which queries may scan: rows that a search has already collected, and the parts (`p`) of one message.
 */
const SMALL = ['candidates', 'searched_texts', 'gathered', 'p'];
const [ID, OTHER] = ['0000000a', '0000000b'];

let folder: string;
let opened: ReturnType<typeof openDatabase>;
let read: Readers;
const sent = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ac-plans-'));
  opened = openDatabase(join(folder, 'console.db'), migrations);
  const { raw } = opened.reader;
  const prepare = raw.prepare.bind(raw);
  raw.prepare = (statement: string) => {
    sent.add(statement);
    return prepare(statement);
  };
  const storage = createStorage({ ...opened, now: () => new Date(0), onCommit: () => {} });
  read = storage.read;
  await storage.write({ actor: 'user:test' }, async (tx) => {
    for (const [n, id] of [ID, OTHER].entries()) {
      const visibility = n === 0 ? 'private' : 'workspace';
      await tx.sessions.insert(sessionRow(id, { visibility, createdByUserId: 'ann' }));
      await tx.messages.insert(messageRow(`m${n}`, id, 'canary 登录'));
      await tx.tasks.insert(taskRow(`t${n}`, id, 'canary', { status: 'running' }));
    }
  });
});
afterAll(() => {
  opened.close();
  rmSync(folder, { recursive: true });
});

/** Returns a context for operations, with these readers of the database. Its other members do not read the database. */
function contextOver(readers: Readers): OperationContext {
  const needs = {
    storage: { read: readers },
    hub: { onEvents: () => {} },
    streams: { offset: () => undefined },
    catalogue: { resumes: async () => true, driverOf: async () => 'pty' },
  };
  return {
    ...needs,
    views: createViews(needs as unknown as Parameters<typeof createViews>[0]),
  } as unknown as OperationContext;
}

const readersOf = () => ({ everybody: read, bob: createReadersOfUser(read, opened.reader)('bob') });
const call = { surface: 'mcp', caller: { kind: 'user', userId: 'bob', scopes: [] } } as unknown as Call;

function planOf(statement: string): string[] {
  const steps = opened.writer.raw.prepare(`explain query plan ${statement}`).all() as { detail: string }[];
  return steps.map(({ detail }) => detail);
}

/** Returns the steps of a query plan that scan a whole table, except for the tables in `SMALL`. */
function wholeReads(statement: string): string[] {
  return planOf(statement).filter((detail) => {
    const [, table, how = ''] = /^SCAN (\S+)(.*)/.exec(detail) ?? [];
    return table !== undefined && !SMALL.includes(table) && !/ USING | VIRTUAL TABLE INDEX \d+:\S/.test(how);
  });
}

async function statementsOf<N extends OperationName>(name: N, requests: readonly RequestOf<N>[]): Promise<string[]> {
  const { input } = contractOf(name);
  sent.clear();
  for (const readers of Object.values(readersOf())) {
    const run = implementOperations(contextOver(readers))[name];
    for (const request of requests) await run(v.parse(input, request) as InputOf<N>, call);
  }
  return [...sent];
}

describe('no query scans a large table', () => {
  const filters = [
    {},
    { archived: true },
    { agentId: 'scripted' },
    { worktreeId: ID },
    { repositoryId: ID },
    { status: 'idle' as const },
    { status: 'running' as const },
    { status: 'paused' as const },
  ];
  it.each([
    ['the list of sessions', () => statementsOf('sessions.list', [...filters, { live: true }])],
    ['one session', () => statementsOf('sessions.get', [{ sessionId: OTHER, includeMessages: true }])],
    [
      'a search',
      () =>
        statementsOf(
          'sessions.search',
          ['canary', 'can*', '登录', '登录 canary'].flatMap((query) => filters.map((filter) => ({ query, ...filter }))),
        ),
    ],
    [
      'the messages of a session',
      () => statementsOf('sessions.messages', [{ sessionId: OTHER }, { sessionId: OTHER, changedSince: 3 }]),
    ],
    ['the tasks of a session', () => statementsOf('sessions.tasks', [{ sessionId: OTHER }])],
    ['the events of a session', () => statementsOf('sessions.events', [{ sessionId: OTHER }])],
    ['the tasks', () => statementsOf('tasks.list', [{}, { sessionId: OTHER }])],
    ['the list of orchestrations', () => statementsOf('orchestrations.list', [{}])],
  ])('by %s', async (_, collect) => {
    const statements = await collect();
    expect(statements.length).toBeGreaterThan(0);
    expect(
      statements.map((statement) => [statement, wholeReads(statement)]).filter(([, whole]) => whole?.length),
    ).toEqual([]);
  });

  it('detects such a scan', () => {
    expect(wholeReads('select * from messages where kind = ?')).toEqual(['SCAN messages']);
    expect(wholeReads('select count(*) from search_documents as d where kind = ?')).toEqual(['SCAN d']);
    expect(wholeReads('select * from search_index where text = ?')).not.toEqual([]);
  });
});

describe('the list of orchestrations', () => {
  it.each([
    ['idx_state', { state: 'running' }],
    ['idx_workspace', { workspaceHash: '0123456789abcdef' }],
  ] as const)('is read from the index %s in its order, by everybody and by one user', async (index, filter) => {
    const plans = (await statementsOf('orchestrations.list', [filter])).map(planOf);
    expect(plans).toHaveLength(4);
    for (const [first, ...others] of plans) {
      expect(first).toMatch(new RegExp(`^SEARCH orchestrations USING (COVERING )?INDEX ${index} `));
      expect(others.join()).not.toContain('TEMP B-TREE');
    }
  });
});

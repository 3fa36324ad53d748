import type { Session } from '@agent-console/shared/models/session';
import { expect, test } from 'vitest';
import { insertSessions } from '../../src/features/sessions/tree-order.ts';
import { treeRows } from '../../src/features/sessions/tree-rows.ts';
import { session } from './fixtures.ts';

const REPOSITORIES = { r1: 'shop', r2: 'blog' };

function born(id: string, fields: Partial<Session> & { parent?: string; fork?: string } = {}): Session {
  const { parent = null, fork = null, ...rest } = fields;
  const { genealogy } = session();
  return session({
    id,
    title: id,
    ...rest,
    genealogy: { ...genealogy, parentSessionId: parent, forkedFromSessionId: fork },
  });
}

function tree(all: readonly Session[], { folded = [] as string[], filter = '' } = {}): string[] {
  const sessions = Object.fromEntries(all.map((each) => [each.id, each]));
  const order = insertSessions([], all, sessions);
  const rows = treeRows({ order, sessions, repositories: REPOSITORIES, folded: new Set(folded), filter });
  return rows.map((row) => {
    if (row.type === 'group') return `${row.name} ${row.count}`;
    return `${'  '.repeat(row.depth + 1)}${row.fork ? '~' : ''}${row.id}`;
  });
}

test('children hang below their parents, in the group of their root', () => {
  const all = [born('a'), born('b'), born('a1', { parent: 'a', repositoryId: 'r2' }), born('a2', { fork: 'a' })];
  expect(tree(all)).toEqual(['shop 4', '  a', '    a1', '    ~a2', '  b']);
});

test('a child whose parent is not known stands by itself', () => {
  expect(tree([born('a', { parent: 'gone' })])).toEqual(['shop 1', '  a']);
});

test('repositories come by name, and then the folders of quick sessions', () => {
  const quick = born('q', { repositoryId: null, cwd: '/home/me/aaa' });
  expect(tree([quick, born('a'), born('b', { repositoryId: 'r2' })])).toEqual([
    'blog 1',
    '  b',
    'shop 1',
    '  a',
    'aaa 1',
    '  q',
  ]);
});

test('what is folded is counted but not shown', () => {
  const all = [born('a'), born('a1', { parent: 'a' }), born('b', { repositoryId: 'r2' })];
  expect(tree(all, { folded: ['a', 'r2'] })).toEqual(['blog 1', 'shop 2', '  a']);
});

test('a filter keeps what has all its words, with what it hangs below, folded or not', () => {
  const all = [born('a'), born('a1', { parent: 'a', title: 'Order mails' }), born('b', { title: 'Mail server' })];
  expect(tree(all, { filter: 'MAIL order', folded: ['a'] })).toEqual(['shop 2', '  a', '    a1']);
  expect(tree(all, { filter: 'nothing' })).toEqual([]);
});

test.each([
  ['title', { title: 'Needle' }],
  ['branch', { gitState: { ref: 'ac/needle', baseSha: null, currentSha: null } }],
  ['agent', { agentId: 'needle' }],
  ['path', { cwd: '/work/needle/x' }],
])('a filter looks at the %s', (_, fields) => {
  expect(tree([born('a', fields), born('b')], { filter: 'needle' })).toEqual(['shop 1', '  a']);
});

test('something new changes the place of nothing that was there', () => {
  const known = [born('a'), born('a1', { parent: 'a' }), born('b')];
  const fresh = [born('c'), born('a2', { parent: 'a' }), born('a11', { parent: 'a1' })];
  const sessions = Object.fromEntries([...known, ...fresh].map((each) => [each.id, each]));
  expect(insertSessions(['a', 'a1', 'b'], fresh, sessions)).toEqual(['a', 'a1', 'a11', 'a2', 'b', 'c']);
});

test('lines pass beside the children of all but the last sibling', () => {
  const all = [born('a'), born('a1', { parent: 'a' }), born('a11', { parent: 'a1' }), born('a2', { parent: 'a' })];
  const sessions = Object.fromEntries(all.map((each) => [each.id, each]));
  const rows = treeRows({
    order: insertSessions([], all, sessions),
    sessions,
    repositories: {},
    folded: new Set(),
    filter: '',
  });
  const lines = rows.flatMap((row) => (row.type === 'session' ? [[row.id, row.passing, row.last]] : []));
  expect(lines).toEqual([
    ['a', [], true],
    ['a1', [], false],
    ['a11', [true], true],
    ['a2', [], true],
  ]);
});

import type { Session } from '@agent-console/shared/models/session';
import { expect, test } from 'vitest';
import { insertSessions } from '../../src/features/sessions/tree-order.ts';
import { treeRows } from '../../src/features/sessions/tree-rows.ts';
import { session } from './fixtures.ts';

const REPOSITORIES = { r1: 'shop', r2: 'blog' };

function child(id: string, fields: Partial<Session> & { parent?: string; fork?: string } = {}): Session {
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

test('children are below their parents, in the group of their root', () => {
  const all = [child('a'), child('b'), child('a1', { parent: 'a', repositoryId: 'r2' }), child('a2', { fork: 'a' })];
  expect(tree(all)).toEqual(['shop 4', '  a', '    a1', '    ~a2', '  b']);
});

test('a child with an unknown parent is a root', () => {
  expect(tree([child('a', { parent: 'gone' })])).toEqual(['shop 1', '  a']);
});

test('repositories are sorted by name, before the folders of quick sessions', () => {
  const quick = child('q', { repositoryId: null, cwd: '/home/me/aaa' });
  expect(tree([quick, child('a'), child('b', { repositoryId: 'r2' })])).toEqual([
    'blog 1',
    '  b',
    'shop 1',
    '  a',
    'aaa 1',
    '  q',
  ]);
});

test('collapsed sessions are counted but not shown', () => {
  const all = [child('a'), child('a1', { parent: 'a' }), child('b', { repositoryId: 'r2' })];
  expect(tree(all, { folded: ['a', 'r2'] })).toEqual(['blog 1', 'shop 2', '  a']);
});

test('a filter keeps matches of all words with their ancestors, collapsed or not', () => {
  const all = [child('a'), child('a1', { parent: 'a', title: 'Order mails' }), child('b', { title: 'Mail server' })];
  expect(tree(all, { filter: 'MAIL order', folded: ['a'] })).toEqual(['shop 2', '  a', '    a1']);
  expect(tree(all, { filter: 'nothing' })).toEqual([]);
});

test.each([
  ['title', { title: 'Needle' }],
  ['branch', { gitState: { ref: 'ac/needle', baseSha: null, currentSha: null, changes: null, work: null } }],
  ['agent', { agentId: 'needle' }],
  ['path', { cwd: '/work/needle/x' }],
])('a filter matches the %s', (_, fields) => {
  expect(tree([child('a', fields), child('b')], { filter: 'needle' })).toEqual(['shop 1', '  a']);
});

test('new sessions do not reorder existing ones', () => {
  const known = [child('a'), child('a1', { parent: 'a' }), child('b')];
  const fresh = [child('c'), child('a2', { parent: 'a' }), child('a11', { parent: 'a1' })];
  const sessions = Object.fromEntries([...known, ...fresh].map((each) => [each.id, each]));
  expect(insertSessions(['a', 'a1', 'b'], fresh, sessions)).toEqual(['a', 'a1', 'a11', 'a2', 'b', 'c']);
});

test('connectors pass beside the children of all but the last sibling', () => {
  const all = [child('a'), child('a1', { parent: 'a' }), child('a11', { parent: 'a1' }), child('a2', { parent: 'a' })];
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

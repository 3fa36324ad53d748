import type { Session } from '@agent-console/shared/models/session';
import { expect, test } from 'vitest';
import { badgeOf } from '../../src/features/sessions/badge.ts';
import { toggleWord } from '../../src/features/sessions/toggle-word.ts';
import { insertSessions } from '../../src/features/sessions/tree-order.ts';
import { type TreeOptions, treeRows } from '../../src/features/sessions/tree-rows.ts';
import { agentWorker, gitState, session, T, task } from './fixtures.ts';

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

function tree(
  all: readonly Session[],
  { folded = [], ...options }: { folded?: string[] } & Partial<Omit<TreeOptions, 'folded'>> = {},
): string[] {
  const sessions = Object.fromEntries(all.map((each) => [each.id, each]));
  const order = insertSessions([], all, sessions);
  const set = new Set(folded);
  const rows = treeRows({ order, sessions, repositories: REPOSITORIES, folded: set, filter: '', badgeOf, ...options });
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
  ['branch', { gitState: gitState('ac/needle') }],
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

const asks = { workers: [agentWorker({ activityState: 'asking' })] };
const failed = { task: task({ status: 'failed', endedAt: T[1] }) };

test.each<[filter: string, fields: Partial<Session>]>([
  ['asks', asks],
  ['failed', failed],
  ['is:failed unread', failed],
  ['working', { workers: [agentWorker({ activityState: 'active' })] }],
  ['label:back', { labels: ['backend'] }],
  ['agent:code', { agentId: 'codex' }],
  ['repo:blo', { repositoryId: 'r2' }],
])('the words %s find a session', (filter, fields) => {
  expect(tree([child('a', fields), child('b')], { filter }).at(-1)).toBe('  a');
  expect(tree([child('a', fields), child('b')], { filter })).toHaveLength(2);
});

function marksOfGroups(all: readonly Session[], groupBy?: TreeOptions['groupBy']): string[] {
  const sessions = Object.fromEntries(all.map((each) => [each.id, each]));
  const order = insertSessions([], all, sessions);
  const options = groupBy === undefined ? {} : { groupBy };
  return treeRows({ order, sessions, repositories: REPOSITORIES, folded: new Set(), filter: '', badgeOf, ...options })
    .filter((row) => row.type === 'group')
    .map(({ name, attention }) => `${name} ${attention?.badge.glyph ?? ''}${attention?.count ?? ''}`);
}

test('the mark of a group is that of its most urgent sessions', () => {
  const done = { task: task({ status: 'completed', endedAt: T[1] }) };
  const finished = [child('a', done), child('b'), child('c', { ...done, parent: 'b' })];
  expect(marksOfGroups([child('a')])).toEqual(['shop ']);
  expect(marksOfGroups(finished)).toEqual(['shop ●2']);
  expect(marksOfGroups([...finished, child('d', failed)])).toEqual(['shop ⊘1']);
  expect(marksOfGroups([...finished, child('d', failed), child('e', asks)])).toEqual(['shop ▲1']);
  expect(marksOfGroups([...finished, child('d', { ...asks, repositoryId: 'r2' })])).toEqual(['blog ▲1', 'shop ●2']);
  expect(marksOfGroups(finished, 'state')).toEqual(['Done ●2', 'Idle ']);
});

test('a grouping by state is flat, most urgent first', () => {
  const all = [child('a'), child('a1', { parent: 'a', ...failed }), child('b', asks)];
  expect(tree(all, { groupBy: 'state' })).toEqual(['Needs you 1', '  b', 'Failed 1', '  a1', 'Idle 1', '  a']);
});

test('a grouping by parent has a group for each family', () => {
  const genealogy = { ...session().genealogy, children: ['a1'] };
  const all = [{ ...child('a'), genealogy }, child('a1', { parent: 'a' }), child('b')];
  expect(tree(all, { groupBy: 'parent' })).toEqual(['a 2', '  a', '    a1', 'Standalone 1', '  b']);
});

test('pinned sessions come first, with their children', () => {
  const all = [child('a'), child('b'), child('b1', { parent: 'b' })];
  const pinned = new Set(['b']);
  expect(tree(all, { pinned })).toEqual(['Pinned 2', '  b', '    b1', 'shop 1', '  a']);
  expect(tree(all, { pinned, groupBy: 'state' })).toEqual(['Pinned 1', '  b', 'Idle 2', '  a', '  b1']);
});

test('a chip replaces the other words of its kind', () => {
  expect(toggleWord('mail is:failed', 'is:', 'is:asks')).toBe('mail is:asks');
  expect(toggleWord('mail is:asks', 'is:', 'is:asks')).toBe('mail');
});

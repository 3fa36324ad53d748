import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { badgeOf } from '../../src/features/sessions/badge.ts';
import { TreeLines } from '../../src/features/sessions/TreeLines.tsx';
import { treeRows } from '../../src/features/sessions/tree-rows.ts';
import { session } from './fixtures.ts';

it('connects a fork by dashed lines, and a session that was spawned by solid ones', () => {
  const { genealogy } = session();
  const all = [
    session({ id: 'root' }),
    session({ id: 'spawned', genealogy: { ...genealogy, parentSessionId: 'root' } }),
    session({ id: 'fork', genealogy: { ...genealogy, forkedFromSessionId: 'spawned' } }),
    session({ id: 'of fork', genealogy: { ...genealogy, parentSessionId: 'fork' } }),
  ];
  const rows = treeRows({
    order: all.map(({ id }) => id),
    sessions: Object.fromEntries(all.map((each) => [each.id, each])),
    repositories: {},
    folded: new Set(),
    filter: '',
    badgeOf,
  });
  const drawn = rows.flatMap((row) => {
    if (row.type === 'group') return [];
    const html = renderToStaticMarkup(createElement(TreeLines, { row }));
    const lines = [...html.matchAll(/class="absolute ([^"]*)"/g)].map(([, classes = '']) => classes);
    return [[row.id, row.depth, lines.length, lines.filter((classes) => classes.includes('border-dashed')).length]];
  });
  expect(drawn).toEqual([
    ['root', 0, 0, 0],
    ['spawned', 1, 2, 0],
    ['fork', 2, 2, 2],
    ['of fork', 3, 2, 0],
  ]);
});

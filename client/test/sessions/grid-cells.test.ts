import type { Session } from '@agent-console/shared/models/session';
import { expect, test } from 'vitest';
import { cellsIn } from '../../src/features/grid/grid-cells.ts';

const session = (id: string, activityState: string, state = 'running', driver = 'terminal') =>
  ({ id, driver, workers: [{ id: `w-${id}`, type: 'agent', state, activityState }] }) as unknown as Session;

const all = {
  idle: session('idle', 'idle'),
  works: session('works', 'active'),
  asks: session('asks', 'asking'),
  ended: session('ended', 'idle', 'exited'),
  acp: session('acp', 'active', 'running', 'acp'),
};
const order = Object.keys(all);
const ids = (cells: ReturnType<typeof cellsIn>) => cells.map(({ session: { id } }) => id);

test('running terminals are shown, those that need a person first', () => {
  expect(ids(cellsIn(all, order, []))).toEqual(['asks', 'works', 'idle']);
});

test('a cell keeps its place when states change, and new cells follow', () => {
  const changed = { ...all, works: session('works', 'asking'), fresh: session('fresh', 'asking') };
  expect(ids(cellsIn(changed, ['fresh', ...order], ['idle', 'works', 'asks']))).toEqual([
    'idle',
    'works',
    'asks',
    'fresh',
  ]);
});

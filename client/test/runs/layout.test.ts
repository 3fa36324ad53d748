import { describe, expect, it } from 'vitest';
import { firstView, layOut, NODE } from '../../src/features/runs/graph/layout.ts';

const agent = (agentId: string, dependencies: string[] = [], stage = 0) => ({ agentId, dependencies, stage });

function overlaps(a: { x: number; y: number }, b: { x: number; y: number }): boolean {
  return Math.abs(a.x - b.x) < NODE.width && Math.abs(a.y - b.y) < NODE.height;
}

describe('the layout of a run', () => {
  it('places each stage to the right of those before it', () => {
    const { positions, stages } = layOut('adaptive', [agent('a'), agent('b', ['a']), agent('c', ['b'])]);
    const xs = ['a', 'b', 'c'].map((id) => positions.get(id)?.x ?? 0);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
    expect(new Set(['a', 'b', 'c'].map((id) => positions.get(id)?.y)).size).toBe(1);
    expect(stages.map(({ agentIds }) => agentIds)).toEqual([['a'], ['b'], ['c']]);
  });

  it('orders the agents of a stage so that links do not cross', () => {
    const agents = [agent('a'), agent('b'), agent('c'), agent('z', ['c']), agent('y', ['b']), agent('x', ['a'])];
    const { positions } = layOut('adaptive', agents);
    const order = (ids: string[]) => ids.toSorted((m, n) => (positions.get(m)?.y ?? 0) - (positions.get(n)?.y ?? 0));
    expect(order(['x', 'y', 'z'])).toEqual(['x', 'y', 'z']);
  });

  it('shows wide stages as a grid, and no agent over another', () => {
    const agents = Array.from({ length: 200 }, (_, index) => agent(`a${index}`, index < 150 ? [] : [`a${index % 7}`]));
    const { positions, stages } = layOut('adaptive', agents);
    const placed = [...positions.values()];
    expect(placed).toHaveLength(200);
    expect(placed.some((a, index) => placed.slice(index + 1).some((b) => overlaps(a, b)))).toBe(false);
    expect((stages[0]?.width ?? 0) / (stages[0]?.height ?? 1)).toBeGreaterThan(1);
  });

  it('draws a thousand agents with many links', () => {
    const agents = Array.from({ length: 1_000 }, (_, index) =>
      agent(`a${index}`, index < 20 ? [] : [`a${index - 20}`, `a${index - 7}`, `a${index - 3}`]),
    );
    const { curves, positions } = layOut('adaptive', agents);
    expect(positions.size).toBe(1_000);
    expect(curves).toHaveLength(2_940);
  });

  it('is empty without agents', () => {
    expect(layOut('parallel', [])).toMatchObject({ stages: [], curves: [] });
  });
});

describe('the first view', () => {
  const chain = (count: number) =>
    layOut(
      'sequential',
      Array.from({ length: count }, (_, index) => agent(`a${index}`)),
    );

  it('contains all of a small run at its natural size', () => {
    expect(firstView(chain(2), { width: 1_400, height: 800 }).zoom).toBe(1);
    expect(firstView(chain(8), { width: 1_400, height: 800 }).zoom).toBeLessThan(1);
  });

  it('shows the beginning of a run that is too large to be read as a whole', () => {
    const layout = chain(100);
    const { x, zoom } = firstView(layout, { width: 1_400, height: 800 });
    expect(zoom).toBeGreaterThan(0.25);
    expect((layout.stages[0]?.x ?? 0) * zoom + x).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from 'vitest';
import { columnsOf, inOrder, linksOf } from '../../src/features/runs/plan.ts';

const agent = (agentId: string, dependencies: string[] = [], stage = 0) => ({ agentId, dependencies, stage });
const DIAMOND = [agent('d', ['b', 'c']), agent('b', ['a']), agent('c', ['a']), agent('a')];
const columns = (...args: Parameters<typeof columnsOf>) => Object.fromEntries(columnsOf(...args));

describe('the columns of a run', () => {
  it('follow the dependencies, in whatever order the agents were created', () => {
    expect(columns('adaptive', DIAMOND)).toEqual({ a: 0, b: 1, c: 1, d: 2 });
    expect(inOrder('adaptive', DIAMOND).map(({ agentId }) => agentId)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are one for all agents of a parallel run, and one for each of a sequential run', () => {
    expect(columns('parallel', [agent('a'), agent('b')])).toEqual({ a: 0, b: 0 });
    expect(columns('sequential', [agent('a'), agent('b'), agent('c')])).toEqual({ a: 0, b: 1, c: 2 });
  });

  it('start again with each stage of a pipeline, in which dependencies add columns', () => {
    const agents = [agent('z', [], 3), agent('a'), agent('b', ['a']), agent('c', [], 1)];
    expect(columns('pipeline', agents)).toEqual({ a: 0, b: 1, c: 2, z: 3 });
  });

  it('ignore agents that do not exist', () => {
    expect(columns('adaptive', [agent('a', ['gone'])])).toEqual({ a: 0 });
  });
});

describe('the links of a run', () => {
  it('are its dependencies, and the order of a sequence', () => {
    expect(linksOf('adaptive', [agent('a'), agent('b', ['a', 'gone'])])).toEqual([{ from: 'a', to: 'b' }]);
    expect(linksOf('sequential', [agent('a'), agent('b')])).toEqual([{ from: 'a', to: 'b' }]);
    expect(linksOf('parallel', [agent('a'), agent('b')])).toEqual([]);
  });
});

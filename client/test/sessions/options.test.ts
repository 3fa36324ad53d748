import { expect, it } from 'vitest';
import { contextUsage, inOrder } from '../../src/features/sessions/prompt/options.ts';

it('mode and model come first', () => {
  const option = (id: string, category: string | null) => ({ id, name: id, category, current: '', values: [] });
  const options = [option('effort', 'thought_level'), option('m', 'model'), option('x', null), option('p', 'mode')];
  expect(inOrder(options).map(({ id }) => id)).toEqual(['p', 'm', 'effort', 'x']);
});

it('the use of the context is a percentage, with the tokens and the cost', () => {
  expect(contextUsage({ used: 53_000, size: 200_000, costUsd: 0.0312 })).toEqual({
    percent: 27,
    title: '53,000 of 200,000 tokens of context used · $0.0312',
    high: false,
  });
  expect(contextUsage({ used: 250, size: 200, costUsd: null })).toMatchObject({ percent: 100, high: true });
  expect(contextUsage({ used: 5, size: 0, costUsd: null })).toMatchObject({ percent: 0 });
});

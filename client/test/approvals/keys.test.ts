import { describe, expect, it } from 'vitest';
import { optionOfKey } from '../../src/features/approvals/keys.ts';

const OPTIONS = [
  { id: '1', label: 'No (recommended)', kind: 'deny' },
  { id: '2', label: 'Yes', kind: 'allow' },
  { id: '3', label: 'Yes, always', kind: 'allow' },
  { id: '4', label: 'Explain', kind: 'other' },
] as const;

describe('a key pressed on a question', () => {
  it.each([
    ['1', '1'],
    ['3', '3'],
    ['y', '2'],
    ['n', '1'],
  ])('%s chooses the answer %s', (key, id) => {
    expect(optionOfKey(OPTIONS, key)?.id).toBe(id);
  });

  it.each(['5', 'Enter', 'x', 'Y'])('%s chooses none', (key) => {
    expect(optionOfKey(OPTIONS, key)).toBeUndefined();
  });

  it('chooses the answer of that name before any other that allows or refuses', () => {
    const named = [
      { id: 'n', label: 'Yes, now', kind: 'allow' },
      { id: 'x', label: 'No', kind: 'deny' },
    ] as const;
    expect(optionOfKey(named, 'n')?.id).toBe('n');
    expect(optionOfKey(named, 'y')?.id).toBe('n');
    expect(optionOfKey(named.slice(0, 1), 'q')).toBeUndefined();
  });
});

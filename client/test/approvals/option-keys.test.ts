import { describe, expect, it } from 'vitest';
import { optionForKey } from '../../src/features/approvals/option-keys.ts';

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
  ])('%s selects option %s', (key, id) => {
    expect(optionForKey(OPTIONS, key)?.id).toBe(id);
  });

  it.each(['5', 'Enter', 'x', 'Y'])('%s selects nothing', (key) => {
    expect(optionForKey(OPTIONS, key)).toBeUndefined();
  });

  it('prefers the option with that id to the first that allows or denies', () => {
    const named = [
      { id: 'n', label: 'Yes, now', kind: 'allow' },
      { id: 'x', label: 'No', kind: 'deny' },
    ] as const;
    expect(optionForKey(named, 'n')?.id).toBe('n');
    expect(optionForKey(named, 'y')?.id).toBe('n');
    expect(optionForKey(named.slice(0, 1), 'q')).toBeUndefined();
  });
});

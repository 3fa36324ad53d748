import { expect, it } from 'vitest';
import { withChanges, withEarlier } from '../../src/features/conversation/loaded-messages.ts';
import { message } from './message.ts';

const at = (seq: number, revision: number, text = '') => message(seq, null, text, { revision });
const EMPTY = { earlier: 0, rows: [], revision: 0 };

it('changed messages replace earlier versions, and new ones are added in order', () => {
  const before = withChanges(EMPTY, [at(1, 1), at(2, 2), at(3, 3)]);
  const after = withChanges(before, [at(1, 4, 'changed'), at(4, 5)]);
  expect(after.rows.map(({ seq, revision }) => [seq, revision])).toEqual([
    [1, 4],
    [2, 2],
    [3, 3],
    [4, 5],
  ]);
  expect(after.revision).toBe(5);
  expect(after.rows[1]).toBe(before.rows[1]);
});

it('an answer that arrives late does not restore older versions', () => {
  const now = withChanges(EMPTY, [at(1, 7, 'newer')]);
  const late = withChanges(now, [at(1, 3, 'older')]);
  expect(late.rows[0]?.revision).toBe(7);
  expect(late.revision).toBe(7);
});

it('messages before the loaded ones are left out, until they are loaded', () => {
  const known = withChanges({ earlier: 2, rows: [], revision: 0 }, [at(3, 3)]);
  const changed = withChanges(known, [at(1, 4)]);
  expect(changed.rows.map(({ seq }) => seq)).toEqual([3]);
  const all = withEarlier(changed, 0, [at(1, 4), at(2, 2)]);
  expect(all).toMatchObject({ earlier: 0, revision: 4 });
  expect(all.rows.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  // These messages are already loaded, so adding them again returns the same object.
  expect(withEarlier(all, 0, [at(1, 4), at(2, 2)])).toBe(all);
});

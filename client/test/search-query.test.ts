import { expect, test } from 'vitest';
import { searchQueryOf } from '../src/features/search/search-query.ts';

test.each([
  ['', undefined],
  ['lo', undefined],
  ['log', 'log*'],
  ['log in', 'log in'],
  ['login fail', 'login fail*'],
  // After a space, the last word is complete and not a prefix.
  ['login fail ', 'login fail'],
  ['fail*', 'fail*'],
  ['"log in', '"log in"'],
  ['"log in"', '"log in"'],
  ['a.b', 'a.b'],
  ['ab "', undefined],
])('%j is searched for as %j', (typed, query) => expect(searchQueryOf(typed)).toBe(query));

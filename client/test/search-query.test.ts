import { expect, test } from 'vitest';
import { searchQueryOf } from '../src/features/search/search-query.ts';

test.each([
  ['', undefined],
  ['lo', undefined],
  ['log', 'log*'],
  ['log in', 'log in'],
  ['login fail', 'login fail*'],
  // A space ends the word.
  ['login fail ', 'login fail'],
  ['fail*', 'fail*'],
  ['"log in', '"log in"'],
  ['"log in"', '"log in"'],
  ['a.b', 'a.b'],
  ['ab "', undefined],
])('%j is searched for as %j', (typed, query) => expect(searchQueryOf(typed)).toBe(query));

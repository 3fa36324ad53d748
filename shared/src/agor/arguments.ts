import * as v from 'valibot';
import { wholeNumber } from '../describe.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../limits/answers.ts';

/** Page arguments of `agor_*` lists. Without a limit, a page has as many rows as fit into one result. */
export const AgorPage = {
  limit: v.optional(
    wholeNumber(
      `Number of rows, 1 to ${PAGE_MAX}; default: as many as fit into 9 kB, at most ${PAGE_DEFAULT}`,
      1,
      PAGE_MAX,
    ),
  ),
  skip: v.optional(wholeNumber('Number of rows to skip', 0)),
};

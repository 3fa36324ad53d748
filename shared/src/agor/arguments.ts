import * as v from 'valibot';
import { PAGE_DEFAULT, PAGE_MAX } from '../limits/answers.ts';

/**
 * Page arguments of the `agor_*` lists. Without a limit, a page has as many rows as fit into one result (`snakeList`).
 */
export const AgorPage = {
  limit: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.maxValue(PAGE_MAX),
      v.description(`Number of rows, 1 to ${PAGE_MAX}; default: as many as fit into 9 kB, at most ${PAGE_DEFAULT}`),
    ),
  ),
  skip: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description('Number of rows to skip'))),
};

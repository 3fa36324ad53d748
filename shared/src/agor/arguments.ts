import * as v from 'valibot';
import { PAGE_DEFAULT, PAGE_MAX } from '../limits/answers.ts';

/** Arguments of the `agor_*` lists; without a limit the page ends where the result would get too long (`snakeList`). */
export const AgorPage = {
  limit: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.maxValue(PAGE_MAX),
      v.description(`Rows to answer, 1 to ${PAGE_MAX}; default: what fits in 9 kB, ${PAGE_DEFAULT} at most`),
    ),
  ),
  skip: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description('Rows to pass over'))),
};

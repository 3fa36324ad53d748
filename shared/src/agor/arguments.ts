import * as v from 'valibot';
import { PAGE_DEFAULT, PAGE_MAX } from '../limits/answers.ts';

/** Arguments of the `agor_*` lists; what is left out is the default of the operation behind. */
export const AgorPage = {
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(PAGE_MAX),
      v.description(`Rows to answer, 1 to ${PAGE_MAX}; default ${PAGE_DEFAULT}`),
    ),
  ),
  skip: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Rows to pass over'))),
};

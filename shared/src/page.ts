import * as v from 'valibot';
import { PAGE_DEFAULT, PAGE_MAX } from './limits/answers.ts';

/** Input fields of every list. */
export const PageInput = {
  limit: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.maxValue(PAGE_MAX),
      v.description(`Rows to answer, 1 to ${PAGE_MAX}`),
    ),
    PAGE_DEFAULT,
  ),
  skip: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description('Rows to pass over')), 0),
};

/** Every list: how many rows there are in all, the page asked for, and its rows. */
export function pageOf<S extends v.GenericSchema>(row: S) {
  return v.object({ total: v.number(), limit: v.number(), skip: v.number(), data: v.array(row) });
}

export interface Page<T> {
  total: number;
  limit: number;
  skip: number;
  data: T[];
}

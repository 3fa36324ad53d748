import * as v from 'valibot';
import { described, wholeNumber } from './describe.ts';
import { PAGE_DEFAULT, PAGE_MAX } from './limits/answers.ts';

/** Input fields that select the page of a list. */
export const PageInput = {
  limit: v.optional(wholeNumber(`Number of rows, 1 to ${PAGE_MAX}`, 1, PAGE_MAX), PAGE_DEFAULT),
  skip: v.optional(wholeNumber('Number of rows to skip', 0), 0),
};

/** Returns the schema of one page of a list. `row` is the schema of a row. */
export function pageOf<S extends v.GenericSchema>(row: S) {
  return v.object({
    total: described(v.number(), 'Number of rows in the whole list'),
    limit: described(v.number(), 'Maximum number of rows on this page'),
    skip: described(v.number(), 'Number of rows skipped'),
    data: described(v.array(row), 'Rows of this page'),
  });
}

export interface Page<T> {
  total: number;
  limit: number;
  skip: number;
  data: T[];
}

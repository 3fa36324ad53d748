import * as v from 'valibot';
import { IDEMPOTENCY_KEY_MAX_CHARS } from './limits/calls.ts';

/** Input field of every creating operation; equivalent to the `Idempotency-Key` header. */
export const IdempotencyKey = v.optional(
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(IDEMPOTENCY_KEY_MAX_CHARS),
    v.description('Calls with the same key run only once'),
  ),
);

import * as v from 'valibot';
import { ID_PREFIX_MIN } from './limits/answers.ts';

/** A whole id: a UUIDv7 in lower case (RFC 9562 section 5.7), monotonic within one server. */
export const Id = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/));

/** An id in a caller's input: the whole id or any unambiguous prefix of at least 8 characters. */
export function IdPrefix(noun: string) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.toLowerCase(),
    v.minLength(ID_PREFIX_MIN, `${noun} id: give at least ${ID_PREFIX_MIN} characters`),
    v.regex(/^[0-9a-f-]{8,36}$/, `${noun} id: only the digits 0-9, a-f and "-"`),
    v.description(`Id of the ${noun}, or an unambiguous prefix of at least ${ID_PREFIX_MIN} characters`),
  );
}

/** How an id is shown to people: 18 characters, since 8 hexadecimal digits of a UUIDv7 change only each 65 s. */
export function shortId(id: string): string {
  return id.slice(0, 18);
}

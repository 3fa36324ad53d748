import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { OUTPUT_MAX_BYTES } from '../limits/streams.ts';

/** This file defines input and output fields that several contracts share. */

/** Input field of event lists: the sequence number after which the list starts. */
export const AfterSeq = v.optional(wholeNumber('Only events with a sequence number above this number', 0), 0);

/** Returns the input field that limits the bytes of output in a response. */
export const maxBytes = (byDefault: number) =>
  v.optional(wholeNumber(`Maximum bytes of output, 64 to ${OUTPUT_MAX_BYTES}`, 64, OUTPUT_MAX_BYTES), byDefault);

/** Returns the schema of a text of 1 to `max` characters. */
export const shortText = (description: string, max: number) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(max), v.description(description));

/** Output fields for the position of the returned output in the output log. */
export const outputPosition = {
  offset: described(
    v.number(),
    'Byte offset of the first returned byte; greater than sinceOffset if older output was dropped',
  ),
  nextOffset: described(v.number(), 'Byte offset to continue from; pass it as sinceOffset'),
  truncated: described(v.boolean(), 'Whether more output is stored after nextOffset'),
  rendered: described(
    v.picklist(['lines', 'raw', 'screen', 'messages']),
    'lines: finished lines; raw: bytes as printed; messages: messages of an agent that uses the alternate screen or has no terminal; screen: current screen of an agent that uses the alternate screen, if there are no messages to return',
  ),
};

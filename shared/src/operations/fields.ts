import * as v from 'valibot';
import { described } from '../describe.ts';
import { OUTPUT_MAX_BYTES } from '../limits/streams.ts';

/** Fields that several contracts share. */

/** Cursor of a list of events. */
export const AfterSeq = v.optional(
  v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(0),
    v.description('Sequence number of the last known event; returns later events'),
  ),
  0,
);

/** Returns the input field that limits an answer with output. */
export const maxBytes = (byDefault: number) =>
  v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(64),
      v.maxValue(OUTPUT_MAX_BYTES),
      v.description(`Maximum bytes in the answer, 64 to ${OUTPUT_MAX_BYTES}; default ${byDefault}`),
    ),
    byDefault,
  );

/** Position of an answer in the output log. */
export const outputPosition = {
  offset: described(
    v.number(),
    'Byte offset of the first returned byte; greater than sinceOffset if older output was dropped',
  ),
  nextOffset: described(v.number(), 'Byte offset to continue from; pass it as sinceOffset'),
  truncated: described(v.boolean(), 'Whether more output is stored after nextOffset'),
  rendered: described(
    v.picklist(['lines', 'raw', 'screen', 'messages']),
    'lines: finished lines; raw: bytes as printed; screen and messages: used because the agent draws on an alternate screen, which has no lines',
  ),
};

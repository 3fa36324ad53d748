import { TOOL_RESULT_BYTES, TOOL_RESULT_SPARE_BYTES } from '../limits/answers.ts';

/** Bounds tool results to TOOL_RESULT_BYTES, which clients and models accept whole. Pure functions. */

const encoder = new TextEncoder();

/** Size of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** The first rows that fit into `bytes` as JSON; at least one. */
export function fittingRows<Row>(rows: readonly Row[], bytes: number): Row[] {
  let left = bytes;
  const fitting: Row[] = [];
  for (const row of rows) {
    left -= jsonBytes(row) + 1;
    if (left < 0 && fitting.length > 0) break;
    fitting.push(row);
  }
  return fitting;
}

/** The beginning of a text that fits into `bytes` as JSON; never half of a character. */
export function fittingText(text: string, bytes: number): string {
  let left = bytes;
  let end = 0;
  for (const character of text) {
    left -= jsonBytes(character) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Bytes left for the rows of a result with these other fields. */
export function bytesBeside(fields: unknown): number {
  return TOOL_RESULT_BYTES - TOOL_RESULT_SPARE_BYTES - jsonBytes(fields);
}

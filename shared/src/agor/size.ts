import { TOOL_RESULT_BYTES, TOOL_RESULT_SPARE_BYTES } from '../limits/answers.ts';

/** Keeps the results of tools below TOOL_RESULT_BYTES, in which clients and models take them whole. Pure. */

const encoder = new TextEncoder();

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** The first rows that fit into `bytes` as JSON, always at least one of them. */
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

/** What a result has left for its rows beside these fields. */
export function bytesBeside(fields: unknown): number {
  return TOOL_RESULT_BYTES - TOOL_RESULT_SPARE_BYTES - jsonBytes(fields);
}

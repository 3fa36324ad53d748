import { TOOL_RESULT_BYTES, TOOL_RESULT_SPARE_BYTES } from '../limits/answers.ts';

/** This file limits tool results to TOOL_RESULT_BYTES, because clients and models may cut longer results. */

const encoder = new TextEncoder();

export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** Returns the first rows that fit into `bytes` as JSON, and at least one row. */
export function fittingRows<Row>(rows: readonly Row[], bytes: number): Row[] {
  let remaining = bytes;
  const fitting: Row[] = [];
  for (const row of rows) {
    remaining -= jsonBytes(row) + 1;
    if (remaining < 0 && fitting.length > 0) break;
    fitting.push(row);
  }
  return fitting;
}

/** Returns the beginning of a text that, as JSON without its quotes, fits into `bytes`. Never splits a character. */
export function fittingText(text: string, bytes: number): string {
  let remaining = bytes;
  let end = 0;
  for (const character of text) {
    remaining -= jsonBytes(character) - 2;
    if (remaining < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Returns the number of bytes that `fields` leave for the rows of the same result. */
export function bytesBeside(fields: unknown): number {
  return TOOL_RESULT_BYTES - TOOL_RESULT_SPARE_BYTES - jsonBytes(fields);
}

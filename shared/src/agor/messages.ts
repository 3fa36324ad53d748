import * as v from 'valibot';
import { cutText } from '../cut.ts';
import { TOOL_MESSAGE_CHARS, TOOL_MESSAGE_PART_CHARS } from '../limits/answers.ts';
import type { Message } from '../models/message.ts';
import { fittingText, jsonBytes } from './size.ts';
import { snakeEntity } from './snake.ts';

/** This file formats the messages of a session for the `agor_*` tools, in pages that each fit into one tool result. */

/** Tool arguments that request the next page; null after the last message. */
export const NextMessages = v.nullable(v.object({ messagesFrom: v.number(), textOffset: v.optional(v.number()) }));
export type NextMessages = v.InferOutput<typeof NextMessages>;

type Part = Message['parts'][number];
type Row = Record<string, unknown>;

/** Minimum free bytes on a page for another message; with fewer, the message starts the next page. */
const TEXT_MIN_BYTES = 200;

function rowOf({ id, seq, role, kind, taskId, createdAt }: Message, parts: readonly Part[]): Row {
  // The keys inside `parts` are not converted to snake_case, because the agent chose them.
  return { ...snakeEntity('message', { id, seq, role, kind, taskId, createdAt }), parts };
}

/** Returns the JSON value with its long texts cut. `whole` says where to read the full texts. */
function withShortTexts(value: unknown, chars: number, whole: string): unknown {
  if (typeof value === 'string') return cutText(value, chars, whole);
  if (Array.isArray(value)) return value.map((each) => withShortTexts(each, chars, whole));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortTexts(each, chars, whole)]));
}

/**
 * Returns a part that takes at most `bytes`. First its texts are cut. If that is not enough, its JSON is cut and
 * returned as a text.
 */
function shortPart(part: Part, chars: number, whole: string, bytes: number): Part {
  const short = withShortTexts(part, chars, whole) as Part;
  if (jsonBytes(short) <= bytes) return short;
  const type = typeof part.type === 'string' ? part.type : 'text';
  return { type, text: `${fittingText(JSON.stringify(part), bytes / 2)}… [cut; ${whole}]` };
}

/** Returns the newest messages that fit into `bytes`, oldest first, with their texts cut. */
export function newestMessages(messages: readonly Message[], bytes: number): Row[] {
  let remaining = bytes;
  const rows: Row[] = [];
  for (const message of messages.toReversed()) {
    const whole = `use messagesFrom ${message.seq} for the full text`;
    const each = Math.floor(bytes / 2 / Math.max(message.parts.length, 1));
    const row = rowOf(
      message,
      message.parts.map((part) => shortPart(part, TOOL_MESSAGE_CHARS, whole, each)),
    );
    remaining -= jsonBytes(row) + 1;
    if (remaining < 0 && rows.length > 0) break;
    rows.unshift(row);
  }
  return rows;
}

/**
 * Returns the parts that fit into `bytes`, from a character offset on. `next` is the offset at which the next page
 * continues, or null if nothing remains.
 */
function partsFrom(message: Message, offset: number, bytes: number): { parts: Part[]; next: number | null } {
  const parts: Part[] = [];
  let [before, remaining] = [0, bytes];
  for (const part of message.parts) {
    const { text } = part;
    if (typeof text !== 'string') {
      if (before >= offset)
        parts.push(shortPart(part, TOOL_MESSAGE_PART_CHARS, 'use REST for the full text', bytes / 2));
      remaining -= jsonBytes(parts.at(-1) ?? null);
      continue;
    }
    const from = Math.min(Math.max(offset - before, 0), text.length);
    const shown = fittingText(text.slice(from), Math.max(remaining - jsonBytes({ ...part, text: '' }), 0));
    if (shown !== '' || text === '') parts.push({ ...part, text: shown });
    if (from + shown.length < text.length) return { parts, next: before + from + shown.length };
    remaining -= jsonBytes(shown);
    before += text.length;
  }
  return { parts, next: null };
}

/**
 * Returns as many messages as fit into `bytes`. The first message begins at `textOffset`. If the last message does not
 * fit completely, the next page continues it. `more` tells whether the conversation has further messages after
 * `messages`.
 */
export function messagesFrom(
  messages: readonly Message[],
  textOffset: number,
  bytes: number,
  more: boolean,
): { messages: Row[]; messages_next: NextMessages } {
  let remaining = bytes;
  const rows: Row[] = [];
  for (const [at, message] of messages.entries()) {
    const envelopeBytes = jsonBytes(rowOf(message, [])) + 1;
    if (rows.length > 0 && remaining < envelopeBytes + TEXT_MIN_BYTES) {
      return { messages: rows, messages_next: { messagesFrom: message.seq } };
    }
    const { parts, next } = partsFrom(
      message,
      at === 0 ? textOffset : 0,
      Math.max(remaining - envelopeBytes, TEXT_MIN_BYTES),
    );
    const row = rowOf(message, parts);
    rows.push(row);
    if (next !== null) return { messages: rows, messages_next: { messagesFrom: message.seq, textOffset: next } };
    remaining -= jsonBytes(row) + 1;
  }
  const last = messages.at(-1);
  return { messages: rows, messages_next: more && last ? { messagesFrom: last.seq + 1 } : null };
}

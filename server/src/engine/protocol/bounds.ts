import { firstChars } from '@agent-console/shared/cut';
import {
  ACP_LABEL_MAX_CHARS,
  ACP_MESSAGE_MAX_CHARS,
  ACP_NESTING_MAX,
  ACP_PLAN_ENTRIES_MAX,
  ACP_SHORT_TEXT_MAX_CHARS,
  ACP_VALUE_ENTRIES_MAX,
  ACP_VALUE_MAX_CHARS,
} from '@agent-console/shared/limits/acp';
import type { MessagePart, PlanEntry, ToolCallFields } from '../../domain/protocol.ts';

/**
 * The functions in this file limit the stored size of an agent's updates. Omitted content is marked:
 * - A cut part has `truncated`.
 * - A tool call has the names of its cut fields.
 * - A plan has a part of type `omitted` with the number of omitted entries.
 */

/** Fields whose beginning alone would be misleading or useless. They are stored as a whole or not at all. */
const WHOLE = new Set(['oldText', 'newText', 'data', 'blob']);

/**
 * Creates a copier of JSON values. All its copies share the size limits of one stored field; values that exceed the
 * limits are cut.
 */
function createCopier() {
  let chars = ACP_VALUE_MAX_CHARS;
  let entries = ACP_VALUE_ENTRIES_MAX;
  let cuts = 0;

  function copyText(text: string): string {
    const kept = text.length <= ACP_SHORT_TEXT_MAX_CHARS ? text : firstChars(text, Math.max(chars, 0));
    chars -= text.length;
    if (kept !== text) cuts += 1;
    return kept;
  }

  /** Returns a copy of a value. The value is cut if it exceeds what remains of the limits after the earlier copies. */
  function copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return copyText(value);
    if (typeof value !== 'object' || value === null) return value;
    const found = Object.entries(value);
    const fitting = depth < ACP_NESTING_MAX ? found.slice(0, Math.max(entries, 0)) : [];
    entries -= found.length;
    cuts += found.length - fitting.length;
    const copied = fitting.map(([key, each]): [string, unknown] => {
      if (!WHOLE.has(key) || typeof each !== 'string' || each.length <= chars) return [key, copy(each, depth + 1)];
      cuts += 1;
      return [key, undefined];
    });
    return Array.isArray(value)
      ? copied.map(([, each]) => each)
      : Object.fromEntries(copied.filter(([, each]) => each !== undefined));
  }

  return {
    copy<T>(value: T): { value: T; isCut: boolean } {
      const before = cuts;
      const copied = copy(value, 0) as T;
      return { value: copied, isCut: cuts > before };
    },
    isCut: () => cuts > 0,
  };
}

type Copier = ReturnType<typeof createCopier>;

function boundedPart(part: MessagePart, copier: Copier = createCopier()): MessagePart {
  const { value, isCut } = copier.copy(part);
  return isCut ? { ...value, truncated: true } : value;
}

/**
 * Splits a chunk into parts that fit into one message each. Only text is split; a part of any other type that is too
 * large is cut.
 */
export function piecesOf(part: MessagePart): MessagePart[] {
  const { text, ...rest } = part;
  if (part.type !== 'text' || typeof text !== 'string') return [boundedPart(part)];
  const fields = boundedPart(rest as MessagePart);
  if (text.length <= ACP_MESSAGE_MAX_CHARS) return [{ ...fields, text }];
  const pieces: MessagePart[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = firstChars(text.slice(at, at + ACP_MESSAGE_MAX_CHARS + 1), ACP_MESSAGE_MAX_CHARS);
    pieces.push({ ...fields, text: piece });
    at += piece.length;
  }
  return pieces;
}

/** Returns the size of a part, in characters. */
export const sizeOf = ({ type, text, ...rest }: MessagePart): number =>
  type === 'text' && typeof text === 'string' ? text.length : JSON.stringify(rest).length;

/**
 * Returns the fields of a tool call, cut to the size limits. `truncated` names the stored fields that were cut, except
 * the title, which then ends with `…`.
 * @param before the stored `truncated` of this tool call, which still applies to unchanged fields.
 */
export function boundedCall(fields: ToolCallFields, before: unknown): ToolCallFields & { truncated: string[] } {
  const truncated: string[] = Array.isArray(before) ? before.filter((name) => !(name in fields)) : [];
  const bounded: Record<string, unknown> = { ...fields };
  if (fields.title !== undefined) bounded.title = shortened(fields.title);
  if (fields.content !== undefined) {
    const copier = createCopier();
    const parts = fields.content.slice(0, ACP_VALUE_ENTRIES_MAX);
    bounded.content = parts.map((part) => boundedPart(part, copier));
    if (copier.isCut() || parts.length < fields.content.length) truncated.push('content');
  }
  for (const name of ['locations', 'input', 'output'] as const) {
    if (fields[name] === undefined) continue;
    const { value, isCut } = createCopier().copy(fields[name]);
    bounded[name] = value;
    if (isCut) truncated.push(name);
  }
  return { ...bounded, truncated };
}

const shortened = (text: string) =>
  text.length <= ACP_LABEL_MAX_CHARS ? text : `${firstChars(text, ACP_LABEL_MAX_CHARS)}…`;

export function boundedPlan(entries: readonly PlanEntry[]): MessagePart[] {
  const parts = entries.slice(0, ACP_PLAN_ENTRIES_MAX).map(({ content, priority, status }) => ({
    type: 'planEntry',
    content: shortened(content),
    priority: firstChars(priority, ACP_SHORT_TEXT_MAX_CHARS),
    status: firstChars(status, ACP_SHORT_TEXT_MAX_CHARS),
  }));
  const omitted = entries.length - parts.length;
  return omitted === 0 ? parts : [...parts, { type: 'omitted', count: omitted }];
}

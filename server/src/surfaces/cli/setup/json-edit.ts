import { isDeepStrictEqual } from 'node:util';
import { parseJsonWithComments } from '../../../domain/json-with-comments.ts';

/** Edits of JSON files that leave every byte alone but those of one member: comments, order and formatting stay. */

interface Member {
  key: string;
  /** Where the key's quote stands, where the value begins, and where it ends. */
  start: number;
  value: number;
  end: number;
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The text with `[container][name] = value` put in as one piece, and that piece; null where the text is no JSON object
 * or the place is taken by something else.
 */
export function insertMember(
  text: string,
  container: string,
  name: string,
  value: unknown,
): { after: string; inserted: string } | null {
  const before = text.trim() === '' ? {} : parseJsonWithComments(text);
  if (!isFields(before)) return null;
  const held = before[container] ?? {};
  if (!isFields(held) || name in held) return null;
  const edit = text.trim() === '' ? wholeFile(text, container, name, value) : piece(text, container, name, value);
  if (edit === null) return null;
  const after = text.slice(0, edit.at) + edit.inserted + text.slice(edit.at);
  // What was written must say what was there before and ours, whatever the file looks like.
  const expected = { ...before, [container]: { ...held, [name]: value } };
  return isDeepStrictEqual(parseJsonWithComments(after), expected) ? { after, inserted: edit.inserted } : null;
}

function wholeFile(text: string, container: string, name: string, value: unknown) {
  return { at: text.length, inserted: `${JSON.stringify({ [container]: { [name]: value } }, null, 2)}\n` };
}

function piece(text: string, container: string, name: string, value: unknown) {
  const open = skip(text, 0);
  const members = membersOf(text, open);
  if (members === null) return null;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /\{[^\S\n]*\r?\n([ \t]+)"/.exec(text.slice(open))?.[1] ?? '  ';
  const there = members.find((member) => member.key === container);
  const inside = there === undefined ? members : membersOf(text, there.value);
  if (inside === null) return null;
  const depth = there === undefined ? 1 : 2;
  const member = there === undefined ? { [container]: { [name]: value } } : { [name]: value };
  const lines = JSON.stringify(member, null, indent).split('\n').slice(1, -1);
  const shifted = lines.map((line) => indent.repeat(depth - 1) + line).join(newline);
  const end = inside.length > 0 ? ',' : `${newline}${indent.repeat(depth - 1)}`;
  return { at: (there?.value ?? open) + 1, inserted: `${newline}${shifted}${end}` };
}

/** The text without that member, and without its container where that is left empty and was ours; null where it is absent. */
export function removeMember(text: string, container: string, name: string, ownContainer: boolean): string | null {
  const before = parseJsonWithComments(text);
  const outer = membersOf(text, skip(text, 0));
  const holder = outer?.find((member) => member.key === container);
  const inner = holder && membersOf(text, holder.value);
  const at = inner?.findIndex((member) => member.key === name) ?? -1;
  if (!outer || !holder || !inner || at < 0 || !isFields(before)) return null;
  const alone = inner.length === 1 && ownContainer;
  const after = alone ? without(text, outer, outer.indexOf(holder)) : without(text, inner, at);
  const expected: Record<string, unknown> = { ...before };
  const { [name]: _, ...rest } = before[container] as Record<string, unknown>;
  if (alone) delete expected[container];
  else expected[container] = rest;
  return isDeepStrictEqual(parseJsonWithComments(after), expected) ? after : null;
}

/** From the end of the member before to the end of this one; for the first one, up to the next one's key. */
function without(text: string, members: readonly Member[], at: number): string {
  const [previous, member, next] = [members[at - 1], members[at], members[at + 1]];
  if (member === undefined) return text;
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(member.end);
  if (next !== undefined) return text.slice(0, member.start) + text.slice(next.start);
  return text.slice(0, member.start).trimEnd() + text.slice(member.end).replace(/^\s*,?\s*/, '');
}

/** The members of the object whose brace stands at `open`; null where there is none. */
function membersOf(text: string, open: number): Member[] | null {
  if (text[open] !== '{') return null;
  const members: Member[] = [];
  let at = skip(text, open + 1);
  while (at < text.length && text[at] !== '}') {
    if (text[at] === ',') {
      at = skip(text, at + 1);
      continue;
    }
    if (text[at] !== '"') return null;
    const keyEnd = endOfString(text, at);
    const colon = skip(text, keyEnd);
    if (text[colon] !== ':') return null;
    const value = skip(text, colon + 1);
    const end = endOfValue(text, value);
    if (end <= value) return null;
    members.push({ key: String(parseJsonWithComments(text.slice(at, keyEnd))), start: at, value, end });
    at = skip(text, end);
  }
  return text[at] === '}' ? members : null;
}

/** Past blanks and comments. */
function skip(text: string, from: number): number {
  const blank = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  blank.lastIndex = from;
  return from + (blank.exec(text)?.[0].length ?? 0);
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== '{' && first !== '[') return from + (/^[^\s,\]}/]+/.exec(text.slice(from))?.[0].length ?? 0);
  let depth = 0;
  for (let at = from; at < text.length; at = skip(text, at)) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return from;
}

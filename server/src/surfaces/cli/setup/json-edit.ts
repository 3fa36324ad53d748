import { isDeepStrictEqual } from 'node:util';
import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from 'jsonc-parser';

/** This module edits JSON files with comments. Each edit changes one member and leaves every other byte unchanged. */

const BOM = '\ufeff';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON with comments and trailing commas. Returns undefined if the text is malformed. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(BOM, ''), errors, { allowTrailingComma: true });
  return errors.length === 0 ? value : undefined;
}

/**
 * Inserts `[container][name] = value` as one contiguous text. Returns the new text and the inserted part. Returns null
 * if the text is not a JSON object, if the container is not an object or already has the member, or if the edit would
 * have another effect.
 */
export function insertMember(
  text: string,
  container: string,
  name: string,
  value: unknown,
): { after: string; inserted: string } | null {
  const isBlank = text.trim() === '';
  const before = isBlank ? {} : parseJsonc(text);
  if (!isObject(before)) return null;
  const members = before[container] ?? {};
  if (!isObject(members) || name in members) return null;
  const { at, inserted } = isBlank
    ? { at: text.length, inserted: `${JSON.stringify({ [container]: { [name]: value } }, null, 2)}\n` }
    : insertion(text, container, name, value);
  const after = text.slice(0, at) + inserted + text.slice(at);
  // Checks the new text, because the edit may have no effect in unusual files, for example with duplicate keys.
  const expected = { ...before, [container]: { ...members, [name]: value } };
  return isDeepStrictEqual(parseJsonc(after), expected) ? { after, inserted } : null;
}

/**
 * Returns the text to insert and its offset. The text is the new member, or, if the container does not exist, the
 * container with the new member.
 */
function insertion(text: string, container: string, name: string, value: unknown): { at: number; inserted: string } {
  const start = text.startsWith(BOM) ? 1 : 0;
  const root = parseTree(text.slice(start), [], { allowTrailingComma: true });
  const existing = root && findNodeAtLocation(root, [container]);
  const parent = existing ?? root;
  const open = start + (parent?.offset ?? 0);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /\{[^\S\n]*\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const outer = existing === undefined ? '' : indent;
  const member = existing === undefined ? { [container]: { [name]: value } } : { [name]: value };
  const lines = JSON.stringify(member, null, indent).split('\n').slice(1, -1);
  const hasMembers = (parent?.children?.length ?? 0) > 0;
  const end = hasMembers ? ',' : newline + outer;
  return { at: open + 1, inserted: `${newline}${lines.map((line) => outer + line).join(newline)}${end}` };
}

/**
 * Removes `[container][name]`. Also removes the container if setup created it and no other member is left. Returns null
 * if the member does not exist or cannot be removed, for example because the text is malformed.
 */
export function removeMember(text: string, container: string, name: string, ownContainer: boolean): string | null {
  const before = parseJsonc(text);
  if (!isObject(before)) return null;
  const { [container]: members, ...others } = before;
  if (!isObject(members) || !(name in members)) return null;
  const { [name]: _, ...rest } = members;
  const removesContainer = ownContainer && Object.keys(rest).length === 0;
  const start = text.startsWith(BOM) ? 1 : 0;
  const body = text.slice(start);
  const edits = modify(body, removesContainer ? [container] : [container, name], undefined, {});
  const after = text.slice(0, start) + applyEdits(body, edits);
  const expected = removesContainer ? others : { ...before, [container]: rest };
  return isDeepStrictEqual(parseJsonc(after), expected) ? after : null;
}

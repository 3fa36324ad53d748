import type { Hunk, Line, Pair, Side } from './types.ts';

/**
 * Maximum size of a block, as removed lines times added lines, for which the longest common subsequence is computed. In
 * larger blocks, only lines at the same position are compared, which takes linear time.
 */
const COMPARED_MAX = 40_000;

/** Parses the lines of a hunk and numbers them. */
export function linesOf(hunk: Hunk): Line[] {
  const lines: Line[] = [];
  let old = hunk.oldStart;
  let fresh = hunk.newStart;
  for (const [at, raw] of hunk.lines.entries()) {
    const text = raw.slice(1);
    const last = lines.at(-1);
    if (raw.startsWith('\\')) {
      if (last !== undefined) last.noNewline = true;
    } else if (raw.startsWith('+')) {
      lines.push({ kind: 'added', old: undefined, new: fresh, text, noNewline: false, at });
      fresh += 1;
    } else if (raw.startsWith('-')) {
      lines.push({ kind: 'removed', old, new: undefined, text, noNewline: false, at });
      old += 1;
    } else {
      lines.push({ kind: 'same', old, new: fresh, text, noNewline: false, at });
      old += 1;
      fresh += 1;
    }
  }
  return lines;
}

/** Returns the lines with whitespace-only changes marked as unchanged. */
export function withoutWhitespaceChanges(lines: readonly Line[]): Line[] {
  const result: Line[] = [];
  for (const block of blocksOf(lines)) {
    if (block.removed.length === 0 || block.added.length === 0) result.push(...block.removed, ...block.added);
    else result.push(...matched(block.removed, block.added));
    if (block.same !== undefined) result.push(block.same);
  }
  return result;
}

/** Arranges lines side by side: removed lines beside the lines added in their place. */
export function pairsOf(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = [];
  for (const { removed, added, same } of blocksOf(lines)) {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push({ left: removed[at], right: added[at] });
    }
    if (same !== undefined) pairs.push({ left: same, right: same });
  }
  return pairs;
}

/**
 * Maps each replaced line to the line that replaces it, and vice versa, so that their differences can be emphasized.
 * Leaves out blocks with different numbers of removed and added lines, because it is unclear which line replaces which.
 */
export function counterparts(lines: readonly Line[]): Map<Line, Line> {
  const others = new Map<Line, Line>();
  for (const { removed, added } of blocksOf(lines)) {
    if (removed.length !== added.length) continue;
    for (const [at, line] of removed.entries()) {
      const other = added[at];
      if (other === undefined) continue;
      others.set(line, other);
      others.set(other, line);
    }
  }
  return others;
}

/**
 * Returns the range of `text` that differs from `other`, in whole words; undefined if nothing or more than three
 * quarters of `text` differs.
 */
export function changedPart(text: string, other: string): { from: number; to: number } | undefined {
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from += 1;
  let tail = 0;
  while (tail < most - from && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  while (from > 0 && isWord(text[from - 1]) && (isWord(text[from]) || isWord(other[from]))) from -= 1;
  let to = text.length - tail;
  const otherTo = other.length - tail;
  while (to < text.length && isWord(text[to]) && (isWord(text[to - 1]) || isWord(other[otherTo - 1]))) to += 1;
  if (to <= from) return undefined;
  const kept = text.slice(0, from).trim().length + text.slice(to).trim().length;
  return kept * 4 < text.trim().length ? undefined : { from, to };
}

export function numberOn(line: Line, side: Side): number | undefined {
  return side === 'old' ? line.old : line.new;
}

/** Returns `old` for removed lines and `new` for added and unchanged lines. */
export function sideOf(line: Line): Side {
  return line.kind === 'removed' ? 'old' : 'new';
}

interface Block {
  removed: Line[];
  added: Line[];
  /** The unchanged line after these lines; undefined if there is none. */
  same: Line | undefined;
}

function* blocksOf(lines: readonly Line[]): Generator<Block> {
  let block: Block = { removed: [], added: [], same: undefined };
  for (const line of lines) {
    if (line.kind === 'same') {
      yield { ...block, same: line };
      block = { removed: [], added: [], same: undefined };
      continue;
    }
    if (line.kind === 'removed' && block.added.length > 0) {
      yield block;
      block = { removed: [], added: [], same: undefined };
    }
    block[line.kind].push(line);
  }
  if (block.removed.length + block.added.length > 0) yield block;
}

/**
 * Merges the removed and added lines of a block. Pairs of lines that differ only in whitespace become unchanged lines.
 * The pairs are the longest common subsequence or, in a large block, lines at the same position.
 */
function matched(removed: readonly Line[], added: readonly Line[]): Line[] {
  const a = removed.map(withoutSpaces);
  const b = added.map(withoutSpaces);
  const pairs = a.length * b.length > COMPARED_MAX ? oneToOne(a, b) : longestCommon(a, b);
  const result: Line[] = [];
  let left = 0;
  let right = 0;
  for (const [i, j] of [...pairs, [a.length, b.length] as const]) {
    result.push(...removed.slice(left, i), ...added.slice(right, j));
    const before = removed[i];
    const after = added[j];
    if (before !== undefined && after !== undefined) result.push({ ...after, kind: 'same', old: before.old });
    left = i + 1;
    right = j + 1;
  }
  return result;
}

function oneToOne(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  return a.flatMap((text, at) => (text === b[at] ? [[at, at] as const] : []));
}

function longestCommon(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function withoutSpaces({ text }: Line): string {
  return text.replace(/\s+/g, '');
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}

import { isUtf8 } from 'node:buffer';
import { DIFF_FILE_MAX_BYTES, DIFF_FILES_MAX, DIFF_MAX_BYTES } from '@agent-console/shared/limits/git';
import type { FileDiff } from '../ports/git.ts';

type Hunk = FileDiff['hunks'][number];

const STATUS: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  R: 'renamed',
  T: 'typeChanged',
};

interface Section {
  file: FileDiff;
  /**
   * Number of patches that git prints for this file: two for a type change (a deletion and an addition), none for an
   * unmerged path, otherwise one.
   */
  patches: number;
  bytes: number;
}

/**
 * Parses `git diff --raw --numstat --patch` as a stream. git prints a line per file, then a line of numbers per file in
 * the same order, an empty line, and the patches in that order. git quotes names, so a line with a name cannot look
 * like another kind of line. Hunks beyond the limits are dropped as a whole, but their file stays listed. A package
 * such as parse-diff 0.11 would need the complete output as one string, up to DIFF_READ_MAX_BYTES, and parses neither
 * quoted names nor the raw part.
 */
export function createDiffParser(untracked: ReadonlySet<string>) {
  const sections: Section[] = [];
  let counted = 0;
  let inPatch = false;
  /**
   * `at` is the index in `sections` of the file whose patch is being parsed; `begun` is the number of patches of that
   * file that have begun.
   */
  let at = -1;
  let begun = 0;
  let keptBytes = 0;
  let hunk: { value: Hunk; oldLeft: number; newLeft: number; bytes: number; dropped: boolean } | undefined;
  let partial: Buffer[] = [];
  let partialBytes = 0;

  function push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, end);
      line(partialBytes === 0 ? part : Buffer.concat([...partial, part]));
      partial = [];
      partialBytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) return;
    // Only the beginning of an overlong line is retained. It is enough to recognize the kind of line.
    if (partialBytes <= DIFF_FILE_MAX_BYTES) partial.push(Buffer.from(chunk.subarray(from)));
    partialBytes += chunk.length - from;
  }

  function line(bytes: Buffer): void {
    if (inPatch) patchLine(bytes);
    else if (bytes.length === 0) inPatch = true;
    else summaryLine(bytes.toString('latin1'));
  }

  function summaryLine(text: string): void {
    if (text.startsWith(':')) {
      sections.push(toSection(text, untracked));
      return;
    }
    const [additions = '', deletions = ''] = text.split('\t');
    const file = sections[counted]?.file;
    counted += 1;
    if (file === undefined) return;
    file.binary = additions === '-';
    file.additions = Number(additions) || 0;
    file.deletions = Number(deletions) || 0;
  }

  function patchLine(bytes: Buffer): void {
    const inHunk = hunk !== undefined && (hunk.oldLeft > 0 || hunk.newLeft > 0 || bytes[0] === 92);
    if (inHunk) {
      hunkLine(bytes);
      return;
    }
    endHunk();
    const text = bytes.toString('utf8', 0, 4_096);
    if (text.startsWith('diff --git ')) nextPatch();
    else if (text.startsWith('@@ ')) beginHunk(text);
  }

  function nextPatch(): void {
    begun += 1;
    if (at >= 0 && begun <= (sections[at]?.patches ?? 0)) return;
    at += 1;
    begun = 1;
  }

  function beginHunk(header: string): void {
    const numbers = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header);
    if (numbers === null) return;
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] = numbers;
    const value = {
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      header,
      lines: [],
    };
    hunk = { value, oldLeft: value.oldLines, newLeft: value.newLines, bytes: header.length, dropped: false };
  }

  function hunkLine(bytes: Buffer): void {
    if (hunk === undefined) return;
    if (bytes[0] !== 43 && bytes[0] !== 92) hunk.oldLeft -= 1;
    if (bytes[0] !== 45 && bytes[0] !== 92) hunk.newLeft -= 1;
    hunk.bytes += bytes.length + 1;
    const section = sections[at];
    if (section === undefined || hunk.dropped) return;
    if (section.bytes + hunk.bytes > DIFF_FILE_MAX_BYTES || keptBytes + hunk.bytes > DIFF_MAX_BYTES) {
      hunk.dropped = true;
      hunk.value.lines = [];
      section.file.truncated = true;
      return;
    }
    if (!isUtf8(bytes)) section.file.invalidUtf8 = true;
    hunk.value.lines.push(bytes.toString());
  }

  function endHunk(): void {
    const section = sections[at];
    if (hunk !== undefined && section !== undefined && !hunk.dropped && at < DIFF_FILES_MAX) {
      section.file.hunks.push(hunk.value);
      section.bytes += hunk.bytes;
      keptBytes += hunk.bytes;
    }
    hunk = undefined;
  }

  function finish(cutOff: boolean): { files: FileDiff[]; moreFiles: number } {
    if (partialBytes > 0 && !cutOff) line(Buffer.concat(partial));
    if (cutOff) {
      for (const section of sections.slice(Math.max(at, 0))) section.file.truncated = true;
    } else {
      endHunk();
    }
    const files = sections.map((section) => section.file);
    return { files: files.slice(0, DIFF_FILES_MAX), moreFiles: Math.max(0, files.length - DIFF_FILES_MAX) };
  }

  return { push, finish };
}

function toSection(text: string, untracked: ReadonlySet<string>): Section {
  const [facts = '', first = '', second] = text.split('\t');
  const [oldMode = '', newMode = '', , , score = 'M'] = facts.slice(1).split(' ');
  const letter = score.charAt(0);
  const path = unquote(second ?? first);
  const isNew = letter === 'A' && untracked.has(path.toString());
  const oldPath = second === undefined ? null : unquote(first);
  const file = fileWithoutHunks(path, oldPath, isNew ? 'untracked' : (STATUS[letter] ?? 'modified'));
  return {
    file: { ...file, oldMode: modeOf(oldMode), newMode: modeOf(newMode) },
    // For an unmerged path, git prints one line instead of a patch.
    patches: letter === 'T' ? 2 : letter === 'U' ? 0 : 1,
    bytes: 0,
  };
}

/** git writes a mode of zeros for a version that does not exist. */
const modeOf = (mode: string) => (mode === '000000' ? null : mode);

/**
 * Returns the description of a changed file, still without modes and hunks. The parser later adds these and the numbers
 * of changed lines.
 */
export function fileWithoutHunks(path: Buffer, oldPath: Buffer | null, status: FileDiff['status']): FileDiff {
  return {
    path: path.toString(),
    oldPath: oldPath?.toString() ?? null,
    status,
    oldMode: null,
    newMode: null,
    binary: false,
    additions: 0,
    deletions: 0,
    hunks: [],
    truncated: false,
    invalidUtf8: !isUtf8(path) || (oldPath !== null && !isUtf8(oldPath)),
  };
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Decodes a name that git quoted in the style of C. Octal escapes stand for bytes. */
function unquote(name: string): Buffer {
  if (!name.startsWith('"')) return Buffer.from(name, 'latin1');
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    );
  return Buffer.from(bytes, 'latin1');
}

import type { DiffFile } from '../../src/features/diff/types.ts';

export function file(path: string, lines: readonly string[], more: Partial<DiffFile> = {}): DiffFile {
  return {
    path,
    oldPath: null,
    status: 'modified',
    oldMode: '100644',
    newMode: '100644',
    binary: false,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    hunks: lines.length === 0 ? [] : [hunkAt(1, lines)],
    truncated: false,
    invalidUtf8: false,
    ...more,
  };
}

/** Returns a hunk at the same line of both versions. */
export function hunkAt(start: number, lines: readonly string[]): DiffFile['hunks'][number] {
  return {
    oldStart: start,
    oldLines: lines.filter((line) => /^[ -]/.test(line)).length,
    newStart: start,
    newLines: lines.filter((line) => /^[ +]/.test(line)).length,
    header: `@@ -${start} +${start} @@`,
    lines: [...lines],
  };
}

import { useCallback, useState } from 'react';
import { readStored, writeStored } from '../../ui/local-storage.ts';
import type { DiffFile } from './types.ts';

/** Maps the path of each viewed file to the content hash that the file had when it was viewed. */
type Marks = Readonly<Record<string, string>>;

const known = new WeakMap<DiffFile, string>();

/** Returns a hash of everything that the diff shows of a file. It has 53 bits, so collisions are unlikely. */
export function contentHash(file: DiffFile): string {
  const before = known.get(file);
  if (before !== undefined) return before;
  const { path, oldPath, status, oldMode, newMode, binary, additions, deletions, hunks } = file;
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const add = (text: string) => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 2_654_435_761);
      low = Math.imul(low ^ code, 1_597_334_677);
    }
    high = Math.imul(high ^ 10, 2_654_435_761);
  };
  add(JSON.stringify([path, oldPath, status, oldMode, newMode, binary, additions, deletions]));
  for (const hunk of hunks) {
    add(`${hunk.oldStart} ${hunk.newStart}`);
    for (const line of hunk.lines) add(line);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const mark = (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
  known.set(file, mark);
  return mark;
}

/** Whether the current version of a file is marked as viewed. */
export function isViewed(file: DiffFile, marks: Marks): boolean {
  const mark = marks[file.path];
  return mark !== undefined && mark === contentHash(file);
}

/**
 * Returns `marks` with `file` marked as viewed or not viewed, and without marks of files that are no longer in the
 * diff.
 */
export function withMark(marks: Marks, file: DiffFile, viewed: boolean, files: readonly DiffFile[]): Marks {
  const next: Record<string, string> = {};
  for (const { path } of files) {
    const mark = marks[path];
    if (mark !== undefined) next[path] = mark;
  }
  if (viewed) next[file.path] = contentHash(file);
  else delete next[file.path];
  return next;
}

function areMarks(value: unknown): value is Marks {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

/**
 * Returns the marks of viewed files, stored in this browser. A file that changes after it was viewed counts as not
 * viewed.
 */
export function useViewed(worktreeId: string, files: readonly DiffFile[]) {
  const name = `agent-console.viewed.${worktreeId}`;
  const [marks, setMarks] = useState<Marks>(() => readStored(name, {}, areMarks));
  const setViewed = useCallback(
    (file: DiffFile, viewed: boolean) =>
      setMarks((before) => {
        const next = withMark(before, file, viewed, files);
        writeStored(name, Object.keys(next).length === 0 ? undefined : next);
        return next;
      }),
    [name, files],
  );
  return { marks, setViewed };
}

import { anchorOf, type Comment } from './comments.ts';
import { counterparts, linesOf, pairsOf, withoutWhitespaceChanges } from './lines.ts';
import type { DiffFile, Hunk, Line } from './types.ts';

export type Layout = 'unified' | 'split';

/** One row of the page: everything that is shown of the files lies in one list, of which only what is seen exists. */
export type Row =
  | { kind: 'file'; file: number; additions: number; deletions: number; collapsed: boolean }
  /** Why a file shows no lines; `show` where a click would bring them. */
  | { kind: 'note'; file: number; text: string; show: boolean }
  | { kind: 'hunk'; file: number; hunk: number; text: string }
  | { kind: 'line'; file: number; hunk: number; line: Line }
  | { kind: 'pair'; file: number; hunk: number; left: Line | undefined; right: Line | undefined }
  | { kind: 'comment'; file: number; comment: Comment; moved: boolean }
  | { kind: 'editor'; file: number };

/** A row with code. */
export type LineRow = Extract<Row, { kind: 'line' | 'pair' }>;

/** Lines of one file shown without being asked for; more is a generated file or data. */
export const LARGE_FILE_LINES = 1_500;

export interface Shown {
  layout: Layout;
  whitespace: boolean;
}

/** What someone opened or closed by hand, by path; otherwise viewed and large files are closed. */
export type Opened = Readonly<Record<string, boolean>>;

interface FileLines {
  hunks: { hunk: number; header: string; lines: Line[] }[];
  /** For each line that took another's place, that other one. */
  others: ReadonlyMap<Line, Line>;
  additions: number;
  deletions: number;
  count: number;
}

const withWhitespace = new WeakMap<DiffFile, FileLines>();
const withoutWhitespace = new WeakMap<DiffFile, FileLines>();

/** The lines of a file, worked out once. */
export function fileLines(file: DiffFile, whitespace: boolean): FileLines {
  const cache = whitespace ? withWhitespace : withoutWhitespace;
  const before = cache.get(file);
  if (before !== undefined) return before;
  const hunks = file.hunks.flatMap((each, hunk) => {
    const lines = whitespace ? linesOf(each) : withoutWhitespaceChanges(linesOf(each));
    if (!lines.some(({ kind }) => kind !== 'same')) return [];
    return [{ hunk, header: each.header, lines }];
  });
  const all = hunks.flatMap(({ lines }) => lines);
  const counted = (kind: Line['kind']) => all.filter((line) => line.kind === kind).length;
  const result: FileLines = {
    hunks,
    others: new Map(hunks.flatMap(({ lines }) => [...counterparts(lines)])),
    count: all.length,
    additions: whitespace ? file.additions : counted('added'),
    deletions: whitespace ? file.deletions : counted('removed'),
  };
  cache.set(file, result);
  return result;
}

/** Whether the lines of a file are shown. */
export function isOpen(file: DiffFile, viewed: boolean, opened: Opened): boolean {
  const byHand = opened[file.path];
  if (byHand !== undefined) return byHand;
  return !viewed && lineCount(file) <= LARGE_FILE_LINES;
}

/** All rows of some files. Comments, and the editor of the one being written, stand below their last line. */
export function rowsOf(
  files: readonly DiffFile[],
  shown: Shown & {
    isViewed: (file: DiffFile) => boolean;
    opened: Opened;
    comments: readonly Comment[];
    /** The comment being written. */
    editor: Comment | undefined;
  },
): Row[] {
  const rows: Row[] = [];
  const { editor } = shown;
  const comments =
    editor === undefined ? shown.comments : [...shown.comments.filter(({ id }) => id !== editor.id), editor];
  for (const [index, file] of files.entries()) {
    const { hunks, additions, deletions } = fileLines(file, shown.whitespace);
    const open = isOpen(file, shown.isViewed(file), shown.opened);
    rows.push({ kind: 'file', file: index, additions, deletions, collapsed: !open });
    const own = comments.filter(({ path }) => path === file.path);
    const below = new Map<string, Row[]>();
    const put = (hunk: number, at: number, row: Row) => {
      below.set(`${hunk}:${at}`, [...(below.get(`${hunk}:${at}`) ?? []), row]);
    };
    for (const comment of own) {
      const anchor = open ? anchorOf(comment, file) : undefined;
      const row: Row =
        comment === editor
          ? { kind: 'editor', file: index }
          : { kind: 'comment', file: index, comment, moved: anchor === undefined ? open : anchor.moved };
      if (anchor === undefined) rows.push(row);
      else put(anchor.hunk, anchor.at, row);
    }
    const note = noteOf(file, { open, shownHunks: hunks.length });
    if (note !== undefined && (!open || hunks.length === 0)) rows.push({ kind: 'note', file: index, ...note });
    if (!open) continue;
    for (const { hunk, header, lines } of hunks) {
      rows.push({ kind: 'hunk', file: index, hunk, text: header });
      if (shown.layout === 'unified') {
        for (const line of lines) {
          rows.push({ kind: 'line', file: index, hunk, line });
          take(rows, below, hunk, line.at);
        }
      } else {
        for (const { left, right } of pairsOf(lines)) {
          rows.push({ kind: 'pair', file: index, hunk, left, right });
          if (left !== undefined) take(rows, below, hunk, left.at);
          if (right !== undefined && right !== left) take(rows, below, hunk, right.at);
        }
      }
    }
    for (const left of below.values()) rows.push(...left);
    if (note !== undefined && hunks.length > 0) rows.push({ kind: 'note', file: index, ...note });
  }
  return rows;
}

function take(rows: Row[], below: Map<string, Row[]>, hunk: number, at: number): void {
  const waiting = below.get(`${hunk}:${at}`);
  if (waiting === undefined) return;
  rows.push(...waiting);
  below.delete(`${hunk}:${at}`);
}

function noteOf(
  file: DiffFile,
  { open, shownHunks }: { open: boolean; shownHunks: number },
): { text: string; show: boolean } | undefined {
  const count = lineCount(file);
  if (!open) {
    if (count > LARGE_FILE_LINES) return { text: `Large: ${count.toLocaleString('en')} lines.`, show: true };
    return undefined;
  }
  if (file.binary) return { text: 'A binary file, or one too large to compare.', show: false };
  if (file.truncated) {
    if (file.path.endsWith('/'))
      return { text: 'A git repository of its own; look into it in a terminal.', show: false };
    const rest = file.hunks.length === 0 ? 'It is too long to be shown here' : 'The rest is too long to be shown here';
    return { text: `${rest}; look at it in a terminal with git diff.`, show: false };
  }
  if (shownHunks > 0) return undefined;
  if (file.hunks.length > 0) return { text: 'Only whitespace changed.', show: false };
  if (file.status === 'renamed' || file.status === 'copied')
    return { text: 'The content did not change.', show: false };
  if (file.status === 'added' || file.status === 'untracked') return { text: 'An empty file.', show: false };
  if (file.status === 'deleted') return { text: 'The file was empty.', show: false };
  return { text: 'Only its mode or type changed.', show: false };
}

function lineCount(file: DiffFile): number {
  return file.hunks.reduce((sum, hunk: Hunk) => sum + hunk.lines.length, 0);
}

import { anchorOf, type Comment } from './comments.ts';
import { counterparts, linesOf, pairsOf, withoutWhitespaceChanges } from './lines.ts';
import type { DiffFile, Hunk, Line } from './types.ts';

export type Layout = 'unified' | 'split';

/** A row of the diff view. One virtual list contains the rows of all files. */
export type Row =
  | { kind: 'file'; file: number; additions: number; deletions: number; collapsed: boolean }
  /** Explains why a file shows no lines or only some. If `show` is true, a button shows the file's lines. */
  | { kind: 'note'; file: number; text: string; show: boolean }
  | { kind: 'hunk'; file: number; hunk: number; text: string }
  | { kind: 'line'; file: number; hunk: number; line: Line }
  | { kind: 'pair'; file: number; hunk: number; left: Line | undefined; right: Line | undefined }
  /** `isOutdated`: whether the commented lines are no longer in the diff. */
  | { kind: 'comment'; file: number; comment: Comment; moved: boolean; isOutdated: boolean }
  | { kind: 'editor'; file: number };

/** A row that shows code: one line, or two lines side by side. */
export type LineRow = Extract<Row, { kind: 'line' | 'pair' }>;

/**
 * Number of lines in the diff of a file above which the file starts collapsed, because it is usually generated or data.
 */
export const LARGE_FILE_LINES = 1_500;

/**
 * Whether a file is expanded, by path, for each file that a person expanded or collapsed. By default, viewed and large
 * files are collapsed.
 */
export type Opened = Readonly<Record<string, boolean>>;

interface FileLines {
  hunks: { hunk: number; header: string; lines: Line[] }[];
  /** Maps each replaced line to the corresponding line in the other version. */
  others: ReadonlyMap<Line, Line>;
  additions: number;
  deletions: number;
  count: number;
}

const withWhitespace = new WeakMap<DiffFile, FileLines>();
const withoutWhitespace = new WeakMap<DiffFile, FileLines>();

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

/**
 * Returns the rows of the files. Comments and the editor appear below the last line they refer to or, if the file is
 * collapsed or no longer has that line, below the file's heading.
 */
export function rowsOf(
  files: readonly DiffFile[],
  shown: {
    layout: Layout;
    whitespace: boolean;
    isViewed: (file: DiffFile) => boolean;
    opened: Opened;
    comments: readonly Comment[];
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
          : {
              kind: 'comment',
              file: index,
              comment,
              moved: anchor === undefined ? open : anchor.moved,
              isOutdated: open && anchor === undefined,
            };
      if (anchor === undefined) rows.push(row);
      else put(anchor.hunk, anchor.at, row);
    }
    const note = noteOf(file, open, hunks.length);
    if (note !== undefined && (!open || hunks.length === 0))
      rows.push({ kind: 'note', file: index, text: note, show: !open });
    if (!open) continue;
    for (const { hunk, header, lines } of hunks) {
      rows.push({ kind: 'hunk', file: index, hunk, text: header });
      if (shown.layout === 'unified') {
        for (const line of lines) {
          rows.push({ kind: 'line', file: index, hunk, line });
          flush(rows, below, hunk, line.at);
        }
      } else {
        for (const { left, right } of pairsOf(lines)) {
          rows.push({ kind: 'pair', file: index, hunk, left, right });
          if (left !== undefined) flush(rows, below, hunk, left.at);
          if (right !== undefined && right !== left) flush(rows, below, hunk, right.at);
        }
      }
    }
    for (const left of below.values()) rows.push(...left);
    if (note !== undefined && hunks.length > 0) rows.push({ kind: 'note', file: index, text: note, show: !open });
  }
  return rows;
}

function flush(rows: Row[], below: Map<string, Row[]>, hunk: number, at: number): void {
  if (below.size === 0) return;
  const waiting = below.get(`${hunk}:${at}`);
  if (waiting === undefined) return;
  rows.push(...waiting);
  below.delete(`${hunk}:${at}`);
}

/** Explains why a file shows no lines or only some; undefined if no explanation is needed. */
function noteOf(file: DiffFile, open: boolean, shownHunks: number): string | undefined {
  const { status, path, hunks } = file;
  if (!open) {
    const count = lineCount(file);
    if (count <= LARGE_FILE_LINES) return undefined;
    return `This diff has ${count.toLocaleString('en')} lines. Large diffs are not shown by default.`;
  }
  if (file.binary) return 'Binary file, or file too large to compare.';
  if (file.truncated) {
    if (path.endsWith('/')) return 'Nested git repository. Open a terminal in its folder to see its changes.';
    const rest = hunks.length === 0 ? 'This diff is too long to show' : 'The rest of this diff is too long to show';
    return status === 'untracked'
      ? `${rest}. Open the file in an editor or a terminal.`
      : `${rest}. To see it, run git diff with the base commit in a terminal.`;
  }
  if (file.invalidUtf8) return 'Bytes that are not UTF-8 are shown as �.';
  if (shownHunks > 0) return undefined;
  if (hunks.length > 0) return 'Only whitespace changes.';
  if (status === 'renamed' || status === 'copied') return 'File content unchanged.';
  if (status === 'added' || status === 'untracked') return 'Empty file.';
  return status === 'deleted' ? 'Empty file deleted.' : 'File mode or type changed.';
}

function lineCount(file: DiffFile): number {
  return file.hunks.reduce((sum, hunk: Hunk) => sum + hunk.lines.length, 0);
}

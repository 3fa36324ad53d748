import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useOperationQuery } from '../../api/operations.ts';
import { keysInForce } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcutList, useShortcuts } from '../../shell/shortcuts.ts';
import { useSize } from '../../ui/element-size.ts';
import { useStoredChoice } from '../../ui/local-storage.ts';
import { toast } from '../../ui/toasts.ts';
import { beginReview, toggleReviewFocus, useReviewFocus } from '../sessions/review-focus.ts';
import { locationOf, markAsSent, useComments, useDraft } from './comments.ts';
import { FileList } from './FileList.tsx';
import { inTreeOrder } from './file-tree.ts';
import { Hunks, type HunksHandle, type RowLayout } from './Hunks.tsx';
import { carryColours, coloursOfHunk } from './highlight.ts';
import { NoChanges } from './NoChanges.tsx';
import { OrphanedComments } from './OrphanedComments.tsx';
import { ReviewBar } from './ReviewBar.tsx';
import { ReviewRow, type RowActions, selectedSideOf } from './ReviewRow.tsx';
import { isOpen, type Opened, type Row, rowsOf } from './rows.ts';
import { SendComments } from './SendComments.tsx';
import { firstChange, lineOfRow, linesIn, nextRow, type Selection } from './selection.ts';
import type { Diff, DiffFile } from './types.ts';
import { useLineSelection } from './use-line-selection.ts';
import { useStableCallbacks } from './use-stable-callbacks.ts';
import { isViewed as isMarked, useViewed } from './viewed.ts';

/**
 * Minimum width of the review, in pixels, to show the file list beside the diff. In a narrower review, the file list
 * covers the diff.
 */
const LIST_FROM_PX = 700;
/** Minimum width of the review for the wider file list. */
const WIDE_FROM_PX = 1_000;
const LIST_PX = 224;
const LIST_WIDE_PX = 288;
/** Minimum width of the diff's lines, in pixels, for the split layout. */
const SPLIT_FROM_PX = 640;

/** The files of a diff with their lines. Manages the display options, the selection and the scroll position. */
export function Review({ diff, sessionId, problem }: { diff: Diff; sessionId: string; problem?: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  const hunks = useRef<HunksHandle>(null);
  const filterBox = useRef<HTMLInputElement>(null);
  const width = useSize(root, ({ clientWidth }) => clientWidth, window.innerWidth);
  const [layout, setLayout] = useStoredChoice('agent-console.diff-layout', ['unified', 'split']);
  const [whitespaceChoice, setWhitespace] = useStoredChoice('agent-console.diff-whitespace', ['shown', 'hidden']);
  const [filter, setFilter] = useState('');
  const [opened, setOpened] = useState<Opened>({});
  const [current, setCurrent] = useState<string>();
  const [listOpen, setListOpen] = useState(false);
  /** Path of the file to scroll to once the file that was just marked as viewed has collapsed. */
  const next = useRef<string>(undefined);
  const { marks, setViewed } = useViewed(diff.worktreeId, diff.files);
  const { comments, put, remove } = useComments(sessionId);
  const unsent = useMemo(() => comments.filter(({ sent }) => sent === undefined), [comments]);
  const tasks = useOperationQuery('sessions.get', { sessionId }).data?.tasks;
  const isFocused = useReviewFocus();
  useLayoutEffect(beginReview, []);
  const draft = useDraft(sessionId);
  const { editing } = draft;

  const whitespace = whitespaceChoice === 'shown';
  const narrow = width < LIST_FROM_PX;
  const listPx = narrow ? 0 : width < WIDE_FROM_PX ? LIST_PX : LIST_WIDE_PX;
  const roomForBoth = width - listPx >= SPLIT_FROM_PX;
  const split = layout === 'split' && roomForBoth;
  const isViewed = useCallback((file: DiffFile) => isMarked(file, marks), [marks]);
  const files = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    return inTreeOrder(
      wanted === '' ? diff.files : diff.files.filter(({ path }) => path.toLowerCase().includes(wanted)),
    );
  }, [diff.files, filter]);
  const rows = useMemo(
    () =>
      rowsOf(files, {
        layout: split ? 'split' : 'unified',
        whitespace,
        isViewed,
        opened,
        comments,
        editor: editing?.comment,
      }),
    [files, split, whitespace, isViewed, opened, comments, editing],
  );
  const before = useRef(diff.files);
  carryColours(before.current, diff.files);
  before.current = diff.files;
  const paths = useMemo(() => new Set(diff.files.map(({ path }) => path)), [diff.files]);
  const isListed = (path: string) => paths.has(path);
  const digits = useMemo(() => String(highestLine(diff.files)).length, [diff.files]);

  const edit = (selection: Selection | undefined) => {
    const location = selection && locationOf(selection.path, linesIn(files, selection, whitespace));
    if (location === undefined) return;
    // The text of an unfinished comment moves to the lines selected now, so that it is not lost.
    draft.begin({ ...location, id: crypto.randomUUID(), text: draft.latest()?.text ?? '' });
  };
  const choosing = useLineSelection({ files, rows, whitespace }, edit);
  const { selection } = choosing;
  const { choose } = useStableCallbacks({ choose: choosing.choose });
  const closeEditor = () => {
    draft.end();
    choosing.setSelection(undefined);
    hunks.current?.focus();
  };
  const actions: RowActions = useStableCallbacks<RowActions>({
    toggle: (file) => setOpened((before) => ({ ...before, [file.path]: !isOpen(file, isViewed(file), before) })),
    setViewed(file, viewed) {
      setViewed(file, viewed);
      setOpened(({ [file.path]: _, ...others }) => others);
    },
    press: choosing.press,
    drag: choosing.drag,
    editComment(comment) {
      // If another comment is still being written, it is added as it is, so that its text is not lost.
      const written = draft.latest();
      if (written !== undefined && written.text.trim() !== '') put(written);
      draft.begin(comment);
    },
    removeComment: ({ id }) => remove([id]),
    writeDraft: draft.write,
    finishDraft() {
      const written = draft.latest();
      if (written !== undefined) put(written);
      closeEditor();
    },
    cancelDraft: closeEditor,
  });

  const headingOf = (path: string | undefined) =>
    rows.findIndex((row) => row.kind === 'file' && files[row.file]?.path === path);
  const here = () => {
    const row = choosing.row();
    return row < 0 ? headingOf(current) : row;
  };
  /** Shows the next or previous file or hunk and selects its first changed line. Returns whether it has one. */
  const step = (kind: 'file' | 'hunk', by: 1 | -1): boolean => {
    const index = nextRow(rows, here(), by, (row) => row.kind === kind);
    const row = index === undefined ? undefined : rows[index];
    if (index === undefined || row === undefined) return false;
    const line = rows[firstChange(rows, index) ?? -1];
    hunks.current?.show(index);
    choosing.choose(line);
    setCurrent(files[row.file]?.path);
    return line !== undefined;
  };
  useEffect(() => {
    const index = rows.findIndex((row) => row.kind === 'file' && files[row.file]?.path === next.current);
    if (next.current === undefined || index < 0) return;
    next.current = undefined;
    hunks.current?.show(index);
    choose(rows[firstChange(rows, index) ?? -1]);
  }, [rows, files, choose]);
  const marked = () => files.find(({ path }) => path === (selection?.path ?? current));
  const toggle = () => {
    const file = marked();
    if (file !== undefined) actions.toggle(file);
  };
  const view = () => {
    const file = marked();
    if (file === undefined) return;
    const viewed = !isViewed(file);
    next.current = viewed ? files[files.indexOf(file) + 1]?.path : undefined;
    actions.setViewed(file, viewed);
  };
  const showNextUnviewed = () => {
    const row = rows[here()];
    const start = row === undefined ? 0 : row.file + 1;
    const file = [...files.slice(start), ...files.slice(0, start)].find((each) => !isViewed(each));
    const index = headingOf(file?.path);
    if (index < 0) return;
    hunks.current?.show(index);
    choosing.choose(rows[firstChange(rows, index) ?? -1]);
    setCurrent(file?.path);
  };
  const comment = () => {
    if (selection !== undefined) return edit(selection);
    // If no lines are selected, the shortcut selects the first changed line of the next hunk. Used again, it comments on
    // that line.
    const isSelected = step('hunk', 1);
    const keys = keysInForce(useShortcutList.getState().shortcuts, 'comment-on-the-selected-lines');
    toast({
      id: 'comment',
      kind: 'plain',
      title: isSelected ? 'Line selected' : 'No line was selected',
      text: isSelected
        ? keys === undefined
          ? 'Move the selection with ↑ ↓ or extend it with Shift.'
          : `Move the selection with ↑ ↓, extend it with Shift, or press ${keys} to comment.`
        : 'There are no changed lines below. Expand a file or scroll up, and try again.',
    });
  };
  const openFilter = () => {
    flushSync(() => setListOpen(true));
    filterBox.current?.focus();
  };
  // The review registers its shortcuts after the page, so they take precedence.
  useShortcuts(
    shortcutsOf(KEYS.diff, {
      'next-file': () => step('file', 1),
      'previous-file': () => step('file', -1),
      'next-hunk': () => step('hunk', 1),
      'previous-hunk': () => step('hunk', -1),
      'comment-on-the-selected-lines': comment,
      'next-file-that-is-not-viewed': showNextUnviewed,
      'focus-mode-hide-session-list-and-details': toggleReviewFocus,
      'mark-file-as-viewed-and-go-to-the-next': view,
      'expand-or-collapse-file': toggle,
      'switch-between-unified-and-split': () => setLayout(layout === 'split' ? 'unified' : 'split'),
      'show-or-hide-whitespace-changes': () => setWhitespace(whitespace ? 'hidden' : 'shown'),
      'filter-files': openFilter,
    }),
  );
  const onArrow = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (by !== undefined) {
      const next = nextRow(rows, here(), by, (row) => lineOfRow(row) !== undefined);
      if (next === undefined) return;
      choosing.choose(rows[next], event.shiftKey);
      hunks.current?.show(next, true);
    } else if (event.key === 'Escape' && selection !== undefined) choosing.setSelection(undefined);
    else return;
    event.preventDefault();
  };

  /**
   * Returns the open comment with the text typed so far. `draft` contains this text even if scrolling has unmounted the
   * editor.
   */
  const written = () => editing && { ...editing, comment: draft.latest() ?? editing.comment };
  const renderRow = (row: Row, rowLayout: RowLayout): ReactNode => {
    const file = files[row.file];
    if (file === undefined) return null;
    return (
      <ReviewRow
        {...rowLayout}
        actions={actions}
        chosen={selectedSideOf(row, choosing.lines, selection?.side)}
        colours={'hunk' in row ? coloursOfHunk(file.hunks[row.hunk]) : undefined}
        digits={digits}
        editing={row.kind === 'editor' ? written() : undefined}
        task={row.kind === 'comment' ? tasks?.find(({ id }) => id === row.comment.sent?.taskId) : undefined}
        file={file}
        row={row}
        viewed={row.kind === 'file' && isViewed(file)}
        whitespace={whitespace}
      />
    );
  };
  const list = (
    <FileList
      comments={unsent}
      current={current}
      files={files}
      filter={filter}
      filterRef={filterBox}
      isViewed={isViewed}
      moreFiles={diff.moreFiles}
      onChoose={(file) => {
        const index = headingOf(file.path);
        if (index >= 0) hunks.current?.show(index);
        choosing.setSelection(undefined);
        setListOpen(false);
      }}
      onFilter={setFilter}
      total={diff.files.length}
    />
  );
  return (
    <div className="diff flex h-full min-h-0 flex-col" ref={root}>
      <ReviewBar
        diff={diff}
        sessionId={sessionId}
        layout={layout}
        isFocused={isFocused}
        narrow={narrow}
        onFocus={toggleReviewFocus}
        onNextUnviewed={showNextUnviewed}
        unviewed={diff.files.filter((file) => !isViewed(file)).length}
        onFiles={() => setListOpen(!listOpen)}
        onLayout={setLayout}
        onWhitespace={(shown) => setWhitespace(shown ? 'shown' : 'hidden')}
        roomForBoth={roomForBoth}
        whitespace={whitespace}
      >
        <SendComments
          comments={unsent}
          diff={diff}
          onSent={(ids, taskId, focused) => {
            markAsSent(sessionId, ids, taskId);
            if (focused) hunks.current?.focus();
          }}
          sessionId={sessionId}
        />
      </ReviewBar>
      {problem}
      <OrphanedComments
        actions={actions}
        comments={unsent.filter(({ id, path }) => id !== editing?.comment.id && !isListed(path))}
        editing={editing !== undefined && !isListed(editing.comment.path) ? written() : undefined}
      />
      <div className="relative flex min-h-0 flex-1">
        {!narrow && (
          <div className="h-full shrink-0 border-r border-line" style={{ width: listPx }}>
            {list}
          </div>
        )}
        {narrow && listOpen && <div className="absolute inset-0 z-20 bg-bg">{list}</div>}
        <div className="min-w-0 flex-1 [anchor-name:--view]">
          {diff.files.length === 0 ? (
            <NoChanges diff={diff} sessionId={sessionId} />
          ) : (
            <Hunks
              digits={digits}
              files={files}
              onArrow={onArrow}
              onFile={setCurrent}
              ref={hunks}
              renderRow={renderRow}
              rows={rows}
              split={split}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function highestLine(files: readonly DiffFile[]): number {
  let highest = 0;
  for (const { hunks } of files) {
    const last = hunks.at(-1);
    if (last !== undefined) highest = Math.max(highest, last.newStart + last.newLines, last.oldStart + last.oldLines);
  }
  return highest;
}

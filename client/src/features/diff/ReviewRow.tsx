import type { Task } from '@agent-console/shared/models/task';
import { memo, type PointerEvent } from 'react';
import { CommentCard, CommentEditor } from './CommentBox.tsx';
import { type Comment, commentState, type Editing, rangeOf } from './comments.ts';
import { FileHeader } from './FileHeader.tsx';
import type { Colours } from './highlight.ts';
import { SplitLine, UnifiedLine } from './LineRow.tsx';
import { fileLines, type LineRow, type Row } from './rows.ts';
import type { DiffFile, Line, Side } from './types.ts';

/** Functions that rows call. They never change, so that memoized rows do not render again. */
export type RowActions = {
  toggle(file: DiffFile): void;
  setViewed(file: DiffFile, viewed: boolean): void;
  press(row: LineRow, line: Line, side: Side | undefined, event: PointerEvent): void;
  drag(row: LineRow, line: Line): void;
  editComment(comment: Comment): void;
  removeComment(comment: Comment): void;
  writeDraft(text: string): void;
  finishDraft(): void;
  cancelDraft(): void;
};

export const ReviewRow = memo(function ReviewRow(
  props: LinesProps & {
    row: Row;
    viewed: boolean;
    editing: Editing | undefined;
    /** The task whose prompt contains the sent comment. */
    task: Task | undefined;
  },
) {
  const { row, file, viewed, editing, task, ...lines } = props;
  const { actions } = lines;
  switch (row.kind) {
    case 'file':
      return (
        <FileHeader
          additions={row.additions}
          collapsed={row.collapsed}
          deletions={row.deletions}
          file={file}
          onToggle={() => actions.toggle(file)}
          onViewed={(value) => actions.setViewed(file, value)}
          viewed={viewed}
        />
      );
    case 'note':
      return (
        <p className="flex min-h-10 items-center gap-3 px-9 py-1.5 text-quiet">
          {row.text}
          {row.show && (
            <button
              className="text-accent underline max-md:min-h-10"
              onClick={() => actions.toggle(file)}
              type="button"
            >
              Load diff
            </button>
          )}
        </p>
      );
    case 'hunk':
      return (
        <div className="diff-line diff-heading h-6 bg-sunken px-3 text-quiet" title={row.text}>
          {row.text}
        </div>
      );
    case 'comment':
      return (
        <CommentCard
          comment={row.comment}
          state={commentState(row.comment, row.isOutdated, task)}
          onEdit={() => actions.editComment(row.comment)}
          onRemove={() => actions.removeComment(row.comment)}
        />
      );
    case 'editor':
      return editing && <DraftEditor actions={actions} editing={editing} />;
    case 'line':
    case 'pair':
      return <Lines {...lines} file={file} row={row} />;
  }
});

export function DraftEditor({ editing: { comment, begun }, actions }: { editing: Editing; actions: RowActions }) {
  const name = comment.path.split('/').at(-1);
  return (
    <CommentEditor
      focused={begun}
      key={comment.id}
      onCancel={actions.cancelDraft}
      onDone={actions.finishDraft}
      onText={actions.writeDraft}
      text={comment.text}
      title={`${name}, ${comment.from === comment.to ? 'line' : 'lines'} ${rangeOf(comment)}`}
    />
  );
}

interface LinesProps {
  file: DiffFile;
  whitespace: boolean;
  digits: number;
  columns: number;
  height: number | undefined;
  colours: Colours | undefined;
  chosen: Side | 'both' | undefined;
  actions: RowActions;
}

function Lines({ row, file, whitespace, chosen, actions, ...style }: LinesProps & { row: LineRow }) {
  const hunk = file.hunks[row.hunk];
  if (hunk === undefined) return null;
  const others = fileLines(file, whitespace).others;
  const common = {
    ...style,
    hunk,
    onPress: (line: Line, side: Side | undefined, event: PointerEvent) => actions.press(row, line, side, event),
    onDrag: (line: Line) => actions.drag(row, line),
  };
  if (row.kind === 'line') {
    return <UnifiedLine {...common} line={row.line} other={others.get(row.line)} selected={chosen !== undefined} />;
  }
  const { left, right } = row;
  return (
    <SplitLine
      {...common}
      left={left}
      leftOther={left && others.get(left)}
      right={right}
      rightOther={right && others.get(right)}
      selectedSide={chosen}
    />
  );
}

/** Returns the selected side of a row: `old`, `new` or `both`; undefined if no line of the row is selected. */
export function selectedSideOf(row: Row, lines: ReadonlySet<Line>, side: Side | undefined): Side | 'both' | undefined {
  if (lines.size === 0) return undefined;
  if (row.kind === 'line') return lines.has(row.line) ? 'both' : undefined;
  if (row.kind !== 'pair') return undefined;
  const old = row.left !== undefined && lines.has(row.left) && side !== 'new';
  const fresh = row.right !== undefined && lines.has(row.right) && side !== 'old';
  if (old && fresh) return 'both';
  if (old) return 'old';
  return fresh ? 'new' : undefined;
}

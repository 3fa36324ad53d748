import { memo, type PointerEvent } from 'react';
import { CodeText } from './CodeLine.tsx';
import type { Colours } from './highlight.ts';
import type { Hunk, Line, Side } from './types.ts';

/**
 * CSS classes of a line of code. Fast scrolling renders about forty rows per frame, so a row has few elements and
 * classes.
 */
const KINDS = { same: 'diff-code', added: 'diff-code diff-added', removed: 'diff-code diff-removed' } as const;

interface LineProps {
  hunk: Hunk;
  colours: Colours | undefined;
  columns: number;
  /** Width of a line number in characters. */
  digits: number;
  /** Height of the row in pixels; undefined if it must be measured. */
  height: number | undefined;
  /** Called when the pointer is pressed on a line number. */
  onPress(line: Line, side: Side | undefined, event: PointerEvent): void;
  /** Called when the pointer is dragged to another line number. */
  onDrag(line: Line, side: Side | undefined): void;
}

export const UnifiedLine = memo(function UnifiedLine(
  props: LineProps & { line: Line; other: Line | undefined; selected: boolean },
) {
  const { height, ...cells } = props;
  return (
    <div className={height === undefined ? 'diff-unified' : 'diff-unified diff-fixed'} style={{ height }}>
      <Cells {...cells} side={undefined} />
    </div>
  );
});

export const SplitLine = memo(function SplitLine(
  props: LineProps & {
    left: Line | undefined;
    right: Line | undefined;
    leftOther: Line | undefined;
    rightOther: Line | undefined;
    selectedSide: Side | 'both' | undefined;
  },
) {
  const { left, right, leftOther, rightOther, selectedSide, height, ...rest } = props;
  const both = selectedSide === 'both';
  return (
    <div className={height === undefined ? 'diff-split' : 'diff-split diff-fixed'} style={{ height }}>
      <Cells {...rest} line={left} other={leftOther} selected={both || selectedSide === 'old'} side="old" />
      <Cells {...rest} line={right} other={rightOther} selected={both || selectedSide === 'new'} side="new" />
    </div>
  );
});

type CellsProps = Omit<LineProps, 'height'> & {
  line: Line | undefined;
  other: Line | undefined;
  side: Side | undefined;
  selected: boolean;
};

/** Number and code of a line, on one side of the split layout or in the unified layout. */
function Cells({ line, side, selected, digits, onPress, onDrag, ...code }: CellsProps) {
  if (line === undefined) return <div className="diff-nothing" />;
  const number = line.kind === 'same' ? 'diff-number' : `diff-number diff-number-${line.kind}`;
  const old = padded(line.old, digits);
  const fresh = padded(line.new, digits);
  return (
    <>
      <button
        aria-label={`Comment on line ${(side === 'new' ? line.new : line.old) ?? line.new ?? 0}`}
        className={selected ? `${number} bg-selected text-text` : number}
        onPointerDown={(event) => onPress(line, side, event)}
        onPointerEnter={() => onDrag(line, side)}
        tabIndex={-1}
        title="Comment on this line. Drag to select more lines."
        type="button"
      >
        {side === undefined ? `${old} ${fresh}` : side === 'old' ? old : fresh}
      </button>
      <div className={selected ? `${KINDS[line.kind]} bg-selected` : KINDS[line.kind]}>
        <CodeText {...code} line={line} />
      </div>
    </>
  );
}

function padded(number: number | undefined, digits: number): string {
  return String(number ?? '').padStart(digits);
}

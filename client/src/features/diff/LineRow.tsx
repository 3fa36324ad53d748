import { memo, type PointerEvent } from 'react';
import { type CodeProps, CodeText } from './CodeLine.tsx';
import type { Colours } from './highlight.ts';
import type { Hunk, Line, Side } from './types.ts';

/** Uses few elements and classes, because fast scrolling creates some forty lines per frame. */
const KINDS = { same: 'diff-code', added: 'diff-code diff-added', removed: 'diff-code diff-removed' } as const;

/** Pressing a line number starts a comment; dragging extends it to other lines. */
interface Pressing {
  onPress(line: Line, side: Side | undefined, event: PointerEvent): void;
  onDrag(line: Line, side: Side | undefined): void;
}

interface LineProps extends Pressing {
  hunk: Hunk;
  colours: Colours | undefined;
  columns: number;
  /** Width of a line number in characters. */
  digits: number;
  /** In pixels, if known in advance. */
  height: number | undefined;
}

/** A line of the unified layout, with its number in both versions. */
export const UnifiedLine = memo(function UnifiedLine(
  props: LineProps & { line: Line; other: Line | undefined; selected: boolean },
) {
  const { line, other, digits, selected, height, onPress, onDrag, ...code } = props;
  return (
    <div className={height === undefined ? 'diff-unified' : 'diff-unified diff-fixed'} style={{ height }}>
      <LineNumber
        line={line}
        onDrag={onDrag}
        onPress={onPress}
        selected={selected}
        side={undefined}
        text={`${padded(line.old, digits)} ${padded(line.new, digits)}`}
      />
      <Code {...code} line={line} other={other} selected={selected} />
    </div>
  );
});

/** A row of the split layout. */
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
      <Half {...rest} line={left} other={leftOther} selected={both || selectedSide === 'old'} side="old" />
      <Half {...rest} line={right} other={rightOther} selected={both || selectedSide === 'new'} side="new" />
    </div>
  );
});

function Half(
  props: Omit<LineProps, 'height'> & { line: Line | undefined; other: Line | undefined; side: Side; selected: boolean },
) {
  const { line, other, side, selected, digits, onPress, onDrag, ...code } = props;
  if (line === undefined) return <div className="diff-nothing" />;
  return (
    <>
      <LineNumber
        line={line}
        onDrag={onDrag}
        onPress={onPress}
        selected={selected}
        side={side}
        text={padded(side === 'old' ? line.old : line.new, digits)}
      />
      <Code {...code} line={line} other={other} selected={selected} />
    </>
  );
}

function Code({ selected, ...code }: CodeProps & { selected: boolean }) {
  const kind = KINDS[code.line.kind];
  return (
    <div className={selected ? `${kind} bg-selected` : kind}>
      <CodeText {...code} />
    </div>
  );
}

function LineNumber(props: Pressing & { line: Line; side: Side | undefined; text: string; selected: boolean }) {
  const { line, side, text, selected, onPress, onDrag } = props;
  const kind = line.kind === 'same' ? 'diff-number' : `diff-number diff-number-${line.kind}`;
  return (
    <button
      aria-label={`Comment on line ${(side === 'new' ? line.new : line.old) ?? line.new ?? 0}`}
      className={selected ? `${kind} bg-selected text-text` : kind}
      onPointerDown={(event) => onPress(line, side, event)}
      onPointerEnter={() => onDrag(line, side)}
      tabIndex={-1}
      title="Comment on this line; drag for more lines"
      type="button"
    >
      {text}
    </button>
  );
}

function padded(number: number | undefined, digits: number): string {
  return String(number ?? '').padStart(digits);
}

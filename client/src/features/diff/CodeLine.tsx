import { memo, type ReactNode } from 'react';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import type { Colour } from './colours.ts';
import { type Colours, piecesOf } from './highlight.ts';
import { lineNote, shownLength } from './line-text.ts';
import { changedPart } from './lines.ts';
import type { Hunk, Line } from './types.ts';
import { breaksOf } from './wrap.ts';

const CLASSES: Record<Colour, string> = {
  comment: 'code-comment',
  string: 'code-string',
  keyword: 'code-keyword',
  number: 'code-number',
  name: 'code-name',
  type: 'code-type',
  plain: '',
};

interface Part {
  text: string;
  className: string;
}

export interface CodeProps {
  line: Line;
  /** The line in the other version that replaces this line or was replaced by it. */
  other: Line | undefined;
  hunk: Hunk;
  colours: Colours | undefined;
  columns: number;
}

/** One line of code: highlighted, with its changed part marked, and wrapped at `columns`. */
export const CodeText = memo(function CodeText({ line, other, hunk, colours, columns }: CodeProps) {
  const parts = partsOf(line, other, piecesOf(hunk, line.at, colours));
  const text = parts.map((part) => part.text).join('');
  const breaks = breaksOf(text, columns);
  if (breaks === undefined) return <span className="diff-loose">{drawn(parts)}</span>;
  if (breaks.length < 2) return drawn(parts);
  const rows: ReactNode[] = [];
  let rest = parts;
  let from = 0;
  for (const end of breaks) {
    const [row, left] = splitAt(rest, end - from);
    if (from > 0) rows.push(<wbr key={`break ${from}`} />);
    rows.push(
      <span className="diff-row" key={from}>
        {drawn(row)}
      </span>,
    );
    rest = left;
    from = end;
  }
  return <span className="diff-rows">{rows}</span>;
});

function partsOf(line: Line, other: Line | undefined, pieces: readonly { text: string; colour: Colour }[]): Part[] {
  const changed = other === undefined ? undefined : changedPart(line.text, other.text);
  const strong = line.kind === 'removed' ? 'diff-changed-removed' : 'diff-changed-added';
  const parts: Part[] = [];
  const end = shownLength(line);
  let from = 0;
  for (const { text, colour } of pieces) {
    if (from >= end) break;
    const shown = text.slice(0, end - from);
    for (const [start, stop] of cutAt(from, from + shown.length, changed)) {
      const inside = changed !== undefined && start >= changed.from && stop <= changed.to;
      const className = inside ? `${CLASSES[colour]} ${strong}` : CLASSES[colour];
      parts.push({ text: escapeHidden(shown.slice(start - from, stop - from)), className });
    }
    from += text.length;
  }
  const remark = lineNote(line);
  if (remark !== '') parts.push({ text: remark, className: 'diff-remark' });
  return parts;
}

function drawn(parts: readonly Part[]): ReactNode {
  const [first] = parts;
  if (first === undefined) return null;
  if (parts.length === 1 && first.className === '') return first.text;
  return parts.map(({ text, className }, index) =>
    className === '' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are stateless
      <span className={className} key={index}>
        {text}
      </span>
    ),
  );
}

function splitAt(parts: readonly Part[], length: number): [Part[], Part[]] {
  const before: Part[] = [];
  const after: Part[] = [];
  let left = length;
  for (const { text, className } of parts) {
    if (left > 0) before.push({ text: text.slice(0, left), className });
    if (text.length > left) after.push({ text: text.slice(Math.max(0, left)), className });
    left -= text.length;
  }
  return [before, after];
}

/** Divides the range from `from` to `to` into the parts before, in and after the changed part. */
function cutAt(from: number, to: number, changed: { from: number; to: number } | undefined): [number, number][] {
  const cuts = [from, ...[changed?.from, changed?.to].filter((at) => at !== undefined && at > from && at < to), to];
  return cuts.slice(1).map((end, index) => [cuts[index] as number, end as number]);
}

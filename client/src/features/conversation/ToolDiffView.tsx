import { useMemo } from 'react';
import '../diff/diff.css';
import { pluralize } from '@agent-console/shared/pluralize';
import { CodeText } from '../diff/CodeLine.tsx';
import { coloursOfHunk, useColours, type VisibleHunk } from '../diff/highlight.ts';
import { languageOf } from '../diff/languages.ts';
import { counterparts, linesOf } from '../diff/lines.ts';
import type { Hunk, Line } from '../diff/types.ts';
import type { ToolDiff } from './tool-diff.ts';

/** Maximum number of diff lines shown for one changed file. */
const LINES_MAX = 600;
const CODE = { same: 'diff-code', added: 'diff-code diff-added', removed: 'diff-code diff-removed' } as const;
const NUMBER = {
  same: 'diff-number',
  added: 'diff-number diff-number-added',
  removed: 'diff-number diff-number-removed',
} as const;

export function ToolDiffView({ diff, path }: { diff: ToolDiff; path: string }) {
  const hunks = useMemo(() => within(diff.hunks ?? [], LINES_MAX), [diff]);
  const language = languageOf(path);
  useColours(
    useMemo<readonly VisibleHunk[]>(
      () => (language === undefined ? [] : hunks.map((hunk) => ({ hunk, language }))),
      [hunks, language],
    ),
  );
  if (diff.hunks === undefined) return <p className="px-3 py-2 text-quiet">Too many changes to compare.</p>;
  const left = diff.hunks.reduce((sum, { lines }) => sum + lines.length, 0) - LINES_MAX;
  return (
    <div className="tool-diff">
      {hunks.map((hunk, index) => (
        <div className={index === 0 ? '' : 'border-t border-line'} key={`${hunk.oldStart} ${hunk.newStart}`}>
          <HunkLines hunk={hunk} />
        </div>
      ))}
      {left > 0 && (
        <p className="px-3 py-2 text-quiet">{`${pluralize(left, 'more line is', 'more lines are')} not shown`}</p>
      )}
    </div>
  );
}

function HunkLines({ hunk }: { hunk: Hunk }) {
  const lines = useMemo(() => linesOf(hunk), [hunk]);
  const others = useMemo(() => counterparts(lines), [lines]);
  const colours = coloursOfHunk(hunk);
  return lines.map((line) => (
    <div className="diff-unified" key={line.at}>
      <span aria-hidden className={NUMBER[line.kind]}>
        {numberOf(line)}
      </span>
      <span className={CODE[line.kind]}>
        <CodeText
          colours={colours}
          columns={Number.POSITIVE_INFINITY}
          hunk={hunk}
          line={line}
          other={others.get(line)}
        />
      </span>
    </div>
  ));
}

function numberOf(line: Line): number | undefined {
  return line.kind === 'removed' ? line.old : line.new;
}

/** Returns the first hunks with at most `most` lines in total. The last hunk may be cut. */
function within(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    if (lines.length === 0) return [];
    return lines.length === hunk.lines.length ? [hunk] : [{ ...hunk, lines }];
  });
}

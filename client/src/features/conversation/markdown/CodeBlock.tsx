import { useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import '../../diff/diff.css';
import { CodeText } from '../../diff/CodeLine.tsx';
import { coloursOfHunk, useColours, type VisibleHunk } from '../../diff/highlight.ts';
import { type Language, languageNamed } from '../../diff/languages.ts';
import { linesOf } from '../../diff/lines.ts';
import type { Hunk } from '../../diff/types.ts';

/**
 * Time in milliseconds that code must stay unchanged before it is highlighted, so that growing code is not highlighted
 * with every chunk.
 */
const SETTLED_MS = 250;
const NONE: readonly VisibleHunk[] = [];

export function CodeBlock({ text, name }: { text: string; name: string }) {
  return (
    <figure className="group/code relative overflow-hidden rounded-md border border-line bg-sunken">
      {name === '' ? null : (
        <figcaption className="flex h-7 items-center border-b border-line px-3 text-sm text-quiet">
          <UntrustedText text={name} />
        </figcaption>
      )}
      <CopyButton
        className="absolute top-0.5 right-1 z-10 h-6! w-6 max-md:size-10! bg-sunken px-0! opacity-0 focus-visible:opacity-100 group-hover/code:opacity-100 max-md:opacity-100"
        icon
        kind="quiet"
        text={text}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
      <pre className="max-h-120 overflow-auto px-3 py-2" tabIndex={0}>
        <Code language={languageNamed(name)} text={text} />
      </pre>
    </figure>
  );
}

export function Code({ text, language }: { text: string; language: Language | undefined }) {
  const hunk = useMemo(() => hunkOf(text), [text]);
  const [settled, setSettled] = useState<Hunk>();
  useEffect(() => {
    if (language === undefined) return undefined;
    const timer = setTimeout(() => setSettled(hunk), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [hunk, language]);
  useColours(
    useMemo(
      () => (settled === undefined || language === undefined ? NONE : [{ hunk: settled, language }]),
      [settled, language],
    ),
  );
  const lines = useMemo(() => linesOf(hunk), [hunk]);
  const colours = coloursOfHunk(hunk);
  return (
    <code className="diff-line block w-max min-w-full" dir="ltr">
      {lines.map((line) => (
        <div className="min-h-5" key={line.at}>
          <CodeText colours={colours} columns={Number.POSITIVE_INFINITY} hunk={hunk} line={line} other={undefined} />
        </div>
      ))}
    </code>
  );
}

function hunkOf(text: string): Hunk {
  const lines = text.split('\n').map((line) => ` ${line}`);
  return { oldStart: 1, oldLines: lines.length, newStart: 1, newLines: lines.length, header: '', lines };
}

import { useEffect, useReducer } from 'react';
import { COLOURS, type Colour, type HighlightRequest, type HighlightResponse, type Run } from './colours.ts';
import { LANGUAGES, type Language } from './languages.ts';
import type { DiffFile, Hunk } from './types.ts';

export interface Piece {
  text: string;
  colour: Colour;
}
/** Colours of a hunk's lines, by the line's index in the hunk. */
export type Colours = readonly (readonly Run[] | undefined)[];

/**
 * Maximum number of lines, and of characters, of a hunk that is highlighted. Larger hunks are probably data. Tokenizing
 * 300 000 characters takes two to three seconds.
 */
const HUNK_MAX_LINES = 5_000;
const HUNK_MAX_CHARS = 300_000;
/** Time limit for highlighting a hunk, including the fetch of its grammar. A slower hunk is not highlighted. */
const TIMEOUT_MS = 10_000;
/** Time in milliseconds after which an idle web worker ends, because its compiled grammars use some 30 MB. */
const IDLE_MS = 60_000;
const NONE: Colours = [];

export interface VisibleHunk {
  hunk: Hunk;
  language: Language;
}

const known = new WeakMap<Hunk, Colours>();
/** The hunks in the viewport of each mounted view. The key is a function that renders the view again. */
const waiting = new Map<() => void, readonly VisibleHunk[]>();
let pending: { id: number; hunk: Hunk; timer: number } | undefined;
let worker: Worker | undefined;
let idle: number | undefined;
/** Languages whose grammar was sent to the web worker. */
const sent = new Set<Language>();
let lastId = 0;

/** Returns the colours of a hunk, or undefined until it is highlighted. */
export function coloursOfHunk(hunk: Hunk | undefined): Colours | undefined {
  return hunk && known.get(hunk);
}

/**
 * Splits a line of a hunk into coloured pieces; `at` is the line's index. Until the hunk is highlighted, the line is
 * one plain piece.
 */
export function piecesOf(hunk: Hunk, at: number, colours: Colours | undefined): readonly Piece[] {
  const text = hunk.lines[at]?.slice(1) ?? '';
  const pieces: Piece[] = [];
  let from = 0;
  for (const [length, colour] of colours?.[at] ?? []) {
    pieces.push({ text: text.slice(from, from + length), colour: COLOURS[colour] ?? 'plain' });
    from += length;
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from), colour: 'plain' });
  return pieces;
}

/** Highlights the hunks in the viewport one after another, and renders the view again after each hunk. */
export function useColours(shown: readonly VisibleHunk[]): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    return () => {
      waiting.delete(draw);
    };
  }, []);
  useEffect(() => {
    waiting.set(draw, shown);
    highlightNext();
  }, [shown]);
}

/**
 * Copies colours to the unchanged hunks of a diff that was fetched again, so that they do not appear plain for a
 * moment.
 */
export function carryColours(before: readonly DiffFile[], after: readonly DiffFile[]): void {
  if (before === after) return;
  const files = new Map(before.map((file) => [file.path, file]));
  for (const { path, hunks } of after) {
    const old = files.get(path)?.hunks.filter((hunk) => known.has(hunk)) ?? [];
    if (old.length === 0) continue;
    for (const hunk of hunks) {
      const same = known.has(hunk) ? undefined : old.find((each) => isSame(each.lines, hunk.lines));
      const colours = coloursOfHunk(same);
      if (colours !== undefined) known.set(hunk, colours);
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

function highlightNext(): void {
  if (pending !== undefined) return;
  const next = nextHunk();
  if (next === undefined) return;
  const { hunk, language } = next;
  const chars = hunk.lines.reduce((sum, line) => sum + line.length, 0);
  if (hunk.lines.length > HUNK_MAX_LINES || chars > HUNK_MAX_CHARS) {
    known.set(hunk, NONE);
    highlightNext();
    return;
  }
  clearTimeout(idle);
  lastId += 1;
  pending = { id: lastId, hunk, timer: window.setTimeout(endWorker, TIMEOUT_MS) };
  void sendRequest({ id: lastId, lines: hunk.lines, language });
}

async function sendRequest(request: Omit<HighlightRequest, 'grammar'>): Promise<void> {
  const { id, language } = request;
  try {
    const grammar = sent.has(language) ? undefined : (await LANGUAGES[language].grammar()).default;
    if (pending?.id !== id) return;
    worker ??= startWorker();
    worker.postMessage({ ...request, grammar } satisfies HighlightRequest);
    sent.add(language);
  } catch {
    // The grammar cannot be imported if the console is unreachable, or was updated after the page was loaded. The code
    // then stays plain.
    if (pending?.id === id) complete(NONE);
  }
}

function nextHunk(): VisibleHunk | undefined {
  for (const shown of waiting.values()) {
    const next = shown.find(({ hunk }) => !known.has(hunk));
    if (next !== undefined) return next;
  }
  return undefined;
}

function complete(colours: Colours): void {
  if (pending === undefined) return;
  const { hunk } = pending;
  clearTimeout(pending.timer);
  known.set(hunk, colours);
  pending = undefined;
  clearTimeout(idle);
  idle = window.setTimeout(endWorker, IDLE_MS);
  if (colours.length > 0) {
    for (const [draw, shown] of waiting) if (shown.some((each) => each.hunk === hunk)) draw();
  }
  highlightNext();
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<HighlightResponse>) => {
    if (data.id === pending?.id) complete(data.colours);
  });
  // Errors of the web worker are not shown, because the code is readable without colours.
  started.addEventListener('error', endWorker);
  return started;
}

function endWorker(): void {
  worker?.terminate();
  worker = undefined;
  sent.clear();
  complete(NONE);
}

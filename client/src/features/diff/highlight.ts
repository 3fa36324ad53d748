import { useEffect, useReducer } from 'react';
import { type Answer, COLOURS, type Colour, type Question, type Run } from './colours.ts';
import type { Language } from './languages.ts';
import type { DiffFile, Hunk } from './types.ts';

/** A piece of a line in one colour. Pieces of a line lie behind each other without gap. */
export interface Piece {
  text: string;
  colour: Colour;
}
/** Colours of the lines of a hunk, by position. */
export type Colours = readonly (readonly Run[] | undefined)[];

/** Larger hunks are data and stay plain: 300 000 characters take the worker two seconds or three. */
const HUNK_MAX_LINES = 5_000;
const HUNK_MAX_CHARS = 300_000;
/** A hunk that takes longer is given up and stays plain; a language is fetched in this time too. */
const ANSWER_MS = 10_000;
/** The worker holds some 30 MB of compiled grammars; it ends when nothing was asked for so long. */
const IDLE_MS = 60_000;
const NONE: Colours = [];

/** A hunk on the page. */
export interface Shown {
  hunk: Hunk;
  language: Language;
}

const known = new WeakMap<Hunk, Colours>();
const listeners = new Set<() => void>();
let waiting: readonly Shown[] = [];
let asked: { id: number; hunk: Hunk; timer: number } | undefined;
let worker: Worker | undefined;
let idle: number | undefined;
/** Languages whose grammar the worker has. */
const sent = new Set<Language>();
let lastId = 0;

/** Colours of a hunk, or undefined while they are not known. */
export function coloursOfHunk(hunk: Hunk | undefined): Colours | undefined {
  return hunk && known.get(hunk);
}

/** The line at a position of a hunk in its colours; plain while those are not known. */
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

/** Has the hunks coloured that are on the page now, the first one first, and draws again as each is ready. */
export function useColours(shown: readonly Shown[]): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    listeners.add(draw);
    return () => {
      listeners.delete(draw);
      waiting = [];
    };
  }, []);
  useEffect(() => {
    waiting = shown;
    askNext();
  }, [shown]);
}

/** Gives hunks that read as before the colours they had: another answer of the console is not drawn plain first. */
export function keepColours(before: readonly DiffFile[], after: readonly DiffFile[]): void {
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

function askNext(): void {
  if (asked !== undefined) return;
  const next = waiting.find(({ hunk }) => !known.has(hunk));
  if (next === undefined) return;
  const { hunk, language } = next;
  const chars = hunk.lines.reduce((sum, line) => sum + line.length, 0);
  if (hunk.lines.length > HUNK_MAX_LINES || chars > HUNK_MAX_CHARS) {
    known.set(hunk, NONE);
    askNext();
    return;
  }
  clearTimeout(idle);
  lastId += 1;
  asked = { id: lastId, hunk, timer: window.setTimeout(endWorker, ANSWER_MS) };
  void ask({ id: lastId, lines: hunk.lines, language });
}

async function ask(question: Omit<Question, 'grammar'>): Promise<void> {
  const { id, language } = question;
  try {
    const { GRAMMARS } = await import('./grammars.ts');
    const grammar = sent.has(language) ? undefined : (await GRAMMARS[language]()).default;
    if (asked?.id !== id) return;
    worker ??= startWorker();
    worker.postMessage({ ...question, grammar } satisfies Question);
    sent.add(language);
  } catch {
    // Not fetched: the page is older than the console, or the console is away.
    if (asked?.id === id) take(NONE);
  }
}

function take(colours: Colours): void {
  if (asked === undefined) return;
  clearTimeout(asked.timer);
  known.set(asked.hunk, colours);
  asked = undefined;
  clearTimeout(idle);
  idle = window.setTimeout(endWorker, IDLE_MS);
  if (colours.length > 0) for (const draw of listeners) draw();
  askNext();
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if (data.id === asked?.id) take(data.colours);
  });
  // Code is read without colours as well.
  started.addEventListener('error', endWorker);
  return started;
}

function endWorker(): void {
  worker?.terminate();
  worker = undefined;
  sent.clear();
  take(NONE);
}

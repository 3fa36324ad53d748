import { describe, expect, it } from 'vitest';
import type { ScreenContent, ScreenReading } from '../../src/ports/agents.ts';
import { createOfflineScreen } from '../../src/screens/offline.ts';
import { allCaptures, bytesOf, type Capture } from './support/captures.ts';

/** Replaces each lower-case letter by another one, as if an unknown release of the agent used other words. */
const reworded = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 7) % 26)));
const changed = (content: ScreenContent, change: (lines: string[]) => string[]): ScreenContent => ({
  ...content,
  lines: change([...content.lines]),
});
/** Returns the indexes of the lines that are not blank, last line first. */
const written = (content: ScreenContent) =>
  content.lines.flatMap((line, index) => (line.trim() === '' ? [] : [index])).reverse();

/** Changes to a recorded screen that simulate other releases, other terminal sizes and partial repaints. */
const MUTATIONS: Readonly<Record<string, (content: ScreenContent) => ScreenContent[]>> = {
  'all words are different': (content) => [changed(content, (lines) => lines.map(reworded))],
  'the words of one line are different': (content) =>
    written(content).map((at) =>
      changed(content, (lines) => lines.map((line, index) => (index === at ? reworded(line) : line))),
    ),
  'its last lines are missing': (content) =>
    written(content)
      .slice(0, 6)
      .map((at) => changed(content, (lines) => lines.slice(0, at))),
  'its last lines are empty': (content) =>
    written(content)
      .slice(0, 6)
      .map((at) => changed(content, (lines) => lines.map((line, index) => (index < at ? line : '')))),
  'one line is missing': (content) =>
    written(content).map((at) => changed(content, (lines) => lines.filter((_, index) => index !== at))),
  'its first lines are missing': (content) =>
    [12, 20, 28].map((first) => changed(content, (lines) => lines.slice(first))),
  'its lines are cut off on the right': (content) =>
    [40, 60, 80].map((cols) => changed(content, (lines) => lines.map((line) => line.slice(0, cols)))),
  'its text ends higher up in a larger terminal': (content) => [
    changed(content, (lines) => [...lines, ...Array.from({ length: 14 }, () => '')]),
  ],
  'it is empty except for the title': (content) => [changed(content, () => [])],
};

interface Seen {
  mark: string;
  state: string;
  content: ScreenContent;
}

async function pictures(capture: Capture): Promise<Seen[]> {
  const bytes = bytesOf(capture);
  const screen = createOfflineScreen(capture.cols, capture.rows);
  const seen: Seen[] = [];
  let from = 0;
  for (const { mark, end, state, ended } of capture.labels) {
    await screen.write(bytes.subarray(from, end));
    from = end;
    // Leaves out the screen of an ended process, because this screen may still show the last dialog.
    if (ended !== true) seen.push({ mark, state, content: screen.content() });
  }
  screen.close();
  return seen;
}

/** Whether a reading is wrong, but so confident that the console would act on it. */
function isWrong(reading: ScreenReading | null, state: string): boolean {
  if (reading === null || reading.confidence === 'guess' || reading.state === 'unknown') return false;
  return reading.state !== state;
}

const captures = await Promise.all(
  allCaptures().map(async (capture) => ({ ...capture, pictures: await pictures(capture) })),
);

/**
 * `captures` without their titles. Gemini's captures are also tested with a title that contains no known words. Claude
 * Code is left out: if the words on its screen are changed, only the title still shows the state.
 */
const untitled = captures.flatMap(({ pictures, ...capture }) => {
  const titles = capture.name.startsWith('gemini') ? [null, 'my project'] : [null];
  if (capture.name.startsWith('claude')) return [];
  return titles.map((title) => ({
    ...capture,
    name: `${capture.name} with the title ${title}`,
    pictures: pictures.map((seen) => ({ ...seen, content: { ...seen.content, title } })),
  }));
});

describe.each(Object.entries(MUTATIONS))('a screen of which %s', (_, mutate) => {
  const all = [...captures, ...untitled].map((capture) => [capture.name, capture] as const);
  it.each(all)('%s is not misread', (_, capture) => {
    const wrong: string[] = [];
    for (const { mark, state, content } of capture.pictures) {
      for (const mutated of mutate(content)) {
        const reading = capture.reading.readScreen(mutated);
        if (isWrong(reading, state)) wrong.push(`${mark} (${state}): ${reading?.state}\n${mutated.lines.join('\n')}`);
        expect(reading?.confidence).not.toBe('certain');
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('reads Gemini as idle without a title if the row of its status is empty', () => {
  const rest = untitled
    .filter(({ name }) => name.startsWith('gemini-0.61.0/work'))
    .flatMap(({ pictures, reading }) =>
      pictures.map(({ state, content }) => [state, reading.readScreen(content)?.state]),
    );
  expect(rest.filter(([state]) => state === 'idle')).not.toHaveLength(0);
  expect(rest.map(([, read]) => read)).toEqual(rest.map(([state]) => state));
});

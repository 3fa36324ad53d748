import { describe, expect, it } from 'vitest';
import type { ScreenReading } from '../../src/agents/common/kind.ts';
import type { ScreenContent } from '../../src/ports/agents.ts';
import { createOfflineScreen } from '../../src/screens/offline.ts';
import { allCaptures, bytesOf, type Capture } from './support/captures.ts';

/** Other words of the same length: as a release would word it that nobody has seen. */
const reworded = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 7) % 26)));
const changed = (picture: ScreenContent, change: (lines: string[]) => string[]): ScreenContent => ({
  ...picture,
  lines: change([...picture.lines]),
});
/** Lines of a screen that say something, from the last one up. */
const written = (picture: ScreenContent) =>
  picture.lines.flatMap((line, index) => (line.trim() === '' ? [] : [index])).reverse();

/** What another release, another size or half a repaint might show in place of a screen that was recorded. */
const MUTATIONS: Readonly<Record<string, (picture: ScreenContent) => ScreenContent[]>> = {
  'all words are others': (picture) => [changed(picture, (lines) => lines.map(reworded))],
  'the words of one line are others': (picture) =>
    written(picture).map((at) =>
      changed(picture, (lines) => lines.map((line, index) => (index === at ? reworded(line) : line))),
    ),
  'its last lines are missing': (picture) =>
    written(picture)
      .slice(0, 6)
      .map((at) => changed(picture, (lines) => lines.slice(0, at))),
  'its last lines are empty': (picture) =>
    written(picture)
      .slice(0, 6)
      .map((at) => changed(picture, (lines) => lines.map((line, index) => (index < at ? line : '')))),
  'one line is missing': (picture) =>
    written(picture).map((at) => changed(picture, (lines) => lines.filter((_, index) => index !== at))),
  'its first lines are missing': (picture) =>
    [12, 20, 28].map((first) => changed(picture, (lines) => lines.slice(first))),
  'it is cut on the right': (picture) =>
    [40, 60, 80].map((cols) => changed(picture, (lines) => lines.map((line) => line.slice(0, cols)))),
  'it stands higher in a larger terminal': (picture) => [
    changed(picture, (lines) => [...lines, ...Array.from({ length: 14 }, () => '')]),
  ],
  'there is a title and nothing else': (picture) => [changed(picture, () => [])],
};

interface Seen {
  mark: string;
  state: string;
  picture: ScreenContent;
}

async function pictures(capture: Capture): Promise<Seen[]> {
  const bytes = bytesOf(capture);
  const screen = createOfflineScreen(capture.cols, capture.rows);
  const seen: Seen[] = [];
  let from = 0;
  for (const { mark, end, state, ended } of capture.labels) {
    await screen.write(bytes.subarray(from, end));
    from = end;
    // Nobody reads the screen of a process that has ended; its last dialog may still stand there.
    if (ended !== true) seen.push({ mark, state, picture: screen.picture() });
  }
  screen.close();
  return seen;
}

/** A reading that somebody would act on, and that is not so. */
function isWrong(reading: ScreenReading | null, state: string): boolean {
  if (reading === null || reading.confidence === 'guess' || reading.state === 'unknown') return false;
  return reading.state !== state;
}

const captures = await Promise.all(
  allCaptures().map(async (capture) => ({ ...capture, pictures: await pictures(capture) })),
);

/**
 * The same where titles are switched off, and where Gemini's says nothing that is known. Claude Code is left out: where
 * its words are others too, its title alone tells.
 */
const untitled = captures.flatMap(({ pictures, ...capture }) => {
  const titles = capture.name.startsWith('gemini') ? [null, 'my project'] : [null];
  if (capture.name.startsWith('claude')) return [];
  return titles.map((title) => ({
    ...capture,
    name: `${capture.name} with the title ${title}`,
    pictures: pictures.map((seen) => ({ ...seen, picture: { ...seen.picture, title } })),
  }));
});

describe.each(Object.entries(MUTATIONS))('where %s', (_, mutate) => {
  const all = [...captures, ...untitled].map((capture) => [capture.name, capture] as const);
  it.each(all)('%s is not misread', (_, capture) => {
    const wrong: string[] = [];
    for (const { mark, state, picture } of capture.pictures) {
      for (const mutated of mutate(picture)) {
        const reading = capture.reading.readScreen(mutated);
        if (isWrong(reading, state)) wrong.push(`${mark} (${state}): ${reading?.state}\n${mutated.lines.join('\n')}`);
        expect(reading?.confidence).not.toBe('certain');
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('takes Gemini for idle without its title where the row of its status is seen to be empty', () => {
  const rest = untitled
    .filter(({ name }) => name.startsWith('gemini-0.61.0/work'))
    .flatMap(({ pictures, reading }) =>
      pictures.map(({ state, picture }) => [state, reading.readScreen(picture)?.state]),
    );
  expect(rest.filter(([state]) => state === 'idle')).not.toHaveLength(0);
  expect(rest.map(([, read]) => read)).toEqual(rest.map(([state]) => state));
});

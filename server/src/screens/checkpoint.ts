import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCREEN_CHECKPOINT_MAX_BYTES } from '@agent-console/shared/limits/screens';
import * as v from 'valibot';

/** Version of the file format. Files of other versions are ignored. */
const VERSION = 1;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const bits = v.pipe(v.number(), v.integer());
const SavedCursor = v.object({ x: count, y: count, fg: bits, bg: bits });
export type SavedCursor = v.InferOutput<typeof SavedCursor>;

/**
 * State that no escape sequence can restore. A restored checkpoint sets this state directly in the terminal. Viewers do
 * not receive it.
 */
const HiddenState = v.object({
  /** Column of the cursor, or `cols` if the next character wraps. */
  x: count,
  /** The parser's data about the last character, for a character that joins it or a sequence that repeats it. */
  join: v.number(),
  /** Whether the first stored line continues a dropped line, for the normal and the alternate screen. */
  wrapped: v.tuple([v.boolean(), v.boolean()]),
  /** Tab stops of both screens, including tab stops beyond the last column. */
  tabs: v.tuple([v.array(count), v.array(count)]),
  /**
   * Saved cursors of both screens. The row of a saved cursor may have scrolled out of the screen, so rows are numbered
   * from the first stored line.
   */
  saved: v.tuple([SavedCursor, SavedCursor]),
  /** Attributes that the next character will get, except its link. */
  sgr: v.object({ fg: bits, bg: bits, ext: bits }),
  /** Final characters of the character sets in the four slots, and of the character set in use. */
  charsets: v.object({ slots: v.array(v.string()), inUse: v.string() }),
  /**
   * Whether a program is in the middle of a synchronized update. Viewers do not get this state, so they see the
   * unfinished update.
   */
  synchronized: v.boolean(),
});
export type HiddenState = v.InferOutput<typeof HiddenState>;

/**
 * The whole state of a terminal at an offset. A terminal restored from this state continues with the output after the
 * offset.
 */
const TerminalState = v.object({
  offset: count,
  cols: v.pipe(count, v.minValue(2), v.maxValue(10_000)),
  rows: v.pipe(count, v.minValue(1), v.maxValue(10_000)),
  /** Output that draws the state on an empty terminal. */
  serialized: v.string(),
  remainder: HiddenState,
  /** Whether the screen, and the history above it, are certainly correct. Skipped output can make them wrong. */
  certain: v.object({ screen: v.boolean(), history: v.boolean() }),
});
export type TerminalState = v.InferOutput<typeof TerminalState>;

const File = v.object({ version: v.literal(VERSION), sum: v.string(), state: TerminalState });

const sumOf = (state: TerminalState) => createHash('sha256').update(JSON.stringify(state)).digest('hex');

/** Reads the stored state of a screen. Returns undefined if there is none, or if the file is too large or damaged. */
export async function readCheckpoint(file: string): Promise<TerminalState | undefined> {
  try {
    if ((await stat(file)).size > SCREEN_CHECKPOINT_MAX_BYTES) return undefined;
    const parsed = v.safeParse(File, JSON.parse(await readFile(file, 'utf8')));
    if (!parsed.success || sumOf(parsed.output.state) !== parsed.output.sum) return undefined;
    return parsed.output.state;
  } catch {
    // The error is ignored, because a checkpoint only saves time: the screen can also be drawn from the log.
    return undefined;
  }
}

/** Stores a state atomically, in a file with mode 0600. */
export async function writeCheckpoint(file: string, state: TerminalState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.new`;
  await writeFile(temporary, JSON.stringify({ version: VERSION, sum: sumOf(state), state }), { mode: 0o600 });
  await rename(temporary, file);
}

export async function dropCheckpoint(file: string): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await rm(file, { force: true });
}

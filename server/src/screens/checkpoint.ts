import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCREEN_CHECKPOINT_MAX_BYTES } from '@agent-console/shared/limits/screens';
import * as v from 'valibot';
import type { TerminalState } from './terminal.ts';

/** Version of the file format. Files of other versions are ignored. */
const VERSION = 1;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const bits = v.pipe(v.number(), v.integer());
const Saved = v.object({ x: count, y: count, fg: bits, bg: bits });
const State = v.object({
  offset: count,
  cols: v.pipe(count, v.minValue(2), v.maxValue(10_000)),
  rows: v.pipe(count, v.minValue(1), v.maxValue(10_000)),
  serialized: v.string(),
  remainder: v.object({
    x: count,
    join: v.number(),
    wrapped: v.tuple([v.boolean(), v.boolean()]),
    tabs: v.tuple([v.array(count), v.array(count)]),
    saved: v.tuple([Saved, Saved]),
    sgr: v.object({ fg: bits, bg: bits, ext: bits }),
    charsets: v.object({ slots: v.array(v.string()), inUse: v.string() }),
    synchronized: v.boolean(),
  }),
  certain: v.object({ screen: v.boolean(), history: v.boolean() }),
});
const File = v.object({ version: v.literal(VERSION), sum: v.string(), state: State });

const sumOf = (state: TerminalState) => createHash('sha256').update(JSON.stringify(state)).digest('hex');

/** Reads the stored state of a screen. Returns undefined if there is none or it is damaged. */
export async function readCheckpoint(file: string): Promise<TerminalState | undefined> {
  try {
    if ((await stat(file)).size > SCREEN_CHECKPOINT_MAX_BYTES) return undefined;
    const parsed = v.safeParse(File, JSON.parse(await readFile(file, 'utf8')));
    if (!parsed.success || sumOf(parsed.output.state) !== parsed.output.sum) return undefined;
    return parsed.output.state;
  } catch {
    // A checkpoint only saves work, since the screen can also be drawn from the log.
    return undefined;
  }
}

/** Stores a state atomically (0600). */
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

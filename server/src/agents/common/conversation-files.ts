import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TRANSCRIPT_FOLDERS_MAX } from '@agent-console/shared/limits/transcripts';
import type { ConversationTrace } from '../../ports/agents.ts';
import type { TranscriptPage, TranscriptPosition, TranscriptReading } from '../../ports/transcripts.ts';
import { asFields } from './fields.ts';
import type { ConversationStore } from './kind.ts';
import { type LinePosition, readLines } from './lines.ts';

/** A file, and how many of its bytes belong to a conversation. */
export interface FilePart {
  path: string;
  end: number;
}

/** Finds the files of JSON lines in which a kind of agent stores its conversations. */
export interface FileLayout {
  /** Returns the files that the agent wrote for this conversation, oldest first. */
  files(nativeId: string): Promise<string[]>;
  /**
   * Returns the files that contain the conversation, oldest first, and how many bytes of each belong to it. Without
   * this function, the conversation consists of all files that `files` returns, in full.
   */
  parts?(nativeId: string): Promise<FilePart[]>;
  /**
   * Returns the files that may have grown since the files in `known` were read, without searching all folders. Empty if
   * `known` contains no file of this conversation. Without this function, only the newest file in `known` may have
   * grown.
   */
  growing?(nativeId: string, known: readonly string[]): Promise<string[]>;
  readLine(line: unknown): TranscriptReading;
  /** Whether the agent would resume the conversation in this file. */
  isResumable(path: string): Promise<boolean>;
  /** Returns the ids of the conversations that match the trace. If this function is missing, none match. */
  find?(trace: ConversationTrace): Promise<string[]>;
}

export const wholeFile = (path: string): FilePart => ({ path, end: Number.POSITIVE_INFINITY });

/** Creates a conversation store that reads files of JSON lines. */
export function openConversationFiles(layout: FileLayout): ConversationStore {
  const newestKnown = async (nativeId: string, known: readonly string[]) => {
    const newest = known.findLast((path) => path.endsWith(`${nativeId}.jsonl`));
    return newest === undefined ? [] : [newest];
  };
  const { readLine, growing = newestKnown } = layout;
  const partsOf = layout.parts ?? (async (nativeId: string) => (await layout.files(nativeId)).map(wholeFile));

  return {
    async exists(nativeId) {
      for (const path of await layout.files(nativeId)) if (await layout.isResumable(path)) return true;
      return false;
    },
    find: async (trace) => (await layout.find?.(trace)) ?? [],
    async read(nativeId, position) {
      const known = Object.keys(asFields(position.files));
      const files = await growing(nativeId, known);
      // Tries the known files first. If no file is known, or the folder of the files was renamed, searches all folders.
      return (
        (await readFiles(files.map(wholeFile), position, readLine)) ??
        readFiles(await partsOf(nativeId), position, readLine)
      );
    },
  };
}

/**
 * Reads the lines after `position` in these files, in order, each file with one read. Stops after a file that still has
 * unread lines. Null if none of the files can be read.
 */
export async function readFiles(
  parts: readonly FilePart[],
  position: TranscriptPosition,
  readLine: (line: unknown) => TranscriptReading,
): Promise<TranscriptPage | null> {
  const known = linePositions(position);
  const files: Record<string, LinePosition> = {};
  const readings: TranscriptReading[] = [];
  let more = false;
  for (const { path, end } of parts) {
    const before = known[path];
    if (more) {
      if (before !== undefined) files[path] = before;
      continue;
    }
    const found = await readLines(path, before, end);
    if (found === null) continue;
    files[path] = found.position;
    readings.push(...found.lines.map(readLine));
    more = found.more;
  }
  if (Object.keys(files).length === 0) return null;
  const nonEmpty = readings.filter(({ messages, usage, turnEnd }) => messages.length + usage.length > 0 || turnEnd);
  return { readings: nonEmpty, position: { files }, more };
}

function linePositions({ files }: TranscriptPosition): Readonly<Record<string, LinePosition>> {
  const positions: Record<string, LinePosition> = {};
  for (const [path, value] of Object.entries(asFields(files))) {
    const { offset, mark } = asFields(value);
    if (typeof offset === 'number' && typeof mark === 'string') positions[path] = { offset, mark };
  }
  return positions;
}

/** Returns the files exactly `depth` folders below `folder` whose name matches, sorted by path. */
export async function filesBelow(folder: string, depth: number, matches: (name: string) => boolean): Promise<string[]> {
  let folders = [folder];
  for (let level = 0; level < depth; level++) {
    const below: string[] = [];
    for (const parent of folders) {
      for (const entry of await entriesOf(parent)) if (entry.isDirectory()) below.push(join(parent, entry.name));
    }
    // Only the last TRANSCRIPT_FOLDERS_MAX folders by name are searched. If folders are named by date, these are the
    // newest.
    folders = below.sort().slice(-TRANSCRIPT_FOLDERS_MAX);
  }
  const files: string[] = [];
  for (const parent of folders) {
    for (const entry of await entriesOf(parent)) {
      if (entry.isFile() && matches(entry.name)) files.push(join(parent, entry.name));
    }
  }
  return files.sort();
}

async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

import { join } from 'node:path';
import { TRANSCRIPT_SETTLED_MS } from '@agent-console/shared/limits/transcripts';
import type { TranscriptPage, TranscriptPosition, TranscriptReading, Transcripts } from '../../ports/transcripts.ts';
import { readClaudeCodeLine } from './claude-code.ts';
import { readCodexLine } from './codex.ts';
import { codexParts } from './codex-files.ts';
import { type Environment, type FileKind, type FilePart, filesBeside, transcriptFiles, wholeFile } from './files.ts';
import { readGeminiLine } from './gemini.ts';
import { type LinePosition, readLines } from './lines.ts';
import { readOpencodeConversation } from './opencode.ts';
import { readScriptedLine } from './scripted.ts';
import { asFields } from './transcript.ts';

export interface TranscriptSources {
  /** Says where the agents keep their conversations. */
  environment: Environment;
  /** Where we tell agents to keep them that let us. */
  transcriptsDir: string;
  now: () => Date;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

type FilePlaces = Readonly<Record<string, LinePosition>>;

/** Reads the agents' own records of their conversations, and never writes to them. */
export function createTranscripts({ environment, transcriptsDir, now }: TranscriptSources): Transcripts {
  function readOpencode(nativeId: string, place: TranscriptPosition): TranscriptPage {
    const since = typeof place.since === 'number' ? place.since : 0;
    const { readTo, more, readings } = readOpencodeConversation(environment, nativeId, since);
    const settled = readings.length > 0 && readTo < now().getTime() - TRANSCRIPT_SETTLED_MS;
    // A page full of rows of one moment would else be read for ever.
    const next = settled || (more && readTo === since) ? readTo + 1 : readTo;
    return { readings, place: { since: next }, more };
  }

  async function partsOf(kind: FileKind, nativeId: string): Promise<FilePart[]> {
    if (kind === 'codex') return codexParts(nativeId, environment);
    return (await transcriptFiles(kind, nativeId, environment)).map(wholeFile);
  }

  return {
    async read(kind, nativeId, place) {
      switch (kind) {
        case 'scripted': {
          const files = NAME.test(nativeId) ? [wholeFile(join(transcriptsDir, `${nativeId}.jsonl`))] : [];
          return readFiles(files, filesOf(place), readScriptedLine);
        }
        case 'claude-code':
        case 'codex':
        case 'gemini': {
          const known = filesOf(place);
          const beside = await filesBeside(kind, nativeId, Object.keys(known));
          const there = await readFiles(beside.map(wholeFile), known, LINE_READERS[kind]);
          // A folder that was renamed takes its files with it.
          return there ?? readFiles(await partsOf(kind, nativeId), known, LINE_READERS[kind]);
        }
        case 'opencode':
          return readOpencode(nativeId, place);
        case 'custom':
          return null;
      }
    },
  };
}

const LINE_READERS = { 'claude-code': readClaudeCodeLine, codex: readCodexLine, gemini: readGeminiLine };

/** The new lines of the first of these files that has any; null when none of them is there. */
async function readFiles(
  parts: readonly FilePart[],
  known: FilePlaces,
  read: (line: unknown) => TranscriptReading,
): Promise<TranscriptPage | null> {
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
    files[path] = found.place;
    readings.push(...found.lines.map(read));
    more = found.more;
  }
  if (Object.keys(files).length === 0) return null;
  const said = readings.filter(({ messages, usage, turnEnd }) => messages.length + usage.length > 0 || turnEnd);
  return { readings: said, place: { files }, more };
}

function filesOf(place: TranscriptPosition): FilePlaces {
  const places: Record<string, LinePosition> = {};
  for (const [path, value] of Object.entries(asFields(place.files))) {
    const { offset, mark } = asFields(value);
    if (typeof offset === 'number' && typeof mark === 'string') places[path] = { offset, mark };
  }
  return places;
}

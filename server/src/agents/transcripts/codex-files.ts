import { TRANSCRIPT_BASES_MAX } from '@agent-console/shared/limits/transcripts';
import { readCodexHead } from './codex.ts';
import { type Environment, type FilePart, transcriptFiles, wholeFile } from './files.ts';
import { firstLine } from './lines.ts';

/**
 * The files that a conversation of Codex is read from, oldest first. A fork's own file (0.169.0) holds nothing of what was
 * said before it, but names the file that it goes on from, and up to which byte.
 */
export async function codexParts(nativeId: string, environment: Environment): Promise<FilePart[]> {
  const [own] = await transcriptFiles('codex', nativeId, environment);
  if (own === undefined) return [];
  const parts = [wholeFile(own)];
  for (let path = own; parts.length <= TRANSCRIPT_BASES_MAX; ) {
    const base = readCodexHead(await firstLine(path))?.base ?? null;
    const [file] = base === null ? [] : await transcriptFiles('codex', base.nativeId, environment);
    if (base === null || file === undefined || parts.some((part) => part.path === file)) break;
    parts.unshift({ path: file, end: base.bytes });
    path = file;
  }
  return parts;
}

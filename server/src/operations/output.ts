import { notFound } from '@agent-console/shared/errors';
import {
  lastCompleteCharacter,
  lastSequenceBoundary,
  leadingSequenceEnd,
  plainLines,
  SEQUENCE_MAX,
} from '../domain/output-text.ts';
import type { Runner } from './ports/runner.ts';

export interface OutputPage {
  offset: number;
  nextOffset: number;
  truncated: boolean;
  rendered: 'lines' | 'raw';
  bytes: Buffer;
}

/**
 * One page of a worker's log. `ansi` and `base64` lose nothing: pages end between characters and escape sequences, and
 * the next begins where this one ended. `text` ends behind its last finished line.
 */
export async function readOutput(
  runner: Pick<Runner, 'read' | 'extent'>,
  workerId: string,
  request: { sinceOffset: number | undefined; format: 'text' | 'ansi' | 'base64'; maxBytes: number; ended: boolean },
): Promise<OutputPage> {
  const { format, maxBytes } = request;
  const { first, next } = await runner.extent(workerId);
  const from = Math.max(request.sinceOffset ?? Math.max(next - maxBytes, 0), first);
  const empty = (offset: number, nextOffset: number, truncated: boolean): OutputPage => {
    return { offset, nextOffset, truncated, rendered: format === 'text' ? 'lines' : 'raw', bytes: Buffer.alloc(0) };
  };
  if (from >= next) return empty(from, from, false);
  const chunk = await runner.read(workerId, from, maxBytes);
  const isTail = chunk.offset + chunk.data.length >= next;
  const at = { isTail, ended: request.ended, full: chunk.data.length >= maxBytes };
  const end = pageEnd(chunk.data, format, at);
  if (format === 'text' && at.full && lastSequenceBoundary(chunk.data) === 0) {
    // Nothing of an escape sequence is text, so that one longer than a page is passed over.
    const more = await runner.read(workerId, from, SEQUENCE_MAX);
    const behind = leadingSequenceEnd(more.data);
    if (behind !== null) return empty(chunk.offset, chunk.offset + behind, chunk.offset + behind < next);
  }
  // A reader who names no offset gets the newest output, from the beginning of a line.
  const cut = request.sinceOffset === undefined && chunk.offset > first && format !== 'base64';
  const begin = cut ? Math.min(chunk.data.indexOf(0x0a) + 1, end) : 0;
  const bytes = Buffer.from(chunk.data.subarray(begin, end));
  const nextOffset = chunk.offset + end;
  return {
    offset: chunk.offset + begin,
    nextOffset,
    truncated: nextOffset < next && end > 0,
    rendered: format === 'text' ? 'lines' : 'raw',
    bytes,
  };
}

function pageEnd(
  data: Buffer,
  format: 'text' | 'ansi' | 'base64',
  at: { isTail: boolean; ended: boolean; full: boolean },
): number {
  if (format === 'base64') return data.length;
  if (format === 'text') {
    const line = data.lastIndexOf(0x0a) + 1;
    if (line > 0 && !(at.isTail && at.ended)) return line;
    // A line longer than a page, or the last one of a process that has ended, is shown as it stands.
    if (!at.ended && !at.full) return 0;
  }
  const boundary = lastSequenceBoundary(data);
  if (boundary > 0 || (!at.full && !at.ended)) return boundary;
  return lastCompleteCharacter(data) || data.length;
}

/** Text of a page without escape sequences, as finished lines. */
export function asText(page: OutputPage): string {
  return plainLines(page.bytes.toString('utf8'));
}

/** Which worker's output a session's reader means: the one named, else its newest agent, else its newest terminal. */
export function chooseWorker<W extends { id: string; type: string; sessionId: string }>(
  workers: readonly W[],
  sessionId: string,
  workerId: string | undefined,
): W {
  const mine = workers.filter((worker) => worker.sessionId === sessionId);
  const found =
    workerId === undefined
      ? (mine.findLast((worker) => worker.type === 'agent') ?? mine.findLast((worker) => worker.type === 'terminal'))
      : mine.find((worker) => worker.id === workerId);
  if (found === undefined) throw notFound('Worker', workerId ?? `of session ${sessionId}`);
  return found;
}

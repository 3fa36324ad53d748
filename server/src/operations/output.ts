import { notFound } from '@agent-console/shared/errors';
import { OUTPUT_CALL_MAX_CHARS, OUTPUT_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import { SCREEN_LEAD_BYTES } from '@agent-console/shared/limits/screens';
import {
  lastCompleteCharacter,
  lastSequenceBoundary,
  leadingSequenceEnd,
  onlyAddsLines,
  plainLines,
  SEQUENCE_MAX,
} from '../domain/output-text.ts';
import { workerRow } from '../engine/rows.ts';
import type { TranscriptScanner } from '../engine/transcripts/scanner.ts';
import type { MessageRow } from '../ports/rows/messages.ts';
import type { WorkerRow } from '../ports/rows/workers.ts';
import type { Runner } from '../ports/runner.ts';
import type { Screens } from '../ports/screens.ts';
import type { Storage } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

interface OutputPage {
  offset: number;
  nextOffset: number;
  truncated: boolean;
  rendered: 'lines' | 'raw';
  bytes: Buffer;
}

interface PageRequest {
  sinceOffset: number | undefined;
  format: 'text' | 'ansi' | 'base64';
  maxBytes: number;
  ended: boolean;
}

/**
 * One page of a worker's log. `ansi` and `base64` lose nothing: pages end between characters and escape sequences, and
 * the next begins where this one ended. `text` ends behind its last finished line.
 */
async function readOutput(
  runner: Pick<Runner, 'read' | 'extent'>,
  workerId: string,
  request: PageRequest,
): Promise<OutputPage> {
  return (await readPage(runner, workerId, request)).page;
}

/** @returns also whether there is at most an unfinished line behind the page. */
async function readPage(
  runner: Pick<Runner, 'read' | 'extent'>,
  workerId: string,
  request: PageRequest,
): Promise<{ page: OutputPage; seesTail: boolean }> {
  const { format, maxBytes } = request;
  const { first, next } = await runner.extent(workerId);
  const from = Math.max(request.sinceOffset ?? Math.max(next - maxBytes, 0), first);
  const rendered = format === 'text' ? 'lines' : 'raw';
  const empty = (offset: number, nextOffset: number, truncated: boolean) => {
    return { page: { offset, nextOffset, truncated, rendered, bytes: Buffer.alloc(0) } as const, seesTail: !truncated };
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
  const place = { offset: chunk.offset + begin, nextOffset, truncated: nextOffset < next && end > 0 };
  return { page: { ...place, rendered, bytes }, seesTail: isTail };
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

/** How a program goes to the alternate screen and back. */
const ALTERNATE_SCREEN = '\x1b[?1049';

/** What a page of output is made of beside the log. */
interface TextSources {
  runner: Pick<Runner, 'read' | 'extent'>;
  screens: Screens;
  storage: Pick<Storage, 'read'>;
  scanner: Pick<TranscriptScanner, 'reach'>;
}

/**
 * A page as text: the finished lines of normal-screen output as a terminal shows them, once each and in their last form.
 * Rows that a program keeps drawing anew (a prompt box, a progress display) are told when they stay; what they show
 * meanwhile is on the screen. A living agent that draws on the alternate screen has no lines: see `readDrawn`. Text beyond
 * `maxBytes` is never answered.
 */
async function readText(
  sources: TextSources,
  worker: Pick<WorkerRow, 'id' | 'sessionId' | 'type'>,
  request: { sinceOffset: number | undefined; maxBytes: number; ended: boolean },
): Promise<ShownPage> {
  const { page, seesTail } = await readPage(sources.runner, worker.id, { ...request, format: 'text' });
  const { bytes, ...place } = page;
  const text = await renderPage(sources, worker.id, page, request);
  const mayBeDrawn = text.trim() === '' || bytes.includes(ALTERNATE_SCREEN);
  if (worker.type === 'agent' && !request.ended && mayBeDrawn) {
    const lines = text.trim() === '' ? '' : text;
    const drawn = await readDrawn(sources, worker, { ...place, lines }, { seesTail, maxBytes: request.maxBytes });
    if (drawn !== undefined) return drawn;
  }
  return { ...place, text };
}

async function renderPage(
  { runner, screens }: TextSources,
  workerId: string,
  { offset, bytes }: OutputPage,
  { maxBytes, ended }: { maxBytes: number; ended: boolean },
): Promise<string> {
  const plain = bytes.toString('utf8');
  const isPart = bytes.at(-1) !== 0x0a && !ended;
  // Lines that are only added, and parts of a line longer than a page, are the same with and without a terminal.
  if (isPart || onlyAddsLines(plain)) return plainLines(plain);
  const from = Math.max(0, offset - SCREEN_LEAD_BYTES);
  const before = await runner.read(workerId, from, offset - from);
  const lead = before.data.subarray(0, Math.max(0, offset - before.offset));
  const { next } = await runner.extent(workerId);
  const isLast = ended && offset + bytes.length >= next;
  const text = await screens.lines(workerId, { lead, data: bytes, ended: isLast });
  // Cells that were skipped count as blanks, so that text can be longer than what was printed.
  return Buffer.byteLength(text) <= maxBytes ? text : plainLines(plain);
}

/** Which worker's output a session's reader means: the one named, else its newest agent, else its newest terminal. */
function chooseWorker<W extends { id: string; type: string; sessionId: string }>(
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

/** A page of output as an answer shows it. */
interface ShownPage {
  text: string;
  offset: number;
  nextOffset: number;
  truncated: boolean;
  rendered: 'lines' | 'raw' | 'screen' | 'messages';
}

interface DrawnSources {
  screens: Pick<Screens, 'view'>;
  storage: Pick<Storage, 'read'>;
  scanner: Pick<TranscriptScanner, 'reach'>;
}

/**
 * A page of a living agent that draws on the alternate screen; undefined where it draws on the normal one, or where the
 * page's lines are all there is to tell.
 *
 * Where the agent's conversation can be read, the page is what the agent said (texts, and tool calls in one line each)
 * behind `offset`: each message has a place of its own in the output, and `nextOffset` is behind the last one told, or
 * where the output stood when the conversation was last looked at, if that is all. What is said later gets a place behind
 * that. So who goes on from `nextOffset` is told each message once. One that is longer than a page is cut;
 * `sessions.messages` has it whole. Lines that were printed before it went to the alternate screen stand in front. Without
 * lines and messages the page is what the screen shows now, if it reaches the newest output.
 */
async function readDrawn(
  { screens, storage, scanner }: DrawnSources,
  worker: Pick<WorkerRow, 'id' | 'sessionId'>,
  page: { offset: number; nextOffset: number; lines: string },
  { seesTail, maxBytes }: { seesTail: boolean; maxBytes: number },
): Promise<ShownPage | undefined> {
  const { offset, lines } = page;
  const screen = await screens.view(worker.id, { scrollback: 0, format: 'text' });
  if (!screen.alternateScreen) return undefined;
  const reached = await scanner.reach(worker.sessionId, worker.id);
  const end = Math.max(offset, seesTail ? (reached ?? screen.offset) : page.nextOffset);
  const rows = reached === null ? [] : await saidBetween(storage, worker.sessionId, offset, end);
  const { text, told } = fill(lines.trimEnd(), rows, maxBytes);
  const last = rows[told - 1];
  if (last !== undefined) {
    const isAll = told === rows.length && rows.length < OUTPUT_MESSAGES_MAX;
    const nextOffset = isAll ? end : (last.logOffset ?? end);
    return { text, offset, nextOffset, truncated: !isAll || !seesTail, rendered: 'messages' };
  }
  if (!seesTail || lines !== '') return undefined;
  return { text: cut(screen.text, maxBytes), offset, nextOffset: end, truncated: false, rendered: 'screen' };
}

/** What the agent said with places above `offset` and up to `end`. */
async function saidBetween(
  storage: Pick<Storage, 'read'>,
  sessionId: string,
  offset: number,
  end: number,
): Promise<MessageRow[]> {
  const rows = await storage.read.messages.find(
    { sessionId, role: 'agent', source: 'transcript', kind: ['text', 'toolCall'], logOffset: { above: offset } },
    { order: ['seq'], limit: OUTPUT_MESSAGES_MAX },
  );
  return rows.filter(({ logOffset }) => logOffset !== null && logOffset <= end);
}

/** As many messages as fit behind these lines, at least one. */
function fill(lines: string, rows: readonly MessageRow[], maxBytes: number): { text: string; told: number } {
  let text = lines;
  let told = 0;
  for (const row of rows) {
    const more = text === '' ? wordsOf(row) : `${text}\n${wordsOf(row)}`;
    if (told > 0 && Buffer.byteLength(more) > maxBytes) break;
    text = more;
    told += 1;
  }
  return { text: cut(text, maxBytes), told };
}

function wordsOf({ kind, parts }: MessageRow): string {
  const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
  return kind === 'toolCall' ? text.replace(/\s+/g, ' ').slice(0, OUTPUT_CALL_MAX_CHARS) : text;
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return bytes.subarray(0, lastCompleteCharacter(bytes)).toString('utf8');
}

function readWorkerOutput(context: OperationContext): Implementation<'workers.output'> {
  return async ({ workerId, sinceOffset, format, maxBytes }) => {
    const worker = await workerRow(context.storage.read.workers, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { bytes, ...place } = await readOutput(context.runner, workerId, { sinceOffset, format, maxBytes, ended });
    if (format === 'base64') return { data: bytes.toString('base64'), ...place };
    return { text: bytes.toString('utf8'), ...place };
  };
}

function readSessionOutput(context: OperationContext): Implementation<'sessions.output'> {
  return async ({ sessionId, workerId, sinceOffset, format, maxBytes }) => {
    const worker = chooseWorker(await context.storage.read.workers.find({ sessionId }), sessionId, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { bytes, ...place } = await readOutput(context.runner, worker.id, { sinceOffset, format, maxBytes, ended });
    return { text: bytes.toString('utf8'), ...place };
  };
}

export function outputOperations(context: OperationContext) {
  return {
    'sessions.output': readSessionOutput(context),
    'workers.output': readWorkerOutput(context),
  } satisfies Partial<Implementations>;
}

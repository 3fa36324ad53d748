import { notFound } from '@agent-console/shared/errors';
import { OUTPUT_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import { SCREEN_LEAD_BYTES } from '@agent-console/shared/limits/screens';
import {
  lastCompleteCharacter,
  lastSequenceBoundary,
  leadingSequenceEnd,
  onlyAddsLines,
  plainLines,
  SEQUENCE_MAX,
} from '../domain/output-text.ts';
import { textOfMessage } from '../engine/output/message-text.ts';
import { workerRow } from '../engine/rows.ts';
import type { TranscriptScanner } from '../engine/transcripts/scanner.ts';
import type { MessageRow, WorkerRow } from '../ports/rows.ts';
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
 * Reads one page of a worker's log. Consecutive pages of the formats `ansi` and `base64` contain the complete log. The
 * end of a page depends on its format:
 * - `ansi`: not inside a character or escape sequence
 * - `base64`: after any byte
 * - `text`: after the last finished line
 *
 * `seesTail` is true if the page reaches the end of the log, apart from an unfinished line.
 */
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
    // An escape sequence longer than the page contains no text, so the whole sequence is skipped.
    const more = await runner.read(workerId, from, SEQUENCE_MAX);
    const end = leadingSequenceEnd(more.data);
    if (end !== null) return empty(chunk.offset, chunk.offset + end, chunk.offset + end < next);
  }
  // Without `sinceOffset`, the page contains the newest output, beginning at the start of a line unless the format is
  // `base64`.
  const cut = request.sinceOffset === undefined && chunk.offset > first && format !== 'base64';
  const begin = cut ? Math.min(chunk.data.indexOf(0x0a) + 1, end) : 0;
  const bytes = Buffer.from(chunk.data.subarray(begin, end));
  const nextOffset = chunk.offset + end;
  const range = { offset: chunk.offset + begin, nextOffset, truncated: nextOffset < next && end > 0 };
  return { page: { ...range, rendered, bytes }, seesTail: isTail };
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
    // An unfinished line is returned only if it is longer than a page, or if it is the last line of an ended process.
    if (!at.ended && !at.full) return 0;
  }
  const boundary = lastSequenceBoundary(data);
  if (boundary > 0 || (!at.full && !at.ended)) return boundary;
  return lastCompleteCharacter(data) || data.length;
}

/** Prefix of the sequences that switch to and from the alternate screen. */
const ALTERNATE_SCREEN = '\x1b[?1049';

interface TextSources {
  runner: Pick<Runner, 'read' | 'extent'>;
  screens: Screens;
  storage: Pick<Storage, 'read'>;
  scanner: Pick<TranscriptScanner, 'reach'>;
}

/**
 * Returns a page as text: the finished lines of the normal screen as a terminal shows them, each once and in its final
 * form. Rows that an agent still redraws (a prompt box, a progress display) are left out until they no longer change.
 * For running agents on the alternate screen, see `readAlternateScreen`; for agents without a terminal, see
 * `readProtocolMessages`. The text never exceeds `maxBytes`.
 */
async function readText(
  sources: TextSources,
  worker: WorkerRow,
  request: { sinceOffset: number | undefined; maxBytes: number; ended: boolean },
): Promise<TextPage> {
  if (worker.protocol !== null) return readProtocolMessages(sources.storage, worker, request);
  const { page, seesTail } = await readPage(sources.runner, worker.id, { ...request, format: 'text' });
  const { bytes, ...range } = page;
  const text = await renderPage(sources, worker.id, page, request);
  const mayBeAlternate = text.trim() === '' || bytes.includes(ALTERNATE_SCREEN);
  if (worker.type === 'agent' && !request.ended && mayBeAlternate) {
    const lines = text.trim() === '' ? '' : text;
    const alternate = await readAlternateScreen(
      sources,
      worker,
      { ...range, lines },
      { seesTail, maxBytes: request.maxBytes },
    );
    if (alternate !== undefined) return alternate;
  }
  return { ...range, text };
}

async function renderPage(
  { runner, screens }: TextSources,
  workerId: string,
  { offset, bytes }: OutputPage,
  { maxBytes, ended }: { maxBytes: number; ended: boolean },
): Promise<string> {
  const plain = bytes.toString('utf8');
  const isPart = bytes.at(-1) !== 0x0a && !ended;
  // Output that only appends lines needs no rendering. A page that ends inside a line cannot be rendered, because the
  // rest of the line may change this part.
  if (isPart || onlyAddsLines(plain)) return plainLines(plain);
  const from = Math.max(0, offset - SCREEN_LEAD_BYTES);
  const before = await runner.read(workerId, from, offset - from);
  const lead = before.data.subarray(0, Math.max(0, offset - before.offset));
  const { next } = await runner.extent(workerId);
  const isLast = ended && offset + bytes.length >= next;
  const text = await screens.lines(workerId, { lead, data: bytes, ended: isLast });
  // The rendered text can be longer than the output, because rendering writes blanks into screen cells that the cursor
  // skipped. If it exceeds `maxBytes`, the page contains the output without its escape sequences.
  return Buffer.byteLength(text) <= maxBytes ? text : plainLines(plain);
}

/**
 * Returns the worker whose output to read: the one with `workerId` or, without an id, the newest agent worker or else
 * the newest terminal worker.
 */
function chooseWorker<W extends { id: string; type: string; sessionId: string }>(
  workers: readonly W[],
  sessionId: string,
  workerId: string | undefined,
): W {
  const candidates = workers.filter((worker) => worker.sessionId === sessionId);
  const found =
    workerId === undefined
      ? (candidates.findLast((worker) => worker.type === 'agent') ??
        candidates.findLast((worker) => worker.type === 'terminal'))
      : candidates.find((worker) => worker.id === workerId);
  if (found === undefined) throw notFound('Worker', workerId ?? `of session ${sessionId}`);
  return found;
}

/** A page of output in the form that `workers.output` and `sessions.output` return. */
interface TextPage {
  text: string;
  offset: number;
  nextOffset: number;
  truncated: boolean;
  rendered: 'lines' | 'raw' | 'screen' | 'messages';
}

/**
 * Returns a page of a running agent that uses the alternate screen, whose output cannot be read as lines.
 *
 * The page contains the printed lines of `page`, followed by the agent's messages after `offset`, if its transcript can
 * be read. A tool call takes one line. A message longer than a page is cut. A reader who continues from `nextOffset`
 * receives each message once, because later messages get higher offsets.
 *
 * Without lines and messages, the page at the end of the log is the current screen.
 * @returns undefined if the caller must return `page` itself: the agent uses the normal screen, or there are no
 * messages and `page` has lines or is followed by more output.
 */
async function readAlternateScreen(
  { screens, storage, scanner }: TextSources,
  worker: Pick<WorkerRow, 'id' | 'sessionId'>,
  page: { offset: number; nextOffset: number; lines: string },
  { seesTail, maxBytes }: { seesTail: boolean; maxBytes: number },
): Promise<TextPage | undefined> {
  const { offset, lines } = page;
  const screen = await screens.view(worker.id, { scrollback: 0, format: 'text' });
  if (!screen.alternateScreen) return undefined;
  const reached = await scanner.reach(worker.sessionId, worker.id);
  const end = Math.max(offset, seesTail ? (reached ?? screen.offset) : page.nextOffset);
  const rows = reached === null ? [] : await messagesBetween(storage, worker.sessionId, offset, end);
  const { text, count } = appendMessages(lines.trimEnd(), rows, maxBytes);
  const last = rows[count - 1];
  if (last !== undefined) {
    const isAll = count === rows.length && rows.length < OUTPUT_MESSAGES_MAX;
    const nextOffset = isAll ? end : (last.logOffset ?? end);
    return { text, offset, nextOffset, truncated: !isAll || !seesTail, rendered: 'messages' };
  }
  if (!seesTail || lines !== '') return undefined;
  return { text: cutBytes(screen.text, maxBytes), offset, nextOffset: end, truncated: false, rendered: 'screen' };
}

/**
 * Returns a page of an agent without a terminal: its messages after `sinceOffset` or, without `sinceOffset`, its newest
 * messages. A message that is still growing is left out until it is complete, so that a reader who continues from
 * `nextOffset` receives only whole messages.
 */
async function readProtocolMessages(
  { read }: Pick<Storage, 'read'>,
  { sessionId, protocol, scanOffset, createdAt }: WorkerRow,
  { sinceOffset, maxBytes, ended }: { sinceOffset: number | undefined; maxBytes: number; ended: boolean },
): Promise<TextPage> {
  const growing = ended || protocol?.open == null ? undefined : await read.messages.get(protocol.open.rowId);
  const end = growing?.logOffset == null ? scanOffset : growing.logOffset - 1;
  const newest = sinceOffset === undefined;
  const found = await read.messages.find(
    {
      sessionId,
      role: 'agent',
      source: 'acp',
      kind: ['text', 'toolCall'],
      logOffset: { above: sinceOffset ?? -1, below: end + 1 },
      // Messages of earlier processes of the session are left out, because their offsets refer to the logs of those
      // processes.
      createdAt: { above: createdAt },
    },
    { order: newest ? ['-seq'] : ['seq'], limit: OUTPUT_MESSAGES_MAX },
  );
  const { count } = appendMessages('', found, maxBytes);
  const rows = found.slice(0, count);
  const { text } = appendMessages('', newest ? rows.reverse() : rows, maxBytes);
  const first = rows[0]?.logOffset;
  const last = rows.at(-1)?.logOffset;
  const truncated = !newest && (count < found.length || found.length === OUTPUT_MESSAGES_MAX);
  const offset = sinceOffset ?? (first == null ? end : first - 1);
  return { text, offset, nextOffset: truncated && last != null ? last : end, truncated, rendered: 'messages' };
}

/** Returns the agent's messages with log offsets above `offset` and up to `end`. */
async function messagesBetween(
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

/** Appends to `lines`, the rendered output, as many messages of the agent as fit into `maxBytes`, but at least one. */
function appendMessages(lines: string, rows: readonly MessageRow[], maxBytes: number): { text: string; count: number } {
  let text = lines;
  let count = 0;
  for (const row of rows) {
    const more = text === '' ? textOfMessage(row) : `${text}\n${textOfMessage(row)}`;
    if (count > 0 && Buffer.byteLength(more) > maxBytes) break;
    text = more;
    count += 1;
  }
  return { text: count === 1 ? cutMessage(text, maxBytes) : cutBytes(text, maxBytes), count };
}

const CUT_MESSAGE = "… [cut; the session's messages contain the full text]";

/** Cuts a message that is longer than a page, and appends a note about the cut if the page has room for it. */
function cutMessage(text: string, maxBytes: number): string {
  const room = maxBytes - Buffer.byteLength(CUT_MESSAGE);
  if (room <= 0 || Buffer.byteLength(text) <= maxBytes) return cutBytes(text, maxBytes);
  return `${cutBytes(text, room)}${CUT_MESSAGE}`;
}

function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return bytes.subarray(0, lastCompleteCharacter(bytes)).toString('utf8');
}

function readWorkerOutput(context: OperationContext): Implementation<'workers.output'> {
  return async ({ workerId, sinceOffset, format, maxBytes }) => {
    const worker = await workerRow(context.storage.read.workers, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { page } = await readPage(context.runner, workerId, { sinceOffset, format, maxBytes, ended });
    const { bytes, ...range } = page;
    if (format === 'base64') return { data: bytes.toString('base64'), ...range };
    return { text: bytes.toString('utf8'), ...range };
  };
}

function readSessionOutput(context: OperationContext): Implementation<'sessions.output'> {
  return async ({ sessionId, workerId, sinceOffset, format, maxBytes }) => {
    const worker = chooseWorker(await context.storage.read.workers.find({ sessionId }), sessionId, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { page } = await readPage(context.runner, worker.id, { sinceOffset, format, maxBytes, ended });
    const { bytes, ...range } = page;
    return { text: bytes.toString('utf8'), ...range };
  };
}

export function outputOperations(context: OperationContext) {
  return {
    'sessions.output': readSessionOutput(context),
    'workers.output': readWorkerOutput(context),
  } satisfies Partial<Implementations>;
}

import { OUTPUT_CALL_MAX_CHARS, OUTPUT_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import { lastCompleteCharacter } from '../domain/output-text.ts';
import type { TranscriptScanner } from '../engine/transcripts/scanner.ts';
import type { MessageRow } from '../ports/rows/messages.ts';
import type { WorkerRow } from '../ports/rows/workers.ts';
import type { Screens } from '../ports/screens.ts';
import type { Storage } from '../ports/storage.ts';

/** A page of output as an answer shows it. */
export interface ShownPage {
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
export async function readDrawn(
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
    const more = text === '' ? lastMessagesOf(row) : `${text}\n${lastMessagesOf(row)}`;
    if (told > 0 && Buffer.byteLength(more) > maxBytes) break;
    text = more;
    told += 1;
  }
  return { text: cut(text, maxBytes), told };
}

function lastMessagesOf({ kind, parts }: MessageRow): string {
  const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
  return kind === 'toolCall' ? text.replace(/\s+/g, ' ').slice(0, OUTPUT_CALL_MAX_CHARS) : text;
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return bytes.subarray(0, lastCompleteCharacter(bytes)).toString('utf8');
}

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { parseNoticeBlock } from '@agent-console/shared/notice-block';

/** Lines of a prompt (after `@after`) that run when `remaining` more notices have arrived. */
interface WaitingLines {
  remaining: number;
  lines: string;
}

/** Simulated token usage of a turn. Four characters count as one token. */
interface TokenUsage {
  /** Id of the user's message that started the turn. */
  turn: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
}

type Entry =
  | { role: 'user'; id: string; text: string; at: string }
  | { role: 'agent'; id: string; text: string; at: string; used: TokenUsage | null }
  /** The end of a turn. A fork of a running conversation copies only the entries up to the last end of a turn. */
  | { role: 'turnEnd'; id: string; at: string; used: TokenUsage | null; error?: string }
  | { role: 'after'; remaining: number; lines: string; at: string };

export interface Transcript {
  /** Number of messages of the user and the agent so far. */
  readonly messages: number;
  /**
   * Records a submitted text. For each notice in the text, reduces `remaining` of all lines that wait below an `@after`
   * by one. Returns the lines for which enough notices have now arrived.
   */
  user(text: string): WaitingLines[];
  agent(text: string): void;
  /** Records the end of a turn. `error` is the error that ended it, or null. */
  turnEnd(error: string | null): void;
  defer(waiting: WaitingLines): void;
  waitingCount(): number;
  /** Returns the `number`th text that a user submitted (1 = first), or null if there are fewer. */
  recall(number: number): Promise<string | null>;
  /** Returns the result of the `number`th successful tool call (1 = first), or null if there are fewer. */
  toolAnswer(number: number): Promise<string | null>;
  /** Closes the transcript. No entry can be recorded afterwards. */
  close(): void;
}

/** Initial content of a conversation: empty, the entries already in its transcript, or a copy of another transcript. */
export type Beginning = { mode: 'new' } | { mode: 'resume' } | { mode: 'fork'; from: string };

/**
 * Opens the conversation in `file`, which has one JSON object per line. Entries are written before the agent acts on
 * them, so a killed agent loses at most an incomplete last line. Lines below `@after` wait for notices. The number of
 * notices that have arrived is counted from the entries, so that no notice is counted twice.
 * @throws an Error with a message for the user if `beginning` is a new conversation, but the file already contains a
 * conversation.
 */
export async function openTranscript(file: string, beginning: Beginning): Promise<Transcript> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (beginning.mode === 'fork' && sizeOf(file) === 0) await copyFinishedTurns(beginning.from, file);
  const size = sizeOf(file);
  if (beginning.mode === 'new' && size > 0)
    throw new Error(`${file} already contains a conversation; continue it with --resume, or choose another file`);
  const fd = openSync(file, 'a+', 0o600);
  const append = appender(fd);

  let closed = false;
  let messages = 0;
  let waiting: WaitingLines[] = [];
  let used: TokenUsage | null = null;
  const follow = (entry: Entry): WaitingLines[] => {
    if (entry.role === 'after') waiting.push({ remaining: entry.remaining, lines: entry.lines });
    if (entry.role === 'user' || entry.role === 'agent') messages += 1;
    if (entry.role !== 'user') return [];
    const notices = parseNoticeBlock(entry.text)?.length ?? 0;
    waiting = waiting.map((one) => ({ ...one, remaining: one.remaining - notices }));
    const due = waiting.filter((one) => one.remaining <= 0);
    waiting = waiting.filter((one) => one.remaining > 0);
    return due;
  };
  for await (const entry of entries(file)) follow(entry);

  const record = (entry: Entry): WaitingLines[] => {
    if (closed) throw new Error('this conversation is closed');
    append(entry);
    return follow(entry);
  };
  const now = () => new Date().toISOString();
  return {
    get messages() {
      return messages;
    },
    user(text) {
      const id = randomUUID();
      used = { turn: id, inputTokens: tokensOf(text), outputTokens: 0, cacheReadTokens: 0 };
      return record({ role: 'user', id, text, at: now() });
    },
    agent(text) {
      if (used !== null) used = { ...used, outputTokens: used.outputTokens + tokensOf(text) };
      record({ role: 'agent', id: randomUUID(), text, at: now(), used });
    },
    turnEnd: (error) =>
      void record({ role: 'turnEnd', id: randomUUID(), at: now(), used, ...(error !== null && { error }) }),
    defer: ({ remaining, lines }) => void record({ role: 'after', remaining, lines, at: now() }),
    waitingCount: () => waiting.length,
    async recall(number) {
      let count = 0;
      for await (const entry of entries(file)) {
        if (entry.role !== 'user') continue;
        count += 1;
        if (count === number) return entry.text;
      }
      return null;
    },
    async toolAnswer(number) {
      let count = 0;
      for await (const entry of entries(file)) {
        const answer = entry.role === 'agent' ? /^tool \w+: (.*)$/s.exec(entry.text)?.[1] : undefined;
        if (answer === undefined) continue;
        count += 1;
        if (count === number) return answer;
      }
      return null;
    },
    close() {
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/**
 * Copies the entries up to the last finished turn, atomically. Lines after an `@after` that still wait for notices are
 * not copied, because the notices go to the original conversation.
 */
async function copyFinishedTurns(from: string, to: string): Promise<void> {
  let read = 0;
  let finished = 0;
  for await (const entry of entries(from)) {
    read += 1;
    if (entry.role === 'turnEnd') finished = read;
  }
  const partial = `${to}.${process.pid}.part`;
  const fd = openSync(partial, 'w+', 0o600);
  const append = appender(fd);
  read = 0;
  for await (const entry of entries(from)) {
    read += 1;
    if (read > finished) break;
    if (entry.role !== 'after') append(entry);
  }
  closeSync(fd);
  renameSync(partial, to);
}

/**
 * Returns a function that appends entries as whole lines. If a kill or a full disk left an incomplete line, the next
 * entry starts on a new line.
 */
function appender(fd: number): (entry: Entry) => void {
  let isLineIncomplete = !endsLine(fd);
  return (entry) => {
    const json = JSON.stringify(entry).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    const line = Buffer.from(`${isLineIncomplete ? '\n' : ''}${json}\n`);
    isLineIncomplete = true;
    for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
    isLineIncomplete = false;
  };
}

export async function* readTranscript(
  file: string,
): AsyncGenerator<{ role: 'user' | 'agent'; id: string; text: string }> {
  for await (const entry of entries(file)) if (entry.role === 'user' || entry.role === 'agent') yield entry;
}

async function* entries(file: string): AsyncGenerator<Entry> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const entry = parseEntry(line);
    if (entry) yield entry;
  }
}

function parseEntry(line: string): Entry | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { role, text, at, remaining, lines, error, id: storedId, used: storedUse } = value as Record<string, unknown>;
  if (typeof at !== 'string') return null;
  const id = typeof storedId === 'string' ? storedId : randomUUID();
  const used = typeof storedUse === 'object' ? (storedUse as TokenUsage | null) : null;
  if (role === 'user' && typeof text === 'string') return { role, id, text, at };
  if (role === 'agent' && typeof text === 'string') return { role, id, text, at, used };
  if (role === 'turnEnd') return { role, id, at, used, ...(typeof error === 'string' && { error }) };
  if (role === 'after' && typeof remaining === 'number' && typeof lines === 'string')
    return { role, remaining, lines, at };
  return null;
}

function endsLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

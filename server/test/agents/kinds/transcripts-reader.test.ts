import { appendFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TRANSCRIPT_LINE_MAX_BYTES, TRANSCRIPT_READ_BYTES } from '@agent-console/shared/limits/transcripts';
import LibSql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConversations } from '../../../src/agents/conversations.ts';
import type { TranscriptPosition, Transcripts } from '../../../src/ports/transcripts.ts';
import { kinds, OTHER, SESSION } from './request.ts';

let home: string;
let now: Date;
let transcripts: Transcripts;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transcripts-'));
  now = new Date(100_000);
  const sources = { environment: { HOME: home }, transcriptsDir: join(home, 'own'), now: () => now };
  transcripts = createConversations(kinds, sources);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const claudeFile = (id = SESSION) => join(home, '.claude/projects/-demo', `${id}.jsonl`);
const said = (text: string, uuid = text) =>
  `${JSON.stringify({ type: 'assistant', uuid, message: { id: uuid, content: [{ type: 'text', text }] } })}\n`;

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/**
 * Reads from `position` to the end. Returns the texts of messages, the input tokens of each reported usage, and the new
 * position.
 */
async function readOn(
  position: TranscriptPosition,
  kind: 'claude-code' | 'codex' | 'gemini' | 'opencode' = 'claude-code',
  id = SESSION,
) {
  const words: string[] = [];
  const totals: number[] = [];
  for (let at = position; ; ) {
    const page = await transcripts.read(kind, id, at);
    if (page === null) return { words, totals, position: null };
    words.push(...page.readings.flatMap(({ messages }) => messages.map(({ text }) => text)));
    totals.push(...page.readings.flatMap(({ usage }) => usage.map(({ inputTokens }) => inputTokens)));
    at = page.position;
    if (!page.more) return { words, totals, position: at };
  }
}

describe('a conversation in a file', () => {
  it('is null until the agent writes it', async () => {
    expect(await transcripts.read('claude-code', SESSION, {})).toBeNull();
    expect(await transcripts.read('scripted', '../../etc/passwd', {})).toBeNull();
    expect(await transcripts.read('custom', SESSION, {})).toBeNull();
  });

  it('is continued after the last complete line, also from a position that was stored as JSON', async () => {
    await put(claudeFile(), `${said('one')}${said('two')}{"type":"assi`);
    const first = await readOn({});
    expect(first.words).toEqual(['one', 'two']);
    expect((await readOn(first.position ?? {})).words).toEqual([]);
    await appendFile(claudeFile(), `stant","uuid":"half","message":{"content":[{"type":"text","text":"half"}]}}\n`);
    const kept = JSON.parse(JSON.stringify(first.position)) as TranscriptPosition;
    expect((await readOn(kept)).words).toEqual(['half']);
  });

  it('is read from the beginning again after its file was truncated or replaced, even by a longer file', async () => {
    await put(claudeFile(), `${said('one')}${said('two')}`);
    const { position } = await readOn({});
    await put(claudeFile(), said('anew'));
    expect((await readOn(position ?? {})).words).toEqual(['anew']);
    const longer = ['a', 'b', 'c', 'd', 'e'];
    await put(`${claudeFile()}.new`, longer.map((text) => said(`other ${text}`)).join(''));
    await rename(`${claudeFile()}.new`, claudeFile());
    expect((await readOn(position ?? {})).words).toEqual(longer.map((text) => `other ${text}`));
  });

  it('is read in parts of bounded size, and overlong lines are skipped', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(20_000)}`);
    const overlong = said('y'.repeat(TRANSCRIPT_LINE_MAX_BYTES + 1), 'long');
    await put(
      claudeFile(),
      `${many.map((text) => said(text, text.slice(0, 3))).join('')}${overlong}${said('behind it')}`,
    );
    const page = await transcripts.read('claude-code', SESSION, {});
    expect(page?.more).toBe(true);
    const held = JSON.stringify(page?.readings).length;
    expect(held).toBeLessThan(TRANSCRIPT_READ_BYTES * 1.5);
    const { words } = await readOn({});
    expect(words.map((text) => text.slice(0, 9))).toEqual([...many.map((text) => text.slice(0, 9)), 'behind it']);
    const long = `${said('z'.repeat(TRANSCRIPT_READ_BYTES * 2), 'z')}${said('end')}`;
    await put(claudeFile(OTHER), long);
    expect((await readOn({}, 'claude-code', OTHER)).words.map((text) => text.length)).toEqual([
      TRANSCRIPT_READ_BYTES * 2,
      3,
    ]);
  });

  it('is found again after its folder was renamed', async () => {
    await put(claudeFile(), said('one'));
    const { position } = await readOn({});
    await rename(join(home, '.claude/projects/-demo'), join(home, '.claude/projects/-moved'));
    await appendFile(join(home, '.claude/projects/-moved', `${SESSION}.jsonl`), said('two'));
    expect((await readOn(position ?? {})).words).toEqual(['one', 'two']);
  });

  it('of a fork of Codex starts with the messages of the original files up to the fork', async () => {
    const file = (id: string) => join(home, `.codex/sessions/2026/11/22/rollout-2026-11-22T09-21-46-${id}.jsonl`);
    const [first, second, third] = [SESSION, OTHER, '01a20124-0000-7000-8000-000000000003'];
    const line = (type: string, payload: object) =>
      `${JSON.stringify({ timestamp: '2026-11-22T09:21:49.240Z', type, payload })}\n`;
    /**
     * Returns the first line of a file that `codex fork` (0.169.0) writes. The file does not repeat the lines of the
     * original conversation.
     */
    const begin = (id: string, history_base?: object) =>
      line('session_meta', { id, cwd: '/demo', timestamp: '2026-11-22T09:21:46.749Z', source: 'cli', history_base });
    const says = (text: string) =>
      line('response_item', { type: 'message', id: text, role: 'assistant', content: [{ type: 'output_text', text }] });
    const upTo = (thread_id: string, text: string) => ({ thread_id, end_byte_offset: Buffer.byteLength(text) });
    const total = (input_tokens: number) =>
      line('event_msg', { type: 'token_count', info: { total_token_usage: { input_tokens, output_tokens: 1 } } });

    const long = says('x'.repeat(TRANSCRIPT_READ_BYTES)) + says('öne') + total(200);
    const begun = begin(first) + long;
    await put(file(first), begun + says('after the fork'));
    const other = begin(second, upTo(first, begun)) + says('two') + total(300);
    await put(file(second), other + says('later'));
    await put(file(third), begin(third, upTo(second, other)));
    const copied = ['x'.repeat(TRANSCRIPT_READ_BYTES), 'öne', 'two'];
    const read = await readOn({}, 'codex', third);
    expect(read.words).toEqual(copied);
    expect(read.totals).toEqual([200, 300]);
    await appendFile(file(third), says('three'));
    await appendFile(file(first), says('later still'));
    const next = await readOn(read.position ?? {}, 'codex', third);
    expect(next.words).toEqual(['three']);
    expect((await readOn(next.position ?? {}, 'codex', third)).words).toEqual([]);
    expect((await readOn({}, 'codex', second)).words).toEqual([...copied, 'later']);
    await rm(file(first));
    expect((await readOn({}, 'codex', third)).words).toEqual(['two', 'three']);
  });

  it('continues in the next file that Gemini creates for it', async () => {
    const file = (time: string) => join(home, `.gemini/tmp/demo/chats/session-${time}-${SESSION.slice(0, 8)}.jsonl`);
    const line = (text: string) => `${JSON.stringify({ id: text, type: 'gemini', content: text })}\n`;
    await put(file('2026-11-22T02-49'), line('one'));
    const first = await readOn({}, 'gemini');
    await put(
      file('2026-11-22T03-00'),
      `${JSON.stringify({ $set: { messages: [{ id: 'one', type: 'gemini', content: 'one' }] } })}\n${line('two')}`,
    );
    expect(first.words).toEqual(['one']);
    expect((await readOn(first.position ?? {}, 'gemini')).words).toEqual(['one', 'two']);
  });
});

describe('a conversation in the database of opencode', () => {
  it('is read again until it has settled, and reading never creates the database', async () => {
    expect((await readOn({}, 'opencode', 'ses_a')).words).toEqual([]);
    expect(await readdir(home)).toEqual([]);
    await mkdir(join(home, '.local/share/opencode'), { recursive: true });
    const database = new LibSql(join(home, '.local/share/opencode/opencode.db'));
    database.exec(`create table message (id text, session_id text, time_created integer, time_updated integer, data text);
      create table part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text);
      insert into message values ('m1', 'ses_a', 99000, 99000, '{"role":"user"}');`);
    const part = database.prepare("insert into part values (?, 'm1', 'ses_a', ?, ?, ?)");
    part.run('p1', 99_000, 99_000, '{"type":"text","text":"hello"}');
    const first = await readOn({}, 'opencode', 'ses_a');
    expect(first.words).toEqual(['hello']);
    part.run('p2', 99_000, 99_000, '{"type":"text","text":"in the same moment"}');
    const second = await readOn(first.position ?? {}, 'opencode', 'ses_a');
    expect(second.words).toEqual(['hello', 'in the same moment']);
    now = new Date(200_000);
    const settled = await readOn(second.position ?? {}, 'opencode', 'ses_a');
    expect((await readOn(settled.position ?? {}, 'opencode', 'ses_a')).words).toEqual([]);
    database.close();
  });
});

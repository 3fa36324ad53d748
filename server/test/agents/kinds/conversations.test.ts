import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TRANSCRIPT_HEAD_BYTES } from '@agent-console/shared/limits/transcripts';
import LibSql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConversations } from '../../../src/agents/conversations.ts';
import { readOpencodeConversation } from '../../../src/agents/opencode/transcript.ts';
import { kinds, OTHER, SESSION } from './request.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'conversations-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(name: string, text = '{}\n'): Promise<void> {
  await mkdir(dirname(join(home, name)), { recursive: true });
  await writeFile(join(home, name), text);
}
/** Agents ignore these variables if they are empty. */
const EMPTY = { CODEX_HOME: '', GEMINI_CLI_HOME: '', XDG_DATA_HOME: '' };
const here = (environment = {}) =>
  createConversations(kinds, {
    environment: { HOME: home, ...environment },
    transcriptsDir: join(home, 'own'),
    now: () => new Date(),
  });
const GEMINI = `.gemini/tmp/tree/chats/session-2026-11-22T02-49-${SESSION.slice(0, 8)}.jsonl`;
const QUEUED = '{"type":"queue-operation","operation":"enqueue","content":"\\"uuid\\":\\"x"}\n';
/** Lines that Gemini writes at its start, before the first prompt. */
const GEMINI_BEGUN = [
  { sessionId: SESSION, projectHash: 'd2cf', kind: 'main' },
  { $set: { messages: [{ id: '0', timestamp: '', type: 'user', content: [{ text: 'This is the Gemini CLI.' }] }] } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
const trace = (changes: object = {}) => ({
  cwd: '/demo/tree',
  since: '2026-11-22T02:00:00.000Z',
  taken: new Set<string>(),
  ...changes,
});

function codexFile(id: string, cwd: string, timestamp: string): Promise<void> {
  const [day = '', time = ''] = timestamp.split('T');
  const name = `.codex/sessions/${day.replaceAll('-', '/')}/rollout-${day}T${time.slice(0, 8).replaceAll(':', '-')}-${id}.jsonl`;
  return put(name, `${JSON.stringify({ type: 'session_meta', payload: { id, cwd, timestamp, source: 'cli' } })}\n{}\n`);
}

async function opencodeDatabase(): Promise<LibSql.Database> {
  await mkdir(join(home, '.local/share/opencode'), { recursive: true });
  const database = new LibSql(join(home, '.local/share/opencode/opencode.db'));
  database.exec(`create table session (id text, directory text, parent_id text, time_created integer);
    create table message (id text, session_id text, time_created integer, time_updated integer, data text);
    create table part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text);`);
  return database;
}

describe('a conversation', () => {
  it('exists once the agent has written its file', async () => {
    const recording = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
    const there = () => Promise.all(recording.map((kind) => here().exists(kind, SESSION)));
    expect(await there()).toEqual([false, false, false, false]);
    await put(`.claude/projects/-demo-tree/${SESSION}.jsonl`, `${QUEUED}{"type":"user","uuid":"${OTHER}"}\n`);
    await codexFile(SESSION, '/demo/tree', '2026-11-22T02:48:51.752Z');
    await put(GEMINI, `${GEMINI_BEGUN}{"id":"1","timestamp":"2026-11-22T02:49:08.000Z","type":"user","content":[]}\n`);
    expect(await there()).toEqual([true, true, true, false]);
    for (const kind of ['codex', 'gemini'] as const) expect(await here(EMPTY).exists(kind, SESSION)).toBe(true);
    expect(await here().exists('claude-code', OTHER)).toBe(false);
    expect(await here().exists('scripted', SESSION)).toBe(true);
  });

  it('of Claude Code exists, however large its first prompt is', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2 * TRANSCRIPT_HEAD_BYTES) };
    const message = { role: 'user', content: [{ type: 'image', source }] };
    const line = JSON.stringify({ parentUuid: null, isSidechain: false, type: 'user', message, uuid: OTHER });
    await put(`.claude/projects/-demo-tree/${SESSION}.jsonl`, `${QUEUED}${line}\n`);
    expect(await here().exists('claude-code', SESSION)).toBe(true);
    await put(`.claude/projects/-demo-tree/${SESSION}.jsonl`, '\0'.repeat(2 * TRANSCRIPT_HEAD_BYTES));
    expect(await here().exists('claude-code', SESSION)).toBe(false);
  });

  it('does not exist while its file has nothing that the agent would resume', async () => {
    const there = async (kind: 'claude-code' | 'codex' | 'gemini', name: string, text: string) => {
      await put(name, text);
      return here().exists(kind, SESSION);
    };
    const claude = `.claude/projects/-demo-tree/${SESSION}.jsonl`;
    const codex = `.codex/sessions/2026/11/22/rollout-2026-11-22T02-48-51-${SESSION}.jsonl`;
    for (const text of ['', '\0\0\0\0']) {
      expect(await there('claude-code', claude, text)).toBe(false);
      expect(await there('codex', codex, text)).toBe(false);
      expect(await there('gemini', GEMINI, text)).toBe(false);
    }
    // Claude Code and Gemini write these lines before the first prompt. Neither agent could resume a conversation that
    // has only these lines.
    expect(await there('claude-code', claude, QUEUED)).toBe(false);
    expect(await there('gemini', GEMINI, GEMINI_BEGUN)).toBe(false);
    await put(
      GEMINI.replace('02-49', '02-50'),
      `${GEMINI_BEGUN}{"id":"2","timestamp":"","type":"gemini","content":""}\n`,
    );
    expect(await here().exists('gemini', SESSION)).toBe(true);
  });

  it('of Codex is found by folder and time if only one matches', async () => {
    await codexFile(SESSION, '/demo/tree', '2026-11-22T02:48:51.752Z');
    await codexFile('01a20124-0000-7000-8000-000000000001', '/demo/other', '2026-11-22T02:49:00.000Z');
    await codexFile('01a20124-0000-7000-8000-000000000002', '/demo/tree', '2026-11-22T01:00:00.000Z');
    await codexFile('01a20124-0000-7000-8000-000000000003', '/demo/tree', '2025-01-01T01:00:00.000Z');
    expect(await here().find('codex', trace())).toBe(SESSION);
    expect(await here().find('codex', trace({ cwd: '/demo/none' }))).toBeNull();
    expect(await here().find('codex', trace({ taken: new Set([SESSION]) }))).toBeNull();
    await codexFile(OTHER, '/demo/tree', '2026-11-22T03:00:00.000Z');
    expect(await here().find('codex', trace())).toBeNull();
    expect(await here().find('codex', trace({ taken: new Set([SESSION]) }))).toBe(OTHER);
    expect(await here().find('claude-code', trace())).toBeNull();
  });

  it('of Gemini is found by folder and time, except for conversations without a prompt', async () => {
    const begins = async (id: string, tree: string, startTime: string, more: string, kind = 'main') => {
      const head = JSON.stringify({ sessionId: id, projectHash: 'd2cf', startTime, kind });
      await put(`.gemini/tmp/${tree}/.project_root`, `/demo/${tree}`);
      await put(`.gemini/tmp/${tree}/chats/session-x-${id.slice(-8)}.jsonl`, `${head}\n${more}`);
    };
    const said = '{"id":"1","timestamp":"","type":"user","content":[]}\n';
    const at = '2026-11-22T02:48:51.752Z';
    await begins('01a20124-0000-7000-8000-000000000001', 'tree', at, '');
    await begins('01a20124-0000-7000-8000-000000000002', 'other', at, said);
    await begins('01a20124-0000-7000-8000-000000000003', 'tree', '2026-11-22T01:00:00.000Z', said);
    await begins('01a20124-0000-7000-8000-000000000004', 'tree', at, said, 'subagent');
    await put('.gemini/tmp/tree/chats/session-x-broken.jsonl', '{"sess');
    expect(await here().find('gemini', trace())).toBeNull();
    await begins(SESSION, 'tree', at, said);
    expect(await here().find('gemini', trace())).toBe(SESSION);
    expect(await here().find('gemini', trace({ cwd: '/demo/none' }))).toBeNull();
    expect(await here().find('gemini', trace({ taken: new Set([SESSION]) }))).toBeNull();
  });

  it('of opencode is found in its database, except for those of subagents', async () => {
    const database = await opencodeDatabase();
    const since = Date.parse(trace().since);
    const insert = database.prepare('insert into session values (?, ?, ?, ?)');
    insert.run('ses_a', '/demo/tree', null, since + 1);
    insert.run('ses_b', '/demo/tree', 'ses_a', since + 2);
    insert.run('ses_c', '/demo/tree', null, since - 1);
    expect(await here().find('opencode', trace())).toBe('ses_a');
    expect(await here(EMPTY).find('opencode', trace())).toBe('ses_a');
    expect(await here().exists('opencode', 'ses_a')).toBe(true);
    expect(await here().exists('opencode', 'ses_z')).toBe(false);
    database.close();
  });

  it('of opencode is read from where the last reading ended, while opencode writes', async () => {
    const database = await opencodeDatabase();
    const message = database.prepare('insert into message values (?, ?, ?, ?, ?)');
    const part = database.prepare('insert into part values (?, ?, ?, ?, ?, ?)');
    message.run('m1', 'ses_a', 1, 1, '{"role":"user"}');
    part.run('p1', 'm1', 'ses_a', 1, 2, '{"type":"text","text":"hello"}');
    const environment = { HOME: home };
    const first = readOpencodeConversation(environment, 'ses_a', 0);
    const at = '1970-01-01T00:00:00.001Z';
    expect(first.readings.flatMap(({ messages }) => messages)).toEqual([
      { nativeId: 'p1', role: 'user', kind: 'text', text: 'hello', at },
    ]);
    expect(first).toMatchObject({ readTo: 2, more: false });
    part.run('p2', 'm1', 'ses_a', 3, 3, 'no json');
    part.run('p3', 'm1', 'ses_a', 3, 4, '{"type":"text","text":"more"}');
    const next = readOpencodeConversation(environment, 'ses_a', first.readTo + 1);
    expect(next.readings.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual(['more']);
    database.close();
  });

  it('of opencode ends a turn only with the newest answer, even if an earlier one is updated later', async () => {
    const database = await opencodeDatabase();
    const message = database.prepare('insert into message values (?, ?, ?, ?, ?)');
    const answer = '{"role":"assistant","time":{"completed":1},"finish":"stop"}';
    message.run('m1', 'ses_a', 1, 1, '{"role":"user"}');
    message.run('m2', 'ses_a', 2, 2, answer);
    const ends = () =>
      readOpencodeConversation({ HOME: home }, 'ses_a', 0).readings.filter(({ turnEnd }) => turnEnd !== undefined);
    expect(ends()).toEqual([expect.objectContaining({ turnEnd: { how: 'answered', error: null } })]);
    message.run('m3', 'ses_a', 3, 3, '{"role":"user"}');
    database.prepare('update message set time_updated = 4 where id = ?').run('m2');
    expect(ends()).toEqual([]);
    message.run('m4', 'ses_a', 5, 5, answer);
    expect(ends()).toHaveLength(1);
    database.close();
  });

  it('of a fork of opencode has the times of the original messages', async () => {
    const database = await opencodeDatabase();
    const message = database.prepare('insert into message values (?, ?, ?, ?, ?)');
    const part = database.prepare('insert into part values (?, ?, ?, ?, ?, ?)');
    // A message that opencode copies keeps its time, but the parts of the message have the time of the copy.
    message.run('m9', 'ses_b', 1_000, 9_000, '{"role":"user"}');
    part.run('p9', 'm9', 'ses_b', 9_001, 9_001, '{"type":"text","text":"copied"}');
    const { readings } = readOpencodeConversation({ HOME: home }, 'ses_b', 0);
    expect(readings.flatMap(({ messages }) => messages)).toMatchObject([
      { text: 'copied', at: '1970-01-01T00:00:01.000Z' },
    ]);
    database.close();
  });

  it('of an opencode with another database schema is not found, without an error', async () => {
    await mkdir(join(home, '.local/share/opencode'), { recursive: true });
    const database = new LibSql(join(home, '.local/share/opencode/opencode.db'));
    database.exec('create table other (id text)');
    database.close();
    expect(await here().find('opencode', trace())).toBeNull();
    // The console cannot look for the conversation in this schema, so it assumes that opencode has the conversation.
    expect(await here().exists('opencode', 'ses_a')).toBe(true);
    expect(readOpencodeConversation({ HOME: home }, 'ses_a', 7)).toEqual({ readings: [], readTo: 7, more: false });
  });
});

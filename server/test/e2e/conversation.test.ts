import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@agent-console/shared/models/message';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { killServer } from './support/kill.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const newSession = async () => (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
const messagesOf = async (sessionId: string) =>
  (await c.client.call('sessions.messages', { sessionId, limit: 500 })).data;
const textOf = ({ parts }: Message) => parts.map(({ text }) => text).join();
const told = (messages: readonly Message[]) => messages.map((each) => `${each.source} ${each.role}: ${textOf(each)}`);

/** Gives a prompt and answers its ended task. */
async function prompt(sessionId: string, text: string) {
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: text });
  return c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });
}

/** Waits until a session has this many messages, and answers all it has. */
const whenSaid = (sessionId: string, count: number) =>
  c.until(`${count} messages`, async () => {
    const messages = await messagesOf(sessionId);
    return messages.length >= count && messages;
  });

const transcriptFile = (sessionId: string) => join(c.home, 'transcripts', `${sessionId}.jsonl`);

/** What the agent's own record says it used: of each turn the last it tells. */
function usedByRecord(sessionId: string): { inputTokens: number; outputTokens: number } {
  const turns = new Map<string, { inputTokens: number; outputTokens: number }>();
  for (const line of readFileSync(transcriptFile(sessionId), 'utf8').split('\n')) {
    const { used } = line === '' ? { used: undefined } : JSON.parse(line);
    if (used) turns.set(used.turn, used);
  }
  const sum = { inputTokens: 0, outputTokens: 0 };
  for (const { inputTokens, outputTokens } of turns.values()) {
    sum.inputTokens += inputTokens;
    sum.outputTokens += outputTokens;
  }
  return sum;
}

describe('the conversation of an agent in a terminal', () => {
  it('has each prompt and each answer once, in order, also when the server is killed between and it is resumed', async () => {
    const sessionId = await newSession();
    await prompt(sessionId, '@say one\n@say two');
    await whenSaid(sessionId, 3);
    await killServer(c);
    await prompt(sessionId, '@say three');
    await c.client.call('sessions.stop', { sessionId });
    await killServer(c);
    await prompt(sessionId, '@say four');
    const messages = await whenSaid(sessionId, 7);
    expect(told(messages)).toEqual([
      'console user: @say one\n@say two',
      'transcript agent: one',
      'transcript agent: two',
      'console user: @say three',
      'transcript agent: three',
      'console user: @say four',
      'transcript agent: four',
    ]);
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const tasks = (await c.client.call('sessions.tasks', { sessionId })).data.map(({ id }) => id);
    expect(messages.map(({ taskId }) => tasks.indexOf(taskId ?? ''))).toEqual([0, 0, 0, 1, 1, 2, 2]);
    expect((await c.client.call('sessions.get', { sessionId })).messageCount).toBe(7);
  });

  it('is taken in once whenever the server is killed while the agent speaks', { timeout: 120_000 }, async () => {
    const sessionId = await newSession();
    const lines = Array.from({ length: 60 }, (_, index) => `@say line ${index}\n@sleep 40`);
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: lines.join('\n') });
    for (const enough of [5, 20, 40]) {
      await whenSaid(sessionId, enough);
      await killServer(c);
    }
    await c.until('the end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
    const messages = await whenSaid(sessionId, 61);
    expect(messages.slice(1).map(textOf)).toEqual(lines.map((_, index) => `line ${index}`));
  });

  it('is never mixed with that of another session in the same folder', async () => {
    const [one, other] = [await newSession(), await newSession()];
    await Promise.all([prompt(one, '@say I am one'), prompt(other, '@say I am the other')]);
    expect((await whenSaid(one, 2)).map(textOf)).toEqual(['@say I am one', 'I am one']);
    expect((await whenSaid(other, 2)).map(textOf)).toEqual(['@say I am the other', 'I am the other']);
  });

  it('has what a person types at the keyboard, which belongs to no task', async () => {
    const sessionId = await newSession();
    const before = await prompt(sessionId, '@say for a task');
    const { workers } = await c.client.call('sessions.get', { sessionId });
    await c.client.call('workers.input', { workerId: workers[0]?.id ?? '', data: '@say by hand\r' });
    const messages = await whenSaid(sessionId, 4);
    expect(told(messages.slice(2))).toEqual(['transcript user: @say by hand', 'transcript agent: by hand']);
    expect(messages.slice(2).map(({ taskId }) => taskId)).toEqual([null, null]);
    const { usage } = await c.client.call('tasks.get', { taskId: before.id });
    const used = usedByRecord(sessionId);
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeLessThan(used.outputTokens);
  });

  it('does not tell prompts again that were repeated word for word', async () => {
    const sessionId = await newSession();
    for (let turn = 0; turn < 3; turn += 1) await prompt(sessionId, '@say again');
    const messages = await whenSaid(sessionId, 6);
    expect(told(messages)).toEqual([1, 2, 3].flatMap(() => ['console user: @say again', 'transcript agent: again']));
    expect(new Set(messages.map(({ taskId }) => taskId)).size).toBe(3);
  });

  it('keeps the notice and what the agent says to it in one task', async () => {
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    const main = data.find((worktree) => worktree.kind === 'main');
    const parent = await c.client.call('sessions.create', { worktreeId: main?.id ?? '', agentId: 'scripted' });
    await prompt(parent.id, `@tool delegate_to_worktree {"prompt":"@report succeeded fine"}`);
    const messages = await c.until('the notice', async () => {
      const all = await messagesOf(parent.id);
      return all.some((each) => textOf(each).startsWith('noticed 1')) && all;
    });
    const notice = messages.filter(({ kind }) => kind === 'notice');
    expect(notice).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ source: 'transcript', role: 'agent', taskId: notice[0]?.taskId });
    expect(messages.filter(({ role }) => role !== 'agent').map(({ source }) => source)).toEqual(['console', 'console']);
    const [child] = (await c.client.call('delegations.list', { parentSessionId: parent.id })).data;
    const said = (await messagesOf(child?.sessionId ?? '')).map((each) => `${each.source} ${each.role}`);
    expect(said.slice(0, 1)).toEqual(['console user']);
    expect(said.filter((each) => each === 'console agent')).toHaveLength(1);
  });

  it('tells live viewers that it grew, once for what was read at once', async () => {
    const sessionId = await newSession();
    await prompt(sessionId, Array.from({ length: 30 }, (_, index) => `@say ${index}`).join('\n'));
    await whenSaid(sessionId, 31);
    const { data } = await c.client.call('sessions.events', { sessionId, limit: 500 });
    const grown = data.filter(({ type }) => type === 'conversation.grown');
    expect(grown.reduce((sum, { data: { count } }) => sum + Number(count), 0)).toBe(30);
    expect(grown.length).toBeLessThan(30);
  });

  it('goes with its session', async () => {
    const sessionId = await newSession();
    await prompt(sessionId, '@say soon gone');
    await whenSaid(sessionId, 2);
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.remove', { sessionId });
    await expect(messagesOf(sessionId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('what a task used', () => {
  it('is counted once, however often the agent tells it', async () => {
    const sessionId = await newSession();
    const { id: taskId } = await prompt(sessionId, '@say one\n@say two\n@say three');
    const task = await c.until('the whole usage', async () => {
      const now = await c.client.call('tasks.get', { taskId });
      return now.usage?.outputTokens === usedByRecord(sessionId).outputTokens && now;
    });
    expect(task.usage).toEqual({ ...usedByRecord(sessionId), cacheReadTokens: 0, costUsd: null, source: 'transcript' });
    const record = transcriptFile(sessionId);
    const again = readFileSync(record, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"turnEnd"'));
    appendFileSync(record, again.map((line) => `${line}\n`).join(''));
    await prompt(sessionId, '@say behind it');
    await whenSaid(sessionId, 6);
    expect((await c.client.call('tasks.get', { taskId })).usage).toEqual(task.usage);
  });

  it('is brought up to date after its end, which changes nothing else', async () => {
    const sessionId = await newSession();
    const { id: taskId } = await prompt(sessionId, '@say done');
    const before = await c.until('some usage', async () => {
      const now = await c.client.call('tasks.get', { taskId });
      return now.usage !== null && now;
    });
    const last = readFileSync(transcriptFile(sessionId), 'utf8').trim().split('\n').at(-1) ?? '';
    const entry = JSON.parse(last) as { used: { outputTokens: number } };
    appendFileSync(
      transcriptFile(sessionId),
      `${JSON.stringify({ ...entry, used: { ...entry.used, outputTokens: 4_321 } })}\n`,
    );
    const after = await c.until('late usage', async () => {
      const now = await c.client.call('tasks.get', { taskId });
      return now.usage?.outputTokens === 4_321 && now;
    });
    expect({ ...after, usage: null }).toEqual({ ...before, usage: null });
  });

  it('does not change when the record is replaced by a copy of itself', async () => {
    const sessionId = await newSession();
    const { id: taskId } = await prompt(sessionId, '@say one\n@say two');
    await whenSaid(sessionId, 3);
    const record = transcriptFile(sessionId);
    const text = readFileSync(record, 'utf8');
    writeFileSync(record, `{"role":"note","at":"2026-01-01T00:00:00.000Z"}\n${text}`);
    await prompt(sessionId, '@say three');
    expect((await whenSaid(sessionId, 5)).map(textOf)).toEqual([
      '@say one\n@say two',
      'one',
      'two',
      '@say three',
      'three',
    ]);
    const { usage } = await c.client.call('tasks.get', { taskId });
    expect(usage?.inputTokens).toBe(Math.ceil('@say one\n@say two'.length / 4));
  });
});

describe('the last words of a turn', () => {
  it('are the summary of a task that ends with it', async () => {
    const task = await prompt(await newSession(), '@say looked at it\n@say all is well');
    expect(task).toMatchObject({ certain: false, summary: 'all is well' });
  });

  it('are told to who gave work away when no report came', async () => {
    const { reminderSeconds } = await c.client.call('settings.get', {});
    await c.client.call('settings.update', { reminderSeconds: 1 });
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    const main = data.find((worktree) => worktree.kind === 'main');
    const parent = await c.client.call('sessions.create', { worktreeId: main?.id ?? '', agentId: 'scripted' });
    await prompt(parent.id, '@tool delegate_to_worktree {"prompt":"@say pears are ripe"}');
    const notice = await c.until('a notice', async () => {
      const all = await c.client.call('sessions.notices', { sessionId: parent.id });
      return all.data[0];
    });
    await c.client.call('settings.update', { reminderSeconds });
    expect(notice.summary).toMatch(
      /no report\. Its last words:\npears are ripe\nReminded to report, it said:\nreminded to report$/,
    );
    const messages = await messagesOf(notice.about.sessionId);
    expect(told(messages).filter((each) => each.startsWith('transcript system'))).toHaveLength(1);
  });
});

/** A program that tells the end of its turns as Claude Code's hooks do, and writes its record when it is told to. */
const TELLER = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const { hooks } = JSON.parse(fs.readFileSync(option('--settings'), 'utf8'));
const session_id = option('--session-id');
const tell = (hook_event_name, more) =>
  execFileSync('sh', ['-c', hooks[hook_event_name][0].hooks[0].command], {
    input: JSON.stringify({ session_id, hook_event_name, ...more }),
  });
const lines = [];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'record') {
    const folder = process.env.HOME + '/.claude/projects/-teller';
    fs.mkdirSync(folder, { recursive: true });
    const entries = lines.flatMap((text, index) => [
      { type: 'user', uuid: 'u' + index, message: { content: text } },
      { type: 'assistant', uuid: 'a' + index, message: { content: [{ type: 'text', text: 'heard ' + text }] } },
    ]);
    fs.writeFileSync(folder + '/' + session_id + '.jsonl', entries.map((entry) => JSON.stringify(entry) + '\\n').join(''));
    return;
  }
  lines.push(line);
  tell('UserPromptSubmit', { prompt: line });
  tell('Stop', { last_assistant_message: 'heard ' + line });
});
console.log('ready');
`;

describe('an agent whose record cannot be read', () => {
  it('is heard through its hooks, and not twice when the record is there after all', async () => {
    const program = join(c.folder, 'teller');
    writeFileSync(program, TELLER);
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'teller', name: 'Teller', kind: 'claude-code', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'teller' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const type = (line: string) => c.client.call('workers.input', { workerId, data: `${line}\r` });
    await c.until('the program', async () =>
      (await c.client.call('workers.screen', { workerId })).text.includes('ready'),
    );
    await type('apple');
    expect(told(await whenSaid(sessionId, 1))).toEqual(['hook agent: heard apple']);
    await type('record');
    expect(told(await whenSaid(sessionId, 2)).sort()).toEqual([
      'transcript agent: heard apple',
      'transcript user: apple',
    ]);
  });
});

/** A program that draws on the alternate screen and keeps a record of its conversation as Claude Code does. */
const PAINTER = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --session-id ] && id=$2; shift; done
folder=$HOME/.claude/projects/-painter
mkdir -p "$folder"
stty -echo
printf 'welcome\\n\\033[?1049h\\033[H\\033[2J> '
count=0
while IFS= read -r line; do
  count=$((count + 1))
  printf '{"type":"user","uuid":"u%s","message":{"role":"user","content":"%s"}}\\n' $count "$line" >> "$folder/$id.jsonl"
  printf '{"type":"assistant","uuid":"a%s","message":{"id":"m%s","content":[{"type":"text","text":"drew %s"}]}}\\n' $count $count "$line" >> "$folder/$id.jsonl"
  printf '\\033[H\\033[2Jpicture of %s> ' "$line"
done
`;

describe('the output, as text, of an agent that draws on the alternate screen', () => {
  it('is what it said, each message once across pages, and else its screen', async () => {
    const program = join(c.folder, 'painter');
    writeFileSync(program, PAINTER);
    chmodSync(program, 0o755);
    await c.client.call('agents.create', { id: 'painter', name: 'Painter', kind: 'claude-code', command: [program] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'painter' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const read = (sinceOffset: number, maxBytes = 4_096) =>
      c.client.call('sessions.output', { sessionId, sinceOffset, maxBytes });
    const first = await c.until('its screen', async () => {
      const page = await read('welcome\r\n'.length);
      return page.rendered === 'screen' && page.text?.includes('>') && page;
    });
    const draw = async (name: string) => {
      await c.client.call('workers.input', { workerId, data: `${name}\r` });
      await c.until('the picture', async () =>
        (await c.client.call('workers.screen', { workerId })).text.includes(`of ${name}`),
      );
    };

    const pages: string[] = [];
    let offset = first.nextOffset;
    for (const name of ['apple', 'pear', 'plum', 'fig']) {
      await draw(name);
      const page = await c.until('its words', async () => {
        const now = await read(offset);
        return now.rendered === 'messages' && now;
      });
      pages.push(page.text ?? '');
      offset = page.nextOffset;
    }
    expect(pages).toEqual(['drew apple', 'drew pear', 'drew plum', 'drew fig']);
    expect(await read(offset)).toMatchObject({ rendered: 'screen', nextOffset: offset, truncated: false });

    // From the beginning, in pages that hold one message each.
    let all = '';
    for (let at = 0, more = true; more; ) {
      const page = await read(at, 64);
      if (page.rendered !== 'screen') all += `${page.text}|`;
      more = page.truncated;
      at = page.nextOffset;
    }
    for (const name of ['apple', 'pear', 'plum', 'fig']) expect(all.split(`drew ${name}`)).toHaveLength(2);
    expect(all.indexOf('welcome')).toBeLessThan(all.indexOf('drew apple'));
    expect((await messagesOf(sessionId)).map(({ logOffset }) => logOffset !== null)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});

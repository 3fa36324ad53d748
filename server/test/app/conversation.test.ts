import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationsIn, textOf, told } from '../e2e/support/conversations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { messagesOf, newSession, prompt, whenSaid } = conversationsIn(() => c);

const transcriptFile = (sessionId: string) => join(c.home, 'transcripts', `${sessionId}.jsonl`);

/** Returns the token usage according to the agent's transcript: the sum of the last usage record of each turn. */
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

describe('the conversation of an agent', () => {
  it('is never mixed with that of another session in the same folder', async () => {
    const [one, other] = [await newSession(), await newSession()];
    await Promise.all([prompt(one, '@say I am one'), prompt(other, '@say I am the other')]);
    expect((await whenSaid(one, 2)).map(textOf)).toEqual(['@say I am one', 'I am one']);
    expect((await whenSaid(other, 2)).map(textOf)).toEqual(['@say I am the other', 'I am the other']);
  });

  it('includes prompts typed at the keyboard, which belong to no task', async () => {
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

  it('does not store prompts again that were repeated verbatim', async () => {
    const sessionId = await newSession();
    for (let turn = 0; turn < 3; turn += 1) await prompt(sessionId, '@say again');
    const messages = await whenSaid(sessionId, 6);
    expect(told(messages)).toEqual([1, 2, 3].flatMap(() => ['console user: @say again', 'transcript agent: again']));
    expect(new Set(messages.map(({ taskId }) => taskId)).size).toBe(3);
  });

  it("stores a notice and the agent's response in one task", async () => {
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

  it('is announced to live viewers, once per batch of messages', async () => {
    const sessionId = await newSession();
    await prompt(sessionId, Array.from({ length: 30 }, (_, index) => `@say ${index}`).join('\n'));
    await whenSaid(sessionId, 31);
    const { data } = await c.client.call('sessions.events', { sessionId, limit: 500 });
    const grown = data.filter(({ type }) => type === 'conversation.grown');
    expect(grown.reduce((sum, { data: { count } }) => sum + Number(count), 0)).toBe(30);
    expect(grown.length).toBeLessThan(30);
  });

  it('is removed with its session', async () => {
    const sessionId = await newSession();
    await prompt(sessionId, '@say soon gone');
    await whenSaid(sessionId, 2);
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.remove', { sessionId });
    await expect(messagesOf(sessionId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the token use of a task', () => {
  it('is counted once, however often the agent reports it', async () => {
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

  it("is updated after the task's end without changing anything else", async () => {
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

  it('does not change when the transcript is replaced by a copy of itself', async () => {
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

describe('the last message of a turn', () => {
  it('is the summary of a task that ends with the turn', async () => {
    const task = await prompt(await newSession(), '@say looked at it\n@say all is well');
    expect(task).toMatchObject({ certain: false, summary: 'all is well' });
  });

  it('is reported to the delegating session if no report was sent', async () => {
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
      /without a report\. Its last message:\npears are ripe\nIts reply to the reminder:\nreminded to report$/,
    );
    const messages = await messagesOf(notice.about.sessionId);
    expect(told(messages).filter((each) => each.startsWith('transcript system'))).toHaveLength(1);
  });
});

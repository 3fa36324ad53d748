import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import type { Editor } from '../../support/editor.ts';
import { editorsOf, failure, kinds } from './editors.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { get, finished } = sessionsOf(() => c);
const { open, newSession, prompt, load } = editorsOf(() => c);

const MESSAGES: readonly string[] = [
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
];
const messageKinds = (editor: Editor, sessionId: string) =>
  kinds(editor, sessionId).filter((kind) => MESSAGES.includes(kind));

describe('a stored session', () => {
  const made = async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    await prompt(editor, sessionId, '@say one\n@thought hm\n@plan a + | b\n@edit l.txt made\n@chunks 20 word');
    return sessionId;
  };

  it('is loaded with its whole conversation before the answer', async () => {
    const sessionId = await made();
    const editor = await open();
    // The conversation is only in the updates. The answer has nothing but the choices that the agent offers.
    expect(Object.keys(await load(editor, sessionId)).sort()).toEqual(['configOptions', 'modes']);
    const replayed = [
      'user_message_chunk',
      'agent_message_chunk',
      'agent_thought_chunk',
      'plan',
      'tool_call',
      'agent_message_chunk',
    ];
    expect(messageKinds(editor, sessionId)).toEqual(replayed);
    const { total } = await c.client.call('sessions.messages', { sessionId });
    expect(total).toBe(6);
    await prompt(editor, sessionId, '@recall 1');
    expect(editor.said(sessionId)).toContain('message 1: @say one');
    expect(messageKinds(editor, sessionId)).toEqual([...replayed, 'agent_message_chunk']);
  });

  it('is loaded completely with an agent in a terminal', async () => {
    const first = await open({ agentId: 'scripted' });
    const sessionId = await newSession(first);
    for (const text of ['@say one\n@write p.txt two', '@say three']) await prompt(first, sessionId, text);
    const { data } = await c.client.call('sessions.messages', { sessionId });
    expect(data.map(({ role }) => role)).toEqual(['user', 'agent', 'agent', 'user', 'agent']);
    const editor = await open();
    await load(editor, sessionId);
    const texts = editor.of(sessionId).map((each) => 'content' in each && each.content);
    expect(texts).toEqual(data.map(({ parts }) => parts[0]));
  });

  it('is loaded once with more messages than a page has', async () => {
    const first = await open();
    const sessionId = await newSession(first);
    const count = PAGE_MAX + 10;
    const lines = Array.from({ length: count }, (_, at) => `@say ${at}`);
    await prompt(first, sessionId, lines.join('\n'));
    const editor = await open();
    await load(editor, sessionId);
    const { total } = await c.client.call('sessions.messages', { sessionId });
    expect(total).toBe(count + 1);
    expect(messageKinds(editor, sessionId)).toHaveLength(total);
    expect(editor.said(sessionId)).toBe(Array.from({ length: count }, (_, at) => at).join(''));
  });

  it('is loaded during a turn, of which every part arrives once', async () => {
    const first = await open();
    const sessionId = await newSession(first);
    const ended = prompt(first, sessionId, '@say before\n@chunks 2000 w\n@permission Write a.txt\n@say after');
    await c.until('the first chunk', () => first.said(sessionId).includes('w0 '));
    const editor = await open();
    await load(editor, sessionId);
    const { answer } = await c.until('the question', () => editor.asked[0]);
    answer('yes');
    await ended;
    const words = Array.from({ length: 2_000 }, (_, at) => `w${at} `).join('');
    const said = `before${words}Write allowedafter`;
    await c.until('the last words', () => editor.said(sessionId).endsWith('after'));
    expect(editor.said(sessionId)).toBe(said);
    expect(first.said(sessionId)).toBe(said);
    expect(kinds(editor, sessionId).filter((kind) => kind === 'user_message_chunk')).toHaveLength(1);
    expect(kinds(editor, sessionId).filter((kind) => kind === 'tool_call')).toHaveLength(1);
  });

  it('is resumed without its conversation', async () => {
    const sessionId = await made();
    const editor = await open();
    await editor.agent.request('session/resume', { sessionId, cwd: c.folder });
    await prompt(editor, sessionId, '@say next');
    expect(editor.said(sessionId)).toBe('next');
  });

  it('answers a prompt that is still being sent when the session is loaded again', async () => {
    let release = () => {};
    const loaded = new Promise<void>((resolve) => {
      release = resolve;
    });
    const editor = await open({ hold: (operation) => (operation === 'sessions.prompt' ? loaded : undefined) });
    const sessionId = await newSession(editor);
    const sent = failure(prompt(editor, sessionId, '@say on\n@sleep 600000'));
    await editor.agent.request('session/load', { sessionId, cwd: c.folder, mcpServers: [] });
    release();
    expect((await sent)?.message).toContain('closed, or was opened again');
    await c.until('the prompt that continues', () => editor.said(sessionId) === 'on');
    await c.client.call('sessions.stop', { sessionId });
  });

  it('sends no more updates after it is closed', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const ended = failure(prompt(editor, sessionId, '@say first\n@sleep 60000'));
    await c.until('the first words', () => editor.said(sessionId) === 'first');
    await editor.agent.request('session/close', { sessionId });
    await ended;
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say unseen' });
    await finished(sessionId);
    expect(editor.said(sessionId)).toBe('first');
    expect((await get(sessionId)).workers[0]?.state).toBe('running');
  });
});

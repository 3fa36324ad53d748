import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import { type Editor, openEditor, textPrompt } from '../../support/editor.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const editors: Editor[] = [];
const open = async (options?: Parameters<typeof openEditor>[1]) => {
  const editor = await openEditor(c, options);
  editors.push(editor);
  return editor;
};
afterEach(() => {
  for (const { invalid, errors, close } of editors.splice(0)) {
    close();
    expect(invalid).toEqual([]);
    expect(errors).toEqual([]);
  }
});

const newSession = async ({ agent }: Editor, cwd = c.folder) =>
  (await agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
const prompt = ({ agent }: Editor, sessionId: string, text: string) =>
  agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { code: number; message: string }) => error,
  );

describe('a session of an editor', () => {
  it.each(['scripted-acp', 'scripted'])('streams the turn of a prompt by agent %s', async (agentId) => {
    const editor = await open({ agentId });
    const sessionId = await newSession(editor);
    expect(await prompt(editor, sessionId, '@say hello')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe('hello');
    expect(editor.of(sessionId).filter((each) => each.sessionUpdate === 'user_message_chunk')).toEqual([]);
  });

  it('ends a cancelled prompt as cancelled', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, '@say first\n@sleep 60000');
    await c.until('the first words', () => editor.said(sessionId) === 'first');
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await ended).toEqual({ stopReason: 'cancelled' });
    expect(await prompt(editor, sessionId, '@say next')).toEqual({ stopReason: 'end_turn' });
  });

  it('is refused before initialize', async () => {
    const editor = await open({ isSilent: true });
    expect(await failure(editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] }))).toMatchObject({
      code: -32_600,
    });
  });
});

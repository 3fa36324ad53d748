import type { ContentBlock } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import { refusal } from '../../support/calling.ts';
import { type Editor, openEditor, textPrompt } from '../../support/editor.ts';
import { png } from '../../support/images.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['cat'] });
});
afterAll(() => c.close());

const editors: Editor[] = [];
const open = async (agentId: string) => {
  const editor = await openEditor(c, { agentId });
  editors.push(editor);
  const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] });
  const prompt = (...prompt: ContentBlock[]) => editor.agent.request('session/prompt', { sessionId, prompt });
  return { editor, sessionId, prompt };
};
afterEach(() => {
  for (const { invalid, errors, close } of editors.splice(0)) {
    close();
    expect(invalid).toEqual([]);
    expect(errors).toEqual([]);
  }
});

const imageOf = (content: Buffer) => ({
  type: 'image' as const,
  data: content.toString('base64'),
  mimeType: 'image/png',
});
const [text] = textPrompt('@images');
const chunks = (editor: Editor, sessionId: string) =>
  editor
    .of(sessionId)
    .flatMap((each) => (each.sessionUpdate === 'user_message_chunk' && 'content' in each ? [each.content] : []));

it.each(['scripted-acp', 'scripted'])(
  'images of a prompt reach the agent %s, and every editor that opens the session',
  async (agentId) => {
    const { editor, sessionId, prompt } = await open(agentId);
    const [small, large] = [png(2, 2), Buffer.concat([png(4, 3), Buffer.alloc(300_000, 7)])];
    const other = await open(agentId);
    await other.editor.agent.request('session/load', { sessionId, cwd: c.folder, mcpServers: [] });
    expect(await prompt(text ?? imageOf(small), imageOf(large), imageOf(small))).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toMatch(
      new RegExp(`^images: image/png, ${large.length} bytes, \\w{8}; image/png, ${small.length} bytes, \\w{8}$`),
    );
    expect(chunks(editor, sessionId)).toEqual([]);
    const sent = [{ type: 'text', text: '@images' }, imageOf(large), imageOf(small)];
    await c.until('the prompt in another editor', () => chunks(other.editor, sessionId).length > 2);
    expect(chunks(other.editor, sessionId)).toEqual(sent);
    const later = await open(agentId);
    await later.editor.agent.request('session/load', { sessionId, cwd: c.folder, mcpServers: [] });
    expect(chunks(later.editor, sessionId)).toEqual(sent);
  },
);

it('images are refused with the reason if the agent takes none, as is what is no image', async () => {
  const none = await open('plain');
  const { message } = await refusal(
    c.client.call('sessions.prompt', { sessionId: none.sessionId, prompt: 'x', images: ['0'.repeat(32)] }),
  );
  const [image, audio] = [imageOf(png(2, 2)), { type: 'audio' as const, data: 'AA==', mimeType: 'audio/wav' }];
  const invalid = await open('scripted-acp');
  for (const [call, why] of [
    [none.prompt(image), message],
    [invalid.prompt(imageOf(Buffer.from('text'))), 'is not a PNG, JPEG, WebP or GIF image'],
    [invalid.prompt(audio), 'no audio'],
  ] as const) {
    await expect(call).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining(why) });
  }
});

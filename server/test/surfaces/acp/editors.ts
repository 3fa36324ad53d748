import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { afterEach, expect } from 'vitest';
import type { InProcessApp } from '../../support/app.ts';
import { type Editor, type EditorOptions, openEditor, textPrompt } from '../../support/editor.ts';

/**
 * Returns functions for editors of the app. After each test, the editors are closed, and the test fails if a frame
 * violated the schema or the agent reported an error.
 */
export function editorsOf(c: () => InProcessApp) {
  const editors: Editor[] = [];
  afterEach(() => {
    for (const { invalid, errors, close } of editors.splice(0)) {
      close();
      expect(invalid).toEqual([]);
      expect(errors).toEqual([]);
    }
  });

  const open = async (options?: EditorOptions) => {
    const editor = await openEditor(c(), options);
    editors.push(editor);
    return editor;
  };
  const newSession = async ({ agent }: Editor, cwd = c().folder) =>
    (await agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
  const prompt = ({ agent }: Editor, sessionId: string, text: string) =>
    agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
  const load = ({ agent }: Editor, sessionId: string) =>
    agent.request('session/load', { sessionId, cwd: c().folder, mcpServers: [] });
  return { open, newSession, prompt, load };
}

/** Returns the error with which a call rejects; undefined if it succeeds. */
export const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { code: number; message: string }) => error,
  );

/** Returns the kinds of the updates of one session. */
export const kinds = (editor: Editor, sessionId: string): SessionUpdate['sessionUpdate'][] =>
  editor.of(sessionId).map((each) => each.sessionUpdate);

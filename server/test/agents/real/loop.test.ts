import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, heard } from './hands.ts';
import { CLIS, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

const version = versionOf('gemini');
if (version === null) console.warn(`SKIPPED: ${CLIS.gemini.name} is not installed or does not start here`);

/**
 * In this answer, Gemini detects a loop, and sends the model a note about it. The model repeats the answer, so Gemini
 * asks a person.
 */
const REPEATED = 'the quick brown fox jumps over the lazy dog and then it does it all again and again. '.repeat(40);

describe.skipIf(version === null)(CLIS.gemini.name, () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld([{ when: 'please repeat|Potential loop detected', not: 'giraffe', text: REPEATED }]);
  });
  afterAll(async () => {
    await w.stopAgents();
    await w.close();
  });

  it('asks a person about a detected loop, and runs the next prompt after the answer', async () => {
    const { sessionId, taskId } = await w.delegate('gemini', 'please repeat what is in @readme.md');
    const { taskId: next } = await w.c.client.call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
    await ended(w, taskId);
    const asked = await w.until('its question', async () => {
      const { data } = await w.c.client.call('approvals.list', { sessionId });
      return data.find(({ options }) => options.length === 2);
    });
    expect(asked.text).toContain('A potential loop was detected');
    expect(w.heard('giraffe')).toEqual([]);
    await w.c.client.call('approvals.answer', { approvalId: asked.id, optionId: '1' });
    expect(await ended(w, next)).toMatchObject({ status: 'completed', summary: 'Done.' });
    await heard(w, 'and now the giraffe');
    // The session has one message for each prompt, and none for what Gemini itself added to the prompts.
    const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
    const users = data.filter(({ role }) => role === 'user').map(({ parts }) => parts.map(({ text }) => text).join());
    expect(users).toEqual(['please repeat what is in @readme.md', 'and now the giraffe']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationsIn, textOf, told } from '../e2e/support/conversations.ts';
import { killServer } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { newSession, prompt, whenSaid } = conversationsIn(() => c);

describe('the conversation of an agent in a terminal', () => {
  it('has each prompt and answer once, in order, after a stop, a kill of the server and a resume', async () => {
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

  it('is stored once if the server is killed while the agent answers', { timeout: 120_000 }, async () => {
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
});

import type { Message } from '@agent-console/shared/models/message';
import type { TestApp } from '../../support/test-app.ts';

export const textOf = ({ parts }: Message) => parts.map(({ text }) => text).join();

export const told = (messages: readonly Message[]) =>
  messages.map((each) => `${each.source} ${each.role}: ${textOf(each)}`);

/** Returns functions for sessions of the scripted agent and their conversations. `app` is called when they are used. */
export function conversationsIn(app: () => TestApp) {
  const newSession = async () =>
    (await app().client.call('sessions.create', { cwd: app().folder, agentId: 'scripted' })).id;

  const messagesOf = async (sessionId: string) =>
    (await app().client.call('sessions.messages', { sessionId, limit: 500 })).data;

  /** Sends a prompt, waits for the end of its task, and returns the task. */
  async function prompt(sessionId: string, text: string) {
    const { taskId } = await app().client.call('sessions.prompt', { sessionId, prompt: text });
    return app().until('the end of a task', async () => {
      const task = await app().client.call('tasks.get', { taskId });
      return task.endedAt !== null && task;
    });
  }

  /** Waits until a session has this many messages, and returns all its messages. */
  const whenSaid = (sessionId: string, count: number) =>
    app().until(`${count} messages`, async () => {
      const messages = await messagesOf(sessionId);
      return messages.length >= count && messages;
    });

  return { newSession, messagesOf, prompt, whenSaid };
}

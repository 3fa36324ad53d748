import { join } from 'node:path';
import LibSql from 'libsql';
import { type ConsoleClient, createClient } from '../../../src/surfaces/cli/client.ts';
import type { TestApp } from '../../support/test-app.ts';
import { type AgentHandle, actAs } from './root.ts';

/** A user other than the local owner, and a client with their token. */
export interface Person {
  id: string;
  token: string;
  client: ConsoleClient;
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

export async function addPerson(c: TestApp, username: string): Promise<Person> {
  const { id } = await c.client.call('users.create', { username });
  const { token } = await c.client.call('tokens.create', { name: username, userId: id });
  return { id, token, client: createClient({ baseUrl: c.baseUrl, token, insideWorker: true }) };
}

/** Delegates a prompt as `client`, and waits until the agent is idle again. */
export async function sessionOf(
  c: TestApp,
  client: ConsoleClient,
  prompt: string,
): Promise<AgentHandle & { taskId: string }> {
  const made = await client.call('delegations.create', { repositoryId: c.repository.id, agentId: 'scripted', prompt });
  await c.client.call('sessions.wait', { sessionId: made.sessionId, until: 'idle', timeoutSeconds: 45 });
  const agent = actAs(c, made.sessionId, made.workerId);
  return { ...agent, client: agent.client, taskId: made.taskId };
}

export function stored(c: TestApp, query: string): Record<string, unknown>[] {
  const database = new LibSql(join(c.home, 'console.db'), { readonly: true });
  try {
    return database.prepare(query).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

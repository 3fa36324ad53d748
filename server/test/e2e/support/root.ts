import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConsoleClient, createClient } from '../../../src/surfaces/cli/client.ts';
import { tokenOf } from '../../support/calling.ts';
import type { TestApp } from '../../support/test-app.ts';

/** A running agent and its token. Tests make calls as this agent. */
export interface AgentHandle {
  sessionId: string;
  workerId: string;
  token: string;
  /** Makes calls as the agent, over REST. */
  client: ConsoleClient;
}

/** Returns a handle for calls with the token of a worker. */
export function actAs(c: TestApp, sessionId: string, workerId: string): AgentHandle {
  const token = tokenOf(c, workerId);
  return {
    sessionId,
    workerId,
    token,
    get client() {
      return createClient({ baseUrl: c.baseUrl, token, insideWorker: true });
    },
  };
}

/** Starts a scripted agent in the main checkout. With a prompt, sends the prompt and waits until the agent is idle. */
export async function startRoot(
  c: TestApp,
  options: { prompt?: string; title?: string; repositoryId?: string } = {},
): Promise<AgentHandle> {
  const { repositoryId = c.repository.id } = options;
  const { data } = await c.client.call('worktrees.list', { repositoryId });
  const main = data.find((worktree) => worktree.kind === 'main');
  if (main === undefined) throw new Error('the repository has no main checkout');
  const session = await c.client.call('sessions.create', {
    worktreeId: main.id,
    agentId: 'scripted',
    title: options.title ?? 'Root',
    ...(options.prompt === undefined ? {} : { initialPrompt: options.prompt }),
  });
  const worker =
    options.prompt === undefined
      ? await c.client.call('workers.create', { sessionId: session.id, type: 'agent' })
      : await c.until('the root agent', async () =>
          (await c.client.call('sessions.get', { sessionId: session.id })).workers.find(
            (each) => each.type === 'agent' && each.state === 'running',
          ),
        );
  await c.client.call('sessions.wait', { sessionId: session.id, until: 'idle', timeoutSeconds: 45 });
  return actAs(c, session.id, worker.id);
}

export interface TranscriptEntry {
  role: string;
  text?: string;
}

/** Returns the transcript of a session's scripted agent, oldest entry first. */
export function transcriptOf(c: TestApp, sessionId: string): TranscriptEntry[] {
  return readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TranscriptEntry);
}

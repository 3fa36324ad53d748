import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConsoleClient, createClient } from '../../../src/surfaces/cli/client.ts';
import { tokenOf } from '../../support/calling.ts';
import type { TestApp } from '../../support/test-app.ts';

/** A running agent and its own token: what a test calls with it, it calls as that worker. */
export interface AgentHandle {
  sessionId: string;
  workerId: string;
  token: string;
  /** Calls as the agent does, over REST. */
  client: ConsoleClient;
}

/** The token file of a worker, and the calls made with it. */
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

/** Starts a scripted agent in the main checkout; with a prompt it is given that, and is waited for until it is idle. */
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

/** Everything the scripted agent of a session was told and said, oldest first. */
export function transcriptOf(c: TestApp, sessionId: string): TranscriptEntry[] {
  return readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TranscriptEntry);
}

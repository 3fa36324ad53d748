import type { TestApp } from './test-app.ts';

export async function startAgent(c: TestApp, worktreeId: string): Promise<{ sessionId: string; workerId: string }> {
  const session = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
  const { id: workerId } = await c.client.call('workers.create', { sessionId: session.id, type: 'agent' });
  return { sessionId: session.id, workerId };
}

/** Starts an agent in a worktree. Returns the session's id once the agent is in a turn that does not end. */
export async function workingAgent(c: TestApp, worktreeId: string): Promise<string> {
  const { sessionId } = await startAgent(c, worktreeId);
  await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
  await c.until('the agent to start its turn', async () => {
    const [worker] = (await c.client.call('sessions.workers', { sessionId })).data;
    return worker?.activityState === 'active';
  });
  return sessionId;
}

/** Waits until the command of a job runs in its terminal. */
export async function commandRuns(c: TestApp, jobId: string): Promise<void> {
  await c.until('the command to start', async () => {
    const { terminal } = (await c.client.call('jobs.get', { jobId })).progress;
    const workerId = terminal?.workerId;
    if (workerId == null) return false;
    return (await c.client.call('workers.get', { workerId }).catch(() => null))?.state === 'running';
  });
}

import { execFileSync } from 'node:child_process';
import type { Delegated, World } from './world.ts';

/** Steps that the tests of several agents share, e.g. typing a line, killing a process or waiting for a task. */

/** Types a line, and Enter once the line is on the screen. */
export async function typeLine(w: World, workerId: string, line: string): Promise<void> {
  await w.c.client.call('workers.input', { workerId, data: line });
  await w.until(`"${line}" on the screen`, async () =>
    (await w.c.client.call('workers.screen', { workerId })).text.includes(line),
  );
  await w.c.client.call('workers.input', { workerId, data: '\r' });
}

export async function workerOf(w: World, workerId: string) {
  return w.c.client.call('workers.get', { workerId });
}

/** Kills an agent with SIGKILL. Does not wait for its end. */
export async function kill9(w: World, workerId: string): Promise<void> {
  const { pid } = await workerOf(w, workerId);
  if (pid === null) throw new Error('the worker has no process');
  process.kill(pid, 'SIGKILL');
}

export async function died(w: World, workerId: string): Promise<void> {
  await w.until('the end of an agent', async () => (await workerOf(w, workerId)).state === 'exited');
}

export async function ended(w: World, taskId: string) {
  return w.until('the end of a task', async () => {
    const task = await w.c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });
}

/** Waits until the model was sent this text, and returns the request. */
export async function heard(w: World, text: string) {
  const [request] = await w.until(`"${text}" at the model`, async () => {
    const requests = w.heard(text);
    return requests.length > 0 && requests;
  });
  if (request === undefined) throw new Error('nothing was heard');
  return request;
}

export async function liveAgent(w: World, sessionId: string) {
  const { workers } = await w.c.client.call('sessions.get', { sessionId });
  return workers.find((worker) => worker.type === 'agent' && worker.state === 'running');
}

/** Returns `git status` of a worktree, with ignored files. */
export function statusOf(w: World, child: Pick<Delegated, 'worktreePath'>): string {
  return w.c.git(['status', '--porcelain', '--ignored'], child.worktreePath);
}

export function filesWith(text: string, folder: string): string[] {
  try {
    return execFileSync('grep', ['-rlF', '--', text, folder], { encoding: 'utf8' }).trim().split('\n');
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

import { execFileSync } from 'node:child_process';
import type { Delegated, World } from './world.ts';

/** What a person does by hand beside the console: type a line, kill a process, wait for a task. */

/** Types a line as a person does: Enter by itself, once the words stand on the screen. */
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

/** Ends an agent as a crash or the kernel would; resolves at once. */
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

/** Resolves when the model was sent this text. */
export async function heard(w: World, text: string) {
  const [request] = await w.until(`"${text}" at the model`, async () => {
    const requests = w.heard(text);
    return requests.length > 0 && requests;
  });
  if (request === undefined) throw new Error('nothing was heard');
  return request;
}

/** The agent of a session that runs now. */
export async function liveAgent(w: World, sessionId: string) {
  const { workers } = await w.c.client.call('sessions.get', { sessionId });
  return workers.find((worker) => worker.type === 'agent' && worker.state === 'running');
}

/** `git status` of a worktree, ignored files included. */
export function statusOf(w: World, child: Pick<Delegated, 'worktreePath'>): string {
  return w.c.git(['status', '--porcelain', '--ignored'], child.worktreePath);
}

/** Files below a folder that hold a text, by grep. */
export function filesWith(text: string, folder: string): string[] {
  try {
    return execFileSync('grep', ['-rlF', '--', text, folder], { encoding: 'utf8' }).trim().split('\n');
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

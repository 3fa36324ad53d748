import type { Task } from '@agent-console/shared/models/task';
import type { TestApp } from '../../support/test-app.ts';
import { transcriptOf } from './root.ts';

export function lives(pid: number | null): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns functions for sessions of scripted agents in folders without a worktree. `console` is called when they are
 * used.
 */
export function sessionsOf(console: () => TestApp) {
  const create = async (title = '') =>
    (await console().client.call('sessions.create', { cwd: console().folder, agentId: 'scripted', title })).id;
  const get = (sessionId: string) => console().client.call('sessions.get', { sessionId });
  const prompt = (sessionId: string, text: string) =>
    console().client.call('sessions.prompt', { sessionId, prompt: text });
  const taskOf = (taskId: string) => console().client.call('tasks.get', { taskId });
  const finished = (sessionId: string) => console().client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });

  async function agentOf(sessionId: string) {
    const workers = (await console().client.call('sessions.workers', { sessionId })).data;
    const agent = workers.findLast((worker) => worker.type === 'agent');
    if (agent === undefined) throw new Error('no agent');
    return agent;
  }

  const taskBecomes = (taskId: string, status: Task['status']) =>
    console().until(`a task that is ${status}`, async () => {
      const task = await taskOf(taskId);
      return task.status === status && task;
    });

  const agentIs = (sessionId: string, state: 'idle' | 'asking' | 'active') =>
    console().until(`an agent that is ${state}`, async () => {
      const workers = (await console().client.call('sessions.workers', { sessionId })).data;
      const agent = workers.findLast((worker) => worker.type === 'agent');
      return agent?.state === 'running' && agent.activityState === state && agent;
    });

  /** Creates a session whose agent works on a turn that does not end by itself. */
  async function atWork(title = '') {
    const sessionId = await create(title);
    const { taskId } = await prompt(sessionId, '@sleep 600000');
    const agent = await agentIs(sessionId, 'active');
    return { sessionId, taskId, agent };
  }

  const said = async (sessionId: string) =>
    (await console().client.call('sessions.output', { sessionId, sinceOffset: 0, maxBytes: 262_144 })).text;

  const outputHas = (workerId: string, text: string) =>
    console().until(`the output ${text}`, async () =>
      (await console().client.call('workers.output', { workerId, format: 'ansi' })).text?.includes(text),
    );

  async function mainCheckout(): Promise<string> {
    const { data } = await console().client.call('worktrees.list', { repositoryId: console().repository.id });
    return data.find(({ kind }) => kind === 'main')?.id ?? '';
  }

  /** Returns the prompts in the agent's transcript, in order. */
  function heard(sessionId: string): string[] {
    return transcriptOf(console(), sessionId).flatMap(({ role, text = '' }) => (role === 'user' ? [text] : []));
  }

  return {
    create,
    get,
    prompt,
    taskOf,
    finished,
    agentOf,
    taskBecomes,
    agentIs,
    atWork,
    said,
    outputHas,
    mainCheckout,
    heard,
  };
}

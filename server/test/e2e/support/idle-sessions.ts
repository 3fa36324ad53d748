import type { OutputOf } from '@agent-console/shared/operations/table';
import type { TestApp } from '../../support/test-app.ts';
import { type AgentHandle, transcriptOf } from './root.ts';

export type Child = OutputOf<'delegations.create'>;

/** Idle time in seconds that is short enough to pause a session almost as soon as it is idle. */
export const SOON = 0.3;

/** Returns functions for tests in which the console pauses idle children of `parent`. */
export function idleSessionsIn(app: () => TestApp, parent: () => AgentHandle) {
  /** Sets the time after which idle sessions are paused. With 0, none is paused automatically. */
  const setIdlePause = (seconds: number) => app().client.call('settings.update', { idlePauseMinutes: seconds / 60 });

  const get = (sessionId: string) => app().client.call('sessions.get', { sessionId });
  const prompt = (sessionId: string, text: string) => app().client.call('sessions.prompt', { sessionId, prompt: text });
  const workerOf = (workerId: string) => app().client.call('workers.get', { workerId });

  const delegate = (text: string, by = parent().client, agentId = 'scripted') =>
    by.call('delegations.create', { prompt: text, agentId });

  const taskEnds = (taskId: string) =>
    app().until('the end of a task', async () => {
      const task = await app().client.call('tasks.get', { taskId });
      return task.endedAt !== null && task;
    });

  const idle = ({ workerId }: Pick<Child, 'workerId'>) =>
    app().until('an idle agent', async () => (await workerOf(workerId)).activityState === 'idle');

  /**
   * Delegates a prompt and waits until the child has reported. With the setting `SOON`, the child may be paused
   * already.
   */
  async function reported(text = 'first words'): Promise<Child> {
    const child = await delegate(`@say ${text}\n@report succeeded ${text}`);
    await taskEnds(child.taskId);
    return child;
  }

  /**
   * Delegates a prompt, and waits for the report and until the agent is idle. Does not work while the console pauses
   * idle sessions.
   */
  async function done(text?: string): Promise<Child> {
    const child = await reported(text);
    await idle(child);
    return child;
  }

  const isPaused = ({ sessionId }: Pick<Child, 'sessionId'>) =>
    app().until('a paused session', async () => {
      const session = await get(sessionId);
      return session.status === 'paused' && session;
    });

  const hasNoProcess = ({ workerId }: Pick<Child, 'workerId'>) =>
    app().until('the end of its process', async () => (await workerOf(workerId)).state === 'exited');

  const heard = ({ sessionId }: Pick<Child, 'sessionId'>) =>
    transcriptOf(app(), sessionId).flatMap(({ role, text }) => (role === 'user' ? [text?.split('\n')[0]] : []));

  return {
    setIdlePause,
    get,
    prompt,
    workerOf,
    delegate,
    taskEnds,
    idle,
    reported,
    done,
    isPaused,
    hasNoProcess,
    heard,
  };
}

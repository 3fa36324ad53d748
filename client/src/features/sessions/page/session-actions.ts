import { ConsoleError } from '@agent-console/shared/errors';
import type { Session } from '@agent-console/shared/models/session';
import type { ActivityState, Worker } from '@agent-console/shared/models/worker';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { create } from 'zustand';
import { call } from '../../../api/call.ts';
import { toast } from '../../../ui/toasts.ts';
import { refreshSession } from '../sessions-store.ts';
import { actionsOf, type TaskRef } from './offered-actions.ts';

/**
 * Label of the pending action of each session, e.g. `pausing`, by session id. The label is shown because ending a
 * process may take a while.
 */
export const usePending = create<Readonly<Record<string, string>>>(() => ({}));

/**
 * Runs an action on a session. Does nothing while another action on it is pending. Shows a toast if the action fails.
 * @param doing label while the action is pending: `pausing`
 * @param failed title of the toast: `Could not pause the session`
 */
async function act<N extends OperationName>(
  sessionId: string,
  { doing, failed }: { doing: string; failed: string },
  name: N,
  input: RequestOf<N>,
): Promise<OutputOf<N> | undefined> {
  if (usePending.getState()[sessionId] !== undefined) return undefined;
  usePending.setState({ [sessionId]: doing });
  try {
    return await call(name, input, { idempotencyKey: crypto.randomUUID() });
  } catch (error) {
    const text = error instanceof ConsoleError ? error.message : String(error);
    toast({ id: `act-${sessionId}`, kind: 'failed', title: failed, text });
    return undefined;
  } finally {
    refreshSession(sessionId);
    usePending.setState(({ [sessionId]: _, ...others }) => others, true);
  }
}

type Verb = 'pause' | 'resume' | 'stop' | 'archive' | 'unarchive';

function action(verb: Verb, doing: string) {
  return ({ id }: Session): void =>
    void act(id, { doing, failed: `Could not ${verb} the session` }, `sessions.${verb}`, { sessionId: id });
}

export const pause = action('pause', 'pausing');
export const resume = action('resume', 'resuming');
export const stop = action('stop', 'stopping');
export const archive = action('archive', 'archiving');
export const unarchive = action('unarchive', 'unarchiving');

/** Starts the agent of a session without a live agent. The agent continues its conversation if it can. */
export function startAgent(session: Session): void {
  if (actionsOf(session).agent === 'resume') {
    resume(session);
    return;
  }
  const { id } = session;
  const words = { doing: 'starting', failed: 'Could not start the agent' };
  void act(id, words, 'workers.create', { sessionId: id, type: 'agent' });
}

/** Resends the prompt of a failed, interrupted or cancelled task. */
export function retryTask({ id, sessionId }: TaskRef): void {
  void act(sessionId, { doing: 'retrying', failed: 'Could not retry the task' }, 'tasks.retry', { taskId: id });
}

export function cancelTask({ id, sessionId }: TaskRef): void {
  void act(sessionId, { doing: 'cancelling', failed: 'Could not cancel the task' }, 'tasks.cancel', { taskId: id });
}

export function openTerminal({ id }: Session): Promise<Worker | undefined> {
  const words = { doing: 'opening a terminal', failed: 'Could not open a terminal' };
  return act(id, words, 'workers.create', { sessionId: id, type: 'terminal' });
}

export function endWorker({ id, sessionId }: Worker): void {
  void act(sessionId, { doing: 'closing', failed: 'Could not close the terminal' }, 'workers.remove', { workerId: id });
}

export function correctActivity({ id, sessionId }: Worker, activityState: ActivityState): void {
  const words = { doing: 'correcting', failed: "Could not correct the agent's activity" };
  void act(sessionId, words, 'workers.correctActivity', { workerId: id, activityState });
}

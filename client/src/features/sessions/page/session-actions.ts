import { ConsoleError } from '@agent-console/shared/errors';
import type { Session } from '@agent-console/shared/models/session';
import type { ActivityState, Worker } from '@agent-console/shared/models/worker';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { create } from 'zustand';
import { call } from '../../../api/call.ts';
import { toast } from '../../../ui/toasts.ts';
import { refreshSession } from '../sessions-store.ts';

/** What is being done to a session, as `pausing`, by its id: it may take as long as a process takes to end. */
export const usePending = create<Readonly<Record<string, string>>>(() => ({}));

/**
 * Does something to a session that a person asked for, and says so when it could not be done.
 * @param doing what is shown until it is answered: `pausing`
 * @param failed what is said otherwise: `Not paused`
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

export function pause({ id }: Session): void {
  void act(id, { doing: 'pausing', failed: 'Not paused' }, 'sessions.pause', { sessionId: id });
}

export function resume({ id }: Session): void {
  void act(id, { doing: 'resuming', failed: 'Not resumed' }, 'sessions.resume', { sessionId: id });
}

export function stop({ id }: Session): void {
  void act(id, { doing: 'stopping', failed: 'Not stopped' }, 'sessions.stop', { sessionId: id });
}

export function archive({ id }: Session): void {
  void act(id, { doing: 'archiving', failed: 'Not archived' }, 'sessions.archive', { sessionId: id });
}

export function unarchive({ id }: Session): void {
  void act(id, { doing: 'bringing back', failed: 'Not brought back' }, 'sessions.unarchive', { sessionId: id });
}

/** Starts the agent of a session that has none living: again where its conversation ended, else fresh. */
export function startAgent(session: Session): void {
  if (session.status === 'paused' || session.status === 'stopped') {
    resume(session);
    return;
  }
  const input = { sessionId: session.id, type: 'agent' } as const;
  void act(session.id, { doing: 'starting', failed: 'Not started' }, 'workers.create', input);
}

export function openTerminal({ id }: Session): Promise<Worker | undefined> {
  const words = { doing: 'opening a terminal', failed: 'No terminal was opened' };
  return act(id, words, 'workers.create', { sessionId: id, type: 'terminal' });
}

export function endWorker({ id, sessionId }: Worker): void {
  void act(sessionId, { doing: 'closing', failed: 'Not closed' }, 'workers.remove', { workerId: id });
}

export function correctActivity({ id, sessionId }: Worker, activityState: ActivityState): void {
  const words = { doing: 'correcting', failed: 'Not corrected' };
  void act(sessionId, words, 'workers.correctActivity', { workerId: id, activityState });
}

/** Puts a text on the clipboard and says what it was. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ id: 'copied', kind: 'plain', title: `${what} copied` });
  } catch {
    toast({ id: 'copied', kind: 'failed', title: `${what} not copied`, text });
  }
}

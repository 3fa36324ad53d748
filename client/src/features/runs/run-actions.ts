import { ConsoleError } from '@agent-console/shared/errors';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import { create } from 'zustand';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../ui/toasts.ts';

/** Label of the pending action of each run, e.g. `pausing`, by the id of the run. */
export const usePendingAction = create<Readonly<Record<string, string>>>(() => ({}));

type RunOperation = Extract<
  OperationName,
  | 'orchestrations.start'
  | 'orchestrations.pause'
  | 'orchestrations.resume'
  | 'orchestrations.cancel'
  | 'orchestrations.retryAgent'
  | 'orchestrations.retryIntegration'
  | 'orchestrations.archive'
  | 'orchestrations.unarchive'
>;

/**
 * Runs an action. Shows the status that the console returns immediately, without waiting for an event. Shows a toast if
 * the action fails.
 */
async function act<N extends RunOperation>(
  runId: string,
  { doing, failed, done }: { doing: string; failed: string; done?: () => void },
  name: N,
  input: RequestOf<N>,
): Promise<void> {
  if (usePendingAction.getState()[runId] !== undefined) return;
  usePendingAction.setState({ [runId]: doing });
  try {
    const status = await call(name, input);
    showRun(status as OrchestrationStatus);
    done?.();
  } catch (error) {
    const text = error instanceof ConsoleError ? error.message : String(error);
    toast({ id: `run-${runId}`, kind: 'failed', title: failed, text });
  } finally {
    usePendingAction.setState(({ [runId]: _, ...others }) => others, true);
  }
}

/** Updates the cached run with the status that an operation returned. */
export function showRun(status: OrchestrationStatus): void {
  queryClient.setQueryData(operationKey('orchestrations.get', { orchestrationId: status.id }), status);
}

export function start(orchestrationId: string): void {
  void act(orchestrationId, { doing: 'starting', failed: 'Could not start the run' }, 'orchestrations.start', {
    orchestrationId,
  });
}

/**
 * Pauses a run: no further agents start. Running agents finish or, with `interrupt`, are interrupted and keep their
 * conversations.
 */
export function pause(orchestrationId: string, interrupt: boolean): void {
  void act(orchestrationId, { doing: 'pausing', failed: 'Could not pause the run' }, 'orchestrations.pause', {
    orchestrationId,
    interrupt,
  });
}

export function resume(orchestrationId: string): void {
  void act(orchestrationId, { doing: 'resuming', failed: 'Could not resume the run' }, 'orchestrations.resume', {
    orchestrationId,
  });
}

/** Archives a run that has ended: the list of runs and the inbox then omit it. */
export function archive(orchestrationId: string): void {
  const action = { label: 'Undo', run: () => unarchive(orchestrationId) };
  const done = () => toast({ id: `run-${orchestrationId}`, kind: 'plain', title: 'Run archived', action });
  void act(
    orchestrationId,
    { doing: 'archiving', failed: 'Could not archive the run', done },
    'orchestrations.archive',
    { orchestrationId },
  );
}

export function unarchive(orchestrationId: string): void {
  const done = () => toast({ id: `run-${orchestrationId}`, kind: 'plain', title: 'Run unarchived' });
  void act(
    orchestrationId,
    { doing: 'unarchiving', failed: 'Could not unarchive the run', done },
    'orchestrations.unarchive',
    { orchestrationId },
  );
}

export function retryAgent(orchestrationId: string, agentId: string): void {
  void act(
    orchestrationId,
    { doing: 'retrying an agent', failed: `Could not retry ${agentId}` },
    'orchestrations.retryAgent',
    { orchestrationId, agentId },
  );
}

export function retryIntegration(orchestrationId: string): void {
  void act(
    orchestrationId,
    { doing: 'integrating', failed: 'Could not integrate the branches' },
    'orchestrations.retryIntegration',
    { orchestrationId },
  );
}

import { ConsoleError } from '@agent-console/shared/errors';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { pluralize } from '@agent-console/shared/pluralize';
import { call } from '../../api/call.ts';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { toast } from '../../ui/toasts.ts';

/** Shows a toast when a run that a person created has ended. A session that created a run gets a notice instead. */
export async function notifyOfRun({ type, subject }: ConsoleEvent, open: (runId: string) => void): Promise<void> {
  if (type !== 'orchestration.completed' && type !== 'orchestration.failed') return;
  try {
    const run = await call('orchestrations.get', { orchestrationId: subject.id });
    if (run.createdBySessionId !== null || location.pathname === `/runs/${run.id}`) return;
    const failed = type === 'orchestration.failed';
    toast({
      id: `run-${run.id}`,
      kind: failed ? 'failed' : 'done',
      title: `${isolateText(firstLine(run.objective))} ${failed ? 'failed' : 'is done'}`,
      text: run.errorMessage ?? `${run.completedAgents} of ${pluralize(run.agentCount, 'agent')} completed.`,
      action: { label: 'Open', run: () => open(run.id) },
    });
  } catch (error) {
    // A ConsoleError needs no toast: the run was removed in the meantime, or the console cannot be reached, which the
    // offline banner shows.
    if (!(error instanceof ConsoleError)) throw error;
  }
}

import { ConsoleError } from '@agent-console/shared/errors';
import type { Job } from '@agent-console/shared/models/job';
import { call } from '../../api/call.ts';
import { toast } from '../../ui/toasts.ts';
import type { useOpenSession } from '../sessions/page/session-views.ts';

type OpenSession = ReturnType<typeof useOpenSession>;

/** Opens the terminal in which a job runs its command. */
export function openJobTerminal(open: OpenSession, { progress }: Job): void {
  const { sessionId = null, workerId = null } = progress.terminal ?? {};
  if (sessionId !== null && workerId !== null) open(sessionId, { view: 'terminal', worker: workerId });
  else toast({ id: 'terminal', kind: 'plain', title: 'The command of the job has not started yet' });
}

/** Opens the terminal of a running job. */
export async function watchJob(open: OpenSession, jobId: string): Promise<void> {
  await call('jobs.get', { jobId }).then((job) => openJobTerminal(open, job), failed);
}

/** Opens the terminal in which a command ran, if it still exists. */
export async function openTerminal(open: OpenSession, workerId: string): Promise<void> {
  const show = ({ sessionId }: { sessionId: string }) => open(sessionId, { view: 'terminal', worker: workerId });
  await call('workers.get', { workerId }).then(show, failed);
}

function failed(error: unknown): void {
  const isGone = error instanceof ConsoleError && error.code === 'NOT_FOUND';
  const text = error instanceof Error ? error.message : String(error);
  toast({
    id: 'terminal',
    kind: isGone ? 'plain' : 'failed',
    title: isGone ? "The command's terminal no longer exists" : 'Could not open the terminal',
    ...(isGone ? {} : { text }),
  });
}

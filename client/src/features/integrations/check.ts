import { ConsoleError } from '@agent-console/shared/errors';
import { parseJobResult } from '@agent-console/shared/models/job-result';
import { create } from 'zustand';
import { call } from '../../api/call.ts';
import { jobResult } from '../../api/jobs.ts';
import { toast } from '../../ui/toasts.ts';

/** Running checks that were started on this page: job ids by worktree id; null until the job id is known. */
export const useRunningChecks = create<{ jobs: ReadonlyMap<string, string | null> }>(() => ({ jobs: new Map() }));

function setRunning(worktreeId: string, jobId: string | null | undefined): void {
  const jobs = new Map(useRunningChecks.getState().jobs);
  if (jobId === undefined) jobs.delete(worktreeId);
  else jobs.set(worktreeId, jobId);
  useRunningChecks.setState({ jobs });
}

/** Runs the check command in a worktree and reports the result in a toast. */
export async function runCheck(worktreeId: string): Promise<void> {
  if (useRunningChecks.getState().jobs.has(worktreeId)) return;
  setRunning(worktreeId, null);
  const id = `check-${worktreeId}`;
  try {
    const started = await call('worktrees.check', { worktreeId }, { idempotencyKey: crypto.randomUUID() });
    setRunning(worktreeId, started.jobId);
    const { check, timedOut } = parseJobResult('check', await jobResult(started));
    const { passed, exitCode } = check;
    if (passed) toast({ id, kind: 'done', title: 'Check passed' });
    else {
      const text = timedOut ? 'The check reached its time limit.' : `Exit code ${exitCode ?? 'unknown'}.`;
      toast({ id, kind: 'failed', title: 'Check failed', text });
    }
  } catch (error) {
    const text = error instanceof ConsoleError ? error.message : String(error);
    toast({ id, kind: 'failed', title: 'Could not run the check', text });
  } finally {
    setRunning(worktreeId, undefined);
  }
}

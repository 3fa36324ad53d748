import { ConsoleError } from '@agent-console/shared/errors';
import { create } from 'zustand';
import { call } from '../../api/call.ts';
import { jobResult } from '../../api/jobs.ts';
import { toast } from '../../ui/toasts.ts';

/** Ids of the worktrees whose check was started on this page and still runs. */
export const useRunningChecks = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));

/** Runs the check command in a worktree and reports the result in a toast. */
export async function runCheck(worktreeId: string): Promise<void> {
  const { ids } = useRunningChecks.getState();
  if (ids.has(worktreeId)) return;
  useRunningChecks.setState({ ids: new Set([...ids, worktreeId]) });
  const id = `check-${worktreeId}`;
  try {
    const started = await call('worktrees.check', { worktreeId }, { idempotencyKey: crypto.randomUUID() });
    const { check, timedOut } = await jobResult(started);
    const { passed, exitCode } = check as { passed: boolean; exitCode: number | null };
    if (passed) toast({ id, kind: 'done', title: 'Check passed' });
    else {
      const text = timedOut === true ? 'It reached its time limit.' : `Exit code ${exitCode ?? 'unknown'}.`;
      toast({ id, kind: 'failed', title: 'Check failed', text });
    }
  } catch (error) {
    const text = error instanceof ConsoleError ? error.message : String(error);
    toast({ id, kind: 'failed', title: 'Could not run the check', text });
  } finally {
    useRunningChecks.setState(({ ids: all }) => ({ ids: new Set([...all].filter((each) => each !== worktreeId)) }));
  }
}

import type { CheckResult } from '@agent-console/shared/models/check-result';
import { useKeyHints } from '../../shell/key-hints.ts';
import { formatTimeAgo } from '../../ui/format-time-ago.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { runCheck, useRunningChecks } from './check.ts';
import { openTerminal, watchJob } from './command-terminal.ts';

/**
 * Result of the check command for the current commit, as a list item with a button that opens the terminal of the
 * check.
 */
export function CheckFact({ check, worktreeId }: { check: CheckResult | null; worktreeId: string }) {
  const openSession = useOpenSession();
  const jobId = useRunningChecks(({ jobs }) => jobs.get(worktreeId));
  if (jobId !== undefined) {
    return (
      <li role="status">
        checking…{' '}
        {jobId === null ? null : (
          <button
            className="rounded text-accent hover:underline max-md:py-3"
            onClick={() => void watchJob(openSession, jobId)}
            title="Open the terminal of the check"
            type="button"
          >
            Watch
          </button>
        )}
      </li>
    );
  }
  if (check === null) return <li>not checked</li>;
  const { passed, exitCode, endedAt, clean, workerId } = check;
  const outcome = passed
    ? 'Passed'
    : exitCode === null
      ? 'Terminated by a signal or the time limit'
      : `Exit code ${exitCode}`;
  const remark = clean ? '' : ' with uncommitted changes';
  const label = `${passed ? '✓ check passed' : '⊘ check failed'}${remark}`;
  return (
    <li className={passed ? 'text-added' : 'text-failed'} title={`${outcome}${remark}, ${formatTimeAgo(endedAt)}`}>
      {workerId === null ? (
        label
      ) : (
        <button
          className="rounded hover:underline max-md:py-3"
          onClick={() => void openTerminal(openSession, workerId)}
          type="button"
        >
          {label}
        </button>
      )}
    </li>
  );
}

export function RunCheck({ worktreeId }: { worktreeId: string }) {
  const keys = useKeyHints().keysOf('run-the-check-command');
  const isRunning = useRunningChecks(({ jobs }) => jobs.has(worktreeId));
  if (isRunning) return null;
  return (
    <button
      aria-keyshortcuts={keys?.replace('⇧', 'Shift+')}
      className="rounded text-accent hover:underline max-md:py-3"
      onClick={() => void runCheck(worktreeId)}
      title={keys === undefined ? undefined : `Shortcut: ${keys}`}
      type="button"
    >
      Run check
    </button>
  );
}

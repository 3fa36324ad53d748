import type { CheckResult } from '@agent-console/shared/models/check-result';
import { formatAge } from '../../ui/format-age.ts';
import { runCheck, useRunningChecks } from './check.ts';

/** Result of the check command for the current commit, as a list item. */
export function CheckFact({ check, worktreeId }: { check: CheckResult | null; worktreeId: string }) {
  const isRunning = useRunningChecks(({ ids }) => ids.has(worktreeId));
  if (isRunning) return <li role="status">checking…</li>;
  if (check === null) return <li>not checked</li>;
  const { passed, exitCode, endedAt, clean } = check;
  const outcome = passed
    ? 'Passed'
    : exitCode === null
      ? 'Ended by a signal or its time limit'
      : `Exit code ${exitCode}`;
  const remark = clean ? '' : ' with uncommitted changes';
  return (
    <li className={passed ? 'text-added' : 'text-failed'} title={`${outcome} ${formatAge(endedAt)} ago${remark}`}>
      {passed ? '✓ check passed' : '⊘ check failed'}
      {remark}
    </li>
  );
}

/** Button that runs the check command. */
export function RunCheck({ worktreeId, keys }: { worktreeId: string; keys?: string }) {
  const isRunning = useRunningChecks(({ ids }) => ids.has(worktreeId));
  if (isRunning) return null;
  return (
    <button
      aria-keyshortcuts={keys?.replace('⇧', 'Shift+')}
      className="rounded text-accent hover:underline max-md:py-2"
      onClick={() => void runCheck(worktreeId)}
      title={keys === undefined ? undefined : `Shortcut: ${keys}`}
      type="button"
    >
      Run check
    </button>
  );
}

import type { CheckResult } from '@agent-console/shared/models/check-result';
import type { Readers } from '../../ports/storage.ts';

/** Returns the newest result of the check command for a commit, or null. */
export async function checkOf(
  { worktreeChecks }: Pick<Readers, 'worktreeChecks'>,
  repositoryId: string,
  commit: string,
): Promise<CheckResult | null> {
  const row = await worktreeChecks.first({ repositoryId, commit, state: ['passed', 'failed'] }, { order: ['-id'] });
  if (row === undefined) return null;
  const { clean, state, exitCode, workerId, createdAt, endedAt } = row;
  return {
    commit,
    clean,
    passed: state === 'passed',
    exitCode,
    durationMs: Date.parse(endedAt ?? createdAt) - Date.parse(createdAt),
    workerId,
    endedAt: endedAt ?? createdAt,
  };
}

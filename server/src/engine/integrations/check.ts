import type { CheckResult } from '@agent-console/shared/models/check-result';
import type { Readers } from '../../ports/storage.ts';
import { presentCheck } from '../worktrees/git-status.ts';

/** Returns the newest result of the check command for a commit; null if no run for this commit has a result. */
export async function checkOf(
  { worktreeChecks }: Pick<Readers, 'worktreeChecks'>,
  repositoryId: string,
  commit: string,
): Promise<CheckResult | null> {
  const row = await worktreeChecks.first({ repositoryId, commit, state: ['passed', 'failed'] }, { order: ['-id'] });
  return row === undefined ? null : presentCheck(row);
}

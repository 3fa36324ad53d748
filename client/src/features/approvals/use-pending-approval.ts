import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Approval } from '@agent-console/shared/models/approval';
import { useOperationQuery } from '../../api/operations.ts';

export function usePendingApproval(sessionId: string): Approval | undefined {
  const { data } = useOperationQuery('approvals.list', { limit: PAGE_MAX });
  return data?.data.find((approval) => approval.sessionId === sessionId);
}

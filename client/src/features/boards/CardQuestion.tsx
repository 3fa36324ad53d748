import { ApprovalAnswers } from '../approvals/ApprovalAnswers.tsx';
import { usePendingApproval } from '../approvals/use-pending-approval.ts';

/** The agent's question with buttons for the answers. Keys answer it while its card has the focus. */
export function CardQuestion({ sessionId, hasKeys }: { sessionId: string; hasKeys: boolean }) {
  const approval = usePendingApproval(sessionId);
  if (approval === undefined) return null;
  return (
    <div className="relative z-10 pt-1">
      <ApprovalAnswers approval={approval} globalKeys={hasKeys} key={approval.id} />
    </div>
  );
}

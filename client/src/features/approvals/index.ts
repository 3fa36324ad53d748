export { AnswerKeys } from './AnswerKeys.tsx';
export { ApprovalAnswers } from './ApprovalAnswers.tsx';
export { ApprovalPanel } from './ApprovalPanel.tsx';
export { usePendingApproval } from './use-pending-approval.ts';

import { ANSWERS, type ApprovalOption } from '@agent-console/shared/models/approval';
import type { ProtocolEvent } from '../../domain/protocol.ts';
import type { PendingQuestion } from '../../ports/agents.ts';

const answers = (accept: string): ApprovalOption[] => [
  { id: ANSWERS.accept, label: accept, kind: 'allow' },
  { id: ANSWERS.decline, label: 'Decline', kind: 'deny' },
  { id: ANSWERS.cancel, label: 'Cancel', kind: 'other' },
];

export function formQuestion({ requestId, text, fields }: Extract<ProtocolEvent, { type: 'form' }>): PendingQuestion {
  return { kind: 'form', requestId, text, fields, tool: null, options: answers('Send'), source: 'protocol' };
}

export function linkQuestion({
  requestId,
  text,
  url,
  linkId,
}: Extract<ProtocolEvent, { type: 'link' }>): PendingQuestion {
  return { kind: 'link', requestId, text, url, linkId, tool: null, options: answers('Open'), source: 'protocol' };
}

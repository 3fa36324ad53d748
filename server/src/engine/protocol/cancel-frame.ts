import type { AgentProtocol } from '../../ports/protocol.ts';
import type { ApprovalRow } from '../../ports/rows.ts';

/**
 * Returns the protocol line that cancels an agent's question; empty if the question was not asked over the protocol.
 */
export function cancelFrame(
  { frames }: Pick<AgentProtocol, 'frames'>,
  { kind, requestId }: Pick<ApprovalRow, 'kind' | 'requestId'>,
): string {
  if (requestId === null) return '';
  return kind === 'question' ? frames.permission(requestId, null) : frames.elicitation(requestId, 'cancel', null);
}

import { ANSWERS } from '@agent-console/shared/models/approval';
import type { FormValues, RequestId } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentProtocol } from '../../ports/protocol.ts';
import type { ApprovalRow } from '../../ports/rows.ts';

interface Needs {
  host: Pick<Host, 'readWorkerFile'>;
  protocol: Pick<AgentProtocol, 'frames'>;
}

/**
 * Name of the worker's file that contains the values of a form, from the person's answer until they are sent to the
 * agent.
 */
export const valuesFile = ({ id }: Pick<ApprovalRow, 'id'>) => `answer-${id}.json`;

/** Returns the line that answers a request of an agent with a protocol. */
export async function answerFrame(
  needs: Needs,
  row: ApprovalRow & { workerId: string },
  requestId: RequestId,
  optionId: string,
): Promise<string> {
  const { frames } = needs.protocol;
  if (row.kind === 'question') return frames.permission(requestId, optionId);
  if (row.kind === 'link' || optionId !== ANSWERS.accept)
    return frames.elicitation(requestId, actionOf(optionId), null);
  const text = await needs.host.readWorkerFile(row.workerId, valuesFile(row));
  // If the file is gone, an earlier server has sent the answer. The cancellation that is returned here has the same
  // input id, so the runner ignores it.
  if (text === null) return frames.elicitation(requestId, 'cancel', null);
  return frames.elicitation(requestId, 'accept', JSON.parse(text) as FormValues);
}

const actionOf = (optionId: string) =>
  optionId === ANSWERS.accept ? 'accept' : optionId === ANSWERS.decline ? 'decline' : 'cancel';

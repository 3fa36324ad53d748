import type { Task } from '@agent-console/shared/models/task';
import { STOP_MESSAGES } from '@agent-console/shared/stop-messages';
import { RequestError, type StopReason } from '@agentclientprotocol/sdk';

/**
 * Whether the turn of a prompt is over. A task that an agent delegated may stay open after its turn, until its result
 * is reported.
 */
export const isTurnOver = ({ endedAt, waitingFor }: Task) => endedAt !== null || waitingFor === 'report';

/**
 * Returns the stop reason of a prompt whose turn is over.
 * @throws RequestError with the cause if the task failed and the protocol has no stop reason for this failure.
 */
export function stopReasonOf({ id, status, waitingFor, error, summary }: Task): StopReason {
  if (status === 'completed' || waitingFor === 'report') return 'end_turn';
  const message = error?.message ?? '';
  const stopped = Object.entries(STOP_MESSAGES).find(([, sentence]) => message.includes(sentence));
  if (stopped !== undefined) return stopped[0] as StopReason;
  // A task that neither failed nor has an error was stopped by a person, who cancelled the task or paused its session.
  if (error === null && status !== 'failed') return 'cancelled';
  throw new RequestError(INTERNAL, message || (summary ?? `The prompt ended with status ${status}.`), {
    code: error?.code,
    taskId: id,
  });
}

const INTERNAL = -32_603;

import type { Task } from '@agent-console/shared/models/task';
import { STOP_MESSAGES } from '@agent-console/shared/stop-messages';
import { RequestError, type StopReason } from '@agentclientprotocol/sdk';

/** Whether the turn of a prompt is over. A task that an agent prompted stays open until it is reported. */
export const isTurnOver = ({ endedAt, waitingFor }: Task) => endedAt !== null || waitingFor === 'report';

/**
 * Returns the stop reason of a prompt whose turn is over.
 * @throws RequestError with the reason of a failure that has no stop reason of its own.
 */
export function stopReasonOf({ id, status, waitingFor, error, summary }: Task): StopReason {
  if (status === 'completed' || waitingFor === 'report') return 'end_turn';
  const message = error?.message ?? '';
  const stopped = Object.entries(STOP_MESSAGES).find(([, sentence]) => message.includes(sentence));
  if (stopped !== undefined) return stopped[0] as StopReason;
  // A task without an error was stopped by a person: cancelled, or interrupted by a pause of its session.
  if (error === null && status !== 'failed') return 'cancelled';
  throw new RequestError(INTERNAL, message || (summary ?? `The prompt is ${status}.`), {
    code: error?.code,
    taskId: id,
  });
}

const INTERNAL = -32_603;

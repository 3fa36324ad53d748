import type { Task } from '@agent-console/shared/models/task';
import { STOP_MESSAGES } from '@agent-console/shared/stop-messages';
import { RequestError, type StopReason } from '@agentclientprotocol/sdk';

/**
 * Returns the stop reason of a prompt whose task ended.
 * @throws RequestError with the reason of a failure that has no stop reason of its own.
 */
export function stopReasonOf({ id, status, error, summary }: Task): StopReason {
  if (status === 'completed') return 'end_turn';
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

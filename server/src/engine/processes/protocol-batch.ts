import { ACP_QUESTIONS_MAX } from '@agent-console/shared/limits/acp';
import type { AgentRequest, ProtocolState, RequestId } from '../../domain/protocol.ts';
import type { AgentKind, AgentObservation, PendingQuestion, Transition } from '../../ports/agents.ts';
import type { InputRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { failTasks } from '../protocol/failures.ts';
import type { MessageWriter } from '../protocol/messages.ts';
import { FLOODED, isFlooded, PERMISSION } from '../protocol/requests.ts';

/** An agent that is driven over ACP. */
export interface ProtocolAgent {
  name: string;
  /** The command that starts the agent, from the agent's definition. */
  command: readonly string[];
  kind: Pick<AgentKind, 'protocolModes' | 'readTurnFailure' | 'readQuotaReset'>;
}

/** Position of a line in the log of an agent's output. */
export interface LinePosition {
  offset: number;
  /** Offset after the end of the line, at which the next line begins. */
  next: number;
}

/**
 * A batch of lines from an agent, whose changes are stored in one transaction. The handlers of lines change the fields
 * that are not `readonly`, and add to the lists.
 */
export interface LineBatch {
  readonly tx: Transaction;
  readonly deps: ChangeDeps;
  readonly worker: WorkerRow;
  readonly agent: ProtocolAgent;
  /** The input that is being sent or was sent to the agent, and whose turn has not ended. */
  readonly input: InputRow | undefined;
  readonly messages: MessageWriter;
  readonly observations: AgentObservation[];
  readonly warnings: string[];
  state: ProtocolState;
  /** The id that the agent has given to its conversation, if a line of this batch contains it. */
  nativeId: string | undefined;
  /** Number of questions that wait for an answer, including those of this batch. */
  questions: number;
  /** Whether the agent waits for the answer to a question. */
  asking: boolean;
}

export function observeState({ observations }: LineBatch, state: Transition['state'], offset: number): void {
  observations.push({ state, offset, source: 'protocol', confidence: 'certain' });
}

/**
 * Marks the connection as broken and fails the agent's tasks, because its further output cannot be used. The watcher
 * then ends the agent.
 */
export async function breakConnection(batch: LineBatch, why: string): Promise<void> {
  const { tx, deps, worker } = batch;
  batch.state = { ...batch.state, phase: 'broken', choices: [], requests: [] };
  await failTasks(tx, deps, worker, why);
}

/**
 * Stores a request that the console answers without a person. Breaks the connection if too many requests wait for
 * answers.
 */
export async function storeRequest(batch: LineBatch, request: AgentRequest): Promise<void> {
  if (isFlooded(batch.state)) await breakConnection(batch, FLOODED);
  else batch.state = { ...batch.state, requests: [...batch.state.requests, request] };
}

/**
 * Asks a person the agent's question. If the turn was cancelled, or if the agent has too many open questions, the
 * console answers the question itself. Without an answer, an agent would not end a cancelled turn.
 */
export async function ask(
  batch: LineBatch,
  question: PendingQuestion,
  requestId: RequestId,
  { offset, next }: LinePosition,
): Promise<void> {
  const method = question.kind === undefined ? PERMISSION : 'elicitation/create';
  if (await isTurnCancelled(batch)) return storeRequest(batch, { requestId, method, offset, isCancelled: true });
  if (batch.questions >= ACP_QUESTIONS_MAX) return storeRequest(batch, { requestId, method, offset, isExcess: true });
  batch.questions += 1;
  batch.asking = true;
  observeState(batch, 'asking', next);
  batch.observations.push({ asked: question });
}

async function isTurnCancelled({ tx, input }: LineBatch): Promise<boolean> {
  return input?.taskId != null && (await tx.tasks.get(input.taskId))?.status === 'cancelled';
}

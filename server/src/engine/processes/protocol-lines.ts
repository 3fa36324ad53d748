import { LIVE_INPUT } from '../../domain/inputs.ts';
import { connectionOf, isOver, type ProtocolEvent, type ProtocolState } from '../../domain/protocol.ts';
import type { ProtocolLine } from '../../ports/protocol.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { warn } from '../protocol/failures.ts';
import { createMessageWriter } from '../protocol/messages.ts';
import { applyObservations } from './observations.ts';
import { type LineBatch, observeState, type ProtocolAgent } from './protocol-batch.ts';
import { applyLine } from './protocol-handlers.ts';
import { followMode } from './protocol-modes.ts';

/** States of an input that is being sent or was sent to the agent, and whose turn has not ended. */
export const SENT_INPUT = LIVE_INPUT.filter((state) => state !== 'queued');

/**
 * Applies lines of an agent's output to its session, in order: messages, approvals, activity, the end of the turn, and
 * the state of the connection. Everything is stored in one transaction together with the read position, so each line is
 * applied exactly once, even after a crash.
 * @returns the state of the connection, which determines what to send next; null if the worker was removed
 */
export async function applyLines(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  lines: readonly ProtocolLine[],
  agent: ProtocolAgent,
): Promise<ProtocolState | null> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return null;
  const fresh = lines.filter(({ next }) => next > worker.scanOffset);
  const last = fresh.at(-1);
  const input = await tx.inputs.first({ workerId, state: SENT_INPUT });
  const turn = input === undefined ? null : { inputId: input.id, taskId: input.taskId };
  const questions = await tx.approvals.count({ workerId, state: 'pending' });
  const batch: LineBatch = {
    tx,
    deps,
    worker,
    agent,
    input,
    messages: createMessageWriter(tx, deps, worker, turn),
    observations: [],
    warnings: [],
    state: connectionOf(worker),
    nativeId: undefined,
    questions,
    asking: questions > 0,
  };
  const { observations, messages, warnings } = batch;
  const shownBefore = shownOf(batch.state);

  // The agent stops asking as soon as its last question is answered. The new activity is recorded at once, because the
  // agent's next message may take a while.
  if (worker.activityState === 'asking' && !batch.asking && !isOver(batch.state)) {
    observeState(batch, batch.state.phase === 'ready' && input === undefined ? 'idle' : 'active', worker.scanOffset);
  }
  if (last === undefined) {
    if (observations.length > 0) await applyObservations(tx, deps, workerId, observations, worker);
    return batch.state;
  }

  for (const { event, ...position } of fresh) {
    // An agent that opens an old conversation sends the conversation's messages again. These messages are already
    // stored.
    if (batch.state.phase === 'opening' && isUpdate(event)) continue;
    // The lines after the one that broke the connection are ignored, because they cannot be trusted.
    if (batch.state.phase === 'broken') break;
    // Updates between turns do not set the activity to active, because no end of a turn would set it back to idle.
    const isWork = isUpdate(event) && turn !== null;
    if (isWork && !batch.asking && worker.activityState !== 'active' && observations.length === 0) {
      observeState(batch, 'active', position.next);
    }
    if (endsMessage(event) && batch.state.open !== null) batch.state = { ...batch.state, open: null };
    await applyLine(batch, event, position);
  }
  await messages.flush();
  const choice = await followMode(tx, deps, worker, batch.state, agent.kind.protocolModes);
  if (choice !== null) {
    warnings.push(choice.why);
    batch.state = { ...batch.state, choices: [...batch.state.choices, choice.choice] };
  }
  if (warnings.length > 0) await warn(tx, workerId, warnings);
  const { state, nativeId } = batch;
  if (shownBefore !== shownOf(state))
    await tx.record({ type: 'session.options_changed', ...aboutSession(worker.sessionId) });
  await tx.workers.update(workerId, { protocol: state });
  // A `signalsOffset` above 0 means that the agent has reported its start. An agent with a protocol has started when
  // its connection is ready. Any other agent reports its start through a hook.
  const signalsOffset = state.phase === 'ready' ? 1 : worker.signalsOffset;
  const read = { scanOffset: last.next, signalsOffset, ...(nativeId === undefined ? {} : { nativeId }) };
  await applyObservations(tx, deps, workerId, observations, read);
  return state;
}

/** Returns the parts of the connection's state that the session shows, as a text that can be compared. */
const shownOf = ({ options, commands, usage }: ProtocolState) => JSON.stringify([options, commands, usage]);

/**
 * Whether the next chunk after this event begins a new message. Some events, such as a new title or the context used,
 * may arrive between two chunks of one message.
 */
const endsMessage = (event: ProtocolEvent) =>
  event.type === 'chunk' ? event.role === 'user' : ENDS_MESSAGE.has(event.type);

const ENDS_MESSAGE: ReadonlySet<ProtocolEvent['type']> = new Set([
  'toolCall',
  'plan',
  'permission',
  'form',
  'link',
  'opened',
  'promptEnded',
  'refused',
]);

const isUpdate = ({ type }: ProtocolEvent) => type === 'chunk' || type === 'toolCall' || type === 'plan';

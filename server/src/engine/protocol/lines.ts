import type { AgentObservation, Transition } from '../../ports/agents.ts';
import type { ProtocolEvent, ProtocolLine, ProtocolState, StopReason } from '../../ports/protocol.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { tell, withdraw } from '../approvals/questions.ts';
import { LIVE_INPUT } from '../inputs.ts';
import { applyObservations } from '../processes/observations.ts';
import type { ChangeDeps } from '../task-changes.ts';
import { createMessageWriter } from './messages.ts';

export const NEW_CONNECTION: ProtocolState = {
  phase: 'initializing',
  capabilities: null,
  logins: [],
  options: [],
  commands: [],
  usage: null,
  open: null,
  requests: [],
};

/** What a person reads about a prompt that ended without an answer. */
const STOPPED: Readonly<Partial<Record<StopReason, string>>> = {
  max_tokens: 'the model reached its limit of tokens.',
  max_turn_requests: 'the agent reached its limit of model requests in one turn.',
  refusal: 'the model refused to continue.',
};

/**
 * Applies lines of an agent's output to its session, in order: messages, approvals, activity, the end of the turn, and
 * the state of the connection. Everything is stored in one transaction together with the position reached, so that each
 * line counts once, however often the server dies. Lines that were applied before are skipped.
 * @returns the state of the connection, from which follows what to send.
 */
export async function applyLines(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  lines: readonly ProtocolLine[],
): Promise<ProtocolState | null> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return null;
  const fresh = lines.filter(({ next }) => next > worker.scanOffset);
  const last = fresh.at(-1);
  let state = worker.protocol ?? NEW_CONNECTION;
  if (last === undefined) return state;
  const input = await tx.inputs.first({ workerId, state: [...LIVE_INPUT], submittedOffset: { not: null } });
  const turn = input === undefined ? null : { inputId: input.id, taskId: input.taskId };
  const messages = createMessageWriter(tx, deps, worker, turn);
  const observations: AgentObservation[] = [];
  let nativeId: string | undefined;
  let asking = (await tx.approvals.count({ workerId, state: 'pending' })) > 0;
  const see = (at: Transition['state'], offset: number) =>
    observations.push({ state: at, offset, source: 'protocol', confidence: 'certain' });

  for (const { event, offset, next } of fresh) {
    // A replayed conversation is stored already.
    if (state.phase === 'opening' && isUpdate(event)) continue;
    const isWork = event.type === 'chunk' || event.type === 'toolCall' || event.type === 'plan';
    if (isWork && !asking && worker.activityState !== 'active' && observations.length === 0) see('active', next);
    if (event.type !== 'chunk') state = state.open === null ? state : { ...state, open: null };
    switch (event.type) {
      case 'initialized':
        state = { ...state, phase: 'opening', capabilities: event.capabilities, logins: event.logins };
        break;
      case 'opened':
        state = { ...state, phase: 'ready', options: event.options };
        nativeId = event.nativeId ?? undefined;
        see('idle', next);
        break;
      case 'chunk':
        // The console has stored the prompt itself.
        if (event.role === 'agent') state = { ...state, open: await messages.chunk(event, offset, state.open) };
        break;
      case 'toolCall':
        await messages.toolCall(event.callId, event.fields, offset);
        break;
      case 'plan':
        await messages.plan(event.entries, offset);
        break;
      case 'commands':
        state = { ...state, commands: event.commands };
        break;
      case 'options':
        state = { ...state, options: event.options };
        break;
      case 'mode':
        state = { ...state, options: withMode(state.options, event.modeId) };
        break;
      case 'usage': {
        const { used, size, costUsd } = event;
        state = { ...state, usage: { used, size, costUsd } };
        break;
      }
      case 'permission':
        await messages.toolCall(event.callId, event.fields, offset);
        await storePermission(tx, deps, worker, event, turn?.taskId ?? null, offset);
        asking = true;
        see('asking', next);
        break;
      case 'request':
        state = { ...state, requests: [...state.requests, { ...requestOf(event), offset }] };
        break;
      case 'promptEnded': {
        await withdrawAll(tx, deps, workerId);
        asking = false;
        const reason = STOPPED[event.reason];
        if (reason !== undefined) observations.push(failure(reason));
        // A turn may end before any update: the agent has accepted its prompt in any case.
        see('active', offset + 1);
        see('idle', next);
        break;
      }
      case 'refused':
        if (turn !== null && event.requestId.endsWith(turn.inputId)) {
          await withdrawAll(tx, deps, workerId);
          asking = false;
          observations.push(failure(event.message));
          see('active', offset + 1);
          see('idle', next);
        } else if (state.phase === 'initializing' || state.phase === 'opening') {
          state = { ...state, phase: 'failed' };
        }
        break;
    }
  }
  await messages.flush();
  await tx.workers.update(workerId, { protocol: state });
  // A ready connection is what a report of the start is for other agents.
  const signalsOffset = state.phase === 'ready' ? 1 : worker.signalsOffset;
  const read = { scanOffset: last.next, signalsOffset, ...(nativeId === undefined ? {} : { nativeId }) };
  await applyObservations(tx, deps, workerId, observations, read);
  return state;
}

const failure = (message: string): AgentObservation => ({ failure: { message, source: 'protocol', certain: true } });

const requestOf = ({ requestId, method, params }: Extract<ProtocolEvent, { type: 'request' }>) => ({
  requestId,
  method,
  params,
});

const isUpdate = ({ type }: ProtocolEvent) => type === 'chunk' || type === 'toolCall' || type === 'plan';

function withMode(options: ProtocolState['options'], modeId: string): ProtocolState['options'] {
  return options.map((option) => (option.category === 'mode' ? { ...option, current: modeId } : option));
}

/** Stores a permission request as an approval. Several may be open at once. */
async function storePermission(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  { requestId, fields, options }: Extract<ProtocolEvent, { type: 'permission' }>,
  taskId: string | null,
  offset: number,
): Promise<void> {
  const row = await tx.approvals.insert({
    id: deps.newId(),
    sessionId: worker.sessionId,
    workerId: worker.id,
    taskId,
    requestId,
    text: fields.title ?? 'The agent asks for a permission.',
    tool: fields.kind ?? null,
    options: options.map(({ id, label, effect }) => ({
      id,
      label,
      kind: effect.startsWith('allow') ? ('allow' as const) : ('deny' as const),
    })),
    source: 'protocol',
    logOffset: offset,
    createdAt: deps.now().toISOString(),
  });
  await tell(tx, 'approval.requested', row);
}

async function withdrawAll(tx: Transaction, deps: ChangeDeps, workerId: string): Promise<void> {
  for (const row of await tx.approvals.find({ workerId, state: 'pending' })) await withdraw(tx, deps, row);
}

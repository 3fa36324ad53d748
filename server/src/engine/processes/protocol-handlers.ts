import { firstChars } from '@agent-console/shared/cut';
import { ACP_SHORT_TEXT_MAX_CHARS } from '@agent-console/shared/limits/acp';
import { afterLogin, loginId, type ProtocolEvent, type ProtocolState, withValue } from '../../domain/protocol.ts';
import type { PendingQuestion } from '../../ports/agents.ts';
import { rememberFeatures } from '../agents/features.ts';
import { withdrawQuestions } from '../approvals/questions.ts';
import { withdraw } from '../changes/approval-changes.ts';
import { failTasks } from '../protocol/failures.ts';
import { forkedConversation } from '../protocol/forks.ts';
import { formQuestion, linkQuestion } from '../protocol/forms.ts';
import { askingForLogin, loginQuestion } from '../protocol/login.ts';
import { newRequest } from '../protocol/requests.ts';
import { countTurn, failureOf, followTitle } from '../protocol/turn-facts.ts';
import {
  ask,
  breakConnection,
  type LineBatch,
  type LinePosition,
  observeState,
  storeRequest,
} from './protocol-batch.ts';
import { chooseFrom } from './protocol-modes.ts';

type EventOf<T extends ProtocolEvent['type']> = Extract<ProtocolEvent, { type: T }>;

type Handlers = {
  [T in ProtocolEvent['type']]: (batch: LineBatch, event: EventOf<T>, position: LinePosition) => Promise<void> | void;
};

export async function applyLine(batch: LineBatch, event: ProtocolEvent, position: LinePosition): Promise<void> {
  const handle = HANDLERS[event.type] as (batch: LineBatch, event: ProtocolEvent, position: LinePosition) => unknown;
  await handle(batch, event, position);
}

function change(batch: LineBatch, changes: Partial<ProtocolState>): void {
  batch.state = { ...batch.state, ...changes };
}

const HANDLERS: Handlers = {
  async initialized(batch, { capabilities, logins }) {
    change(batch, { phase: 'opening', capabilities, logins });
    await rememberFeatures(batch.tx, batch.worker.agentId, capabilities);
  },

  async opened(batch, { nativeId, options }, { next }) {
    if (batch.state.phase !== 'opening') return;
    change(batch, { phase: 'choosing', options, choices: await chooseFrom(batch, options) });
    batch.nativeId = nativeId ?? undefined;
    becomeReady(batch, next);
  },

  answered(batch, { requestId, options }, { next }) {
    const { state } = batch;
    if (state.phase === 'authenticating' && requestId === loginId(state)) {
      batch.state = afterLogin(state);
      if (batch.state.phase === 'ready') observeState(batch, 'idle', next);
      return;
    }
    const choice = state.choices.find((each) => each.requestId === requestId);
    if (choice === undefined) return;
    change(batch, {
      options: options ?? withValue(state.options, choice.optionId, choice.value),
      choices: state.choices.filter((each) => each !== choice),
    });
    becomeReady(batch, next);
  },

  async chunk(batch, event, { offset }) {
    // Chunks of the user's prompt are skipped, because the console stored the prompt itself.
    if (event.role === 'user') return;
    change(batch, { open: await batch.messages.chunk(event, offset, batch.state.open) });
  },

  toolCall: ({ messages }, { callId, fields, isUpdate }, { offset }) =>
    messages.toolCall(callId, fields, offset, isUpdate),

  plan: ({ messages }, { entries }, { offset }) => messages.plan(entries, offset),

  commands: (batch, { commands }) => change(batch, { commands }),

  options: (batch, { options }) => change(batch, { options }),

  mode: (batch, { modeId }) => change(batch, { options: withMode(batch.state.options, modeId) }),

  async usage(batch, { used, size, costUsd }) {
    const { tx, deps, worker, input, state } = batch;
    change(batch, { usage: { used, size, costUsd } });
    // The cost is counted at once, because the turn may fail, or the agent may exit before the turn ends.
    const isNew = costUsd !== null && costUsd !== state.usage?.costUsd;
    if (isNew && input !== undefined) await countTurn(tx, deps, worker, input.id, null, costUsd);
  },

  async permission(batch, event, position) {
    await batch.messages.toolCall(event.callId, event.fields, position.offset, true);
    await ask(batch, questionOf(event), event.requestId, position);
  },

  form: (batch, event, position) => ask(batch, formQuestion(event), event.requestId, position),

  link: (batch, event, position) => ask(batch, linkQuestion(event), event.requestId, position),

  linkDone: (batch, { linkId }, position) => endLink(batch, linkId, position),

  async request(batch, event, { offset }) {
    const { tx, deps, worker, state } = batch;
    await storeRequest(batch, await newRequest(tx, deps, worker.id, event, offset, state.requests));
  },

  broken: (batch, { why }) => breakConnection(batch, why),

  async info(batch, { title, extra }) {
    const { tx, worker, agent, input, state } = batch;
    if (extra !== null && input !== undefined) {
      change(batch, { isFailing: agent.kind.readTurnFailure?.(extra) ?? state.isFailing ?? false });
    }
    if (title !== null) batch.state = await followTitle(tx, worker, batch.state, title);
  },

  async promptEnded(batch, { inputId, reason, usage }, position) {
    const { tx, deps, worker, input, state, messages } = batch;
    await messages.flush();
    await countTurn(tx, deps, worker, inputId, usage, state.usage?.costUsd ?? null);
    await endTurn(batch, inputId, await failureOf(tx, input?.taskId ?? null, state, reason), position);
    change(batch, { isFailing: false });
  },

  refused: handleRefusal,

  unknown() {},

  fault(batch, { what }) {
    // Only the first invalid line is described, because an agent that logs to standard output may write thousands of
    // them.
    if (batch.state.fault !== undefined) return;
    const fault = firstChars(what.replace(/[\s\p{Cc}]+/gu, ' '), ACP_SHORT_TEXT_MAX_CHARS);
    change(batch, { fault });
    batch.warnings.push(`The console ignored a line of the agent that violates the protocol: ${fault}`);
  },
};

function becomeReady(batch: LineBatch, next: number): void {
  if (batch.state.phase !== 'choosing' || batch.state.choices.length > 0) return;
  change(batch, { phase: 'ready' });
  observeState(batch, 'idle', next);
}

/**
 * Ends the turn of a prompt. First records that the agent was active, because a turn counts as over only after
 * activity, and may end without any update.
 */
async function endTurn(
  batch: LineBatch,
  inputId: string,
  reason: string | undefined,
  { offset, next }: LinePosition,
): Promise<void> {
  const { tx, deps, worker, agent, input, observations } = batch;
  // An agent may answer an earlier prompt again. Only the answer to the prompt of the current turn ends the turn.
  if (input?.id !== inputId) return;
  await withdrawQuestions(tx, deps, worker.id);
  batch.asking = false;
  // The agent's answer may be read before the runner's receipt for the prompt is stored. The answer proves that the
  // prompt was submitted.
  if (input.submittedOffset === null) {
    const state = input.state === 'submitting' ? 'submitted' : input.state;
    await tx.inputs.update(inputId, { state, submittedOffset: offset, submittedAt: deps.now().toISOString() });
  }
  observeState(batch, 'active', offset + 1);
  if (reason !== undefined) {
    const resetsAt = agent.kind.readQuotaReset?.(reason, deps.now()) ?? null;
    const failure = { message: reason, source: 'protocol', certain: true } as const;
    observations.push({ failure: resetsAt === null ? failure : { ...failure, resetsAt } });
  }
  observeState(batch, 'idle', next);
}

/**
 * Handles the agent's report that the person has done what a page asked for: withdraws the question that asks the
 * person to open the page, and accepts the agent's request. Does nothing if a person answered the question.
 */
async function endLink(batch: LineBatch, linkId: string, { offset, next }: LinePosition): Promise<void> {
  const { tx, deps, worker, observations } = batch;
  const at = observations.findIndex((seen) => 'asked' in seen && seen.asked?.linkId === linkId);
  const [unstored] = at === -1 ? [] : observations.splice(at, 1);
  const row = await tx.approvals.first({ workerId: worker.id, linkId, state: 'pending', optionId: null });
  if (row !== undefined) await withdraw(tx, deps, row);
  const requestId = row?.requestId ?? (unstored && 'asked' in unstored ? unstored.asked?.requestId : undefined);
  if (requestId === undefined) return;
  await storeRequest(batch, { requestId, method: 'elicitation/create', offset, isDone: true });
  const isAsking = observations.some((seen) => 'asked' in seen);
  batch.asking = isAsking || (await tx.approvals.count({ workerId: worker.id, state: 'pending' })) > 0;
  if (!batch.asking) observeState(batch, 'active', next);
}

async function handleRefusal(batch: LineBatch, event: EventOf<'refused'>, position: LinePosition): Promise<void> {
  const { tx, deps, worker, warnings, state } = batch;
  const { requestId, inputId, code, message } = event;
  if (needsLogin(batch, event)) {
    // The agent did not process the prompt. The input is dropped, so that a new input sends the prompt after the
    // log-in. Without `submittedOffset`, the prompt's notices and instructions do not count as received.
    if (inputId !== null) await tx.inputs.update(inputId, { state: 'dropped', submittedOffset: null });
    askForLogin(batch, message, inputId === null ? 'open' : 'ready', position.next);
  } else if (state.phase === 'authenticating' && requestId === loginId(state)) {
    askForLogin(batch, message, state.login?.then ?? 'open', position.next);
  } else if (inputId !== null) {
    await endTurn(batch, inputId, refusal(event), position);
  } else if (state.phase === 'opening' && code !== AUTH_REQUIRED && (await canBeginAnew(batch))) {
    change(batch, { anew: true });
    warnings.push(`The agent could not continue its conversation and began a new one: ${message}`);
  } else if (state.phase === 'initializing' || state.phase === 'opening') {
    change(batch, { phase: 'failed' });
    await failTasks(tx, deps, worker, refusal(event));
    await tx.sessions.update(worker.sessionId, { queueHeld: true });
  } else {
    const choice = state.choices.find((each) => each.requestId === requestId);
    if (choice === undefined) return;
    const name = state.options.find(({ id }) => id === choice.optionId)?.name ?? choice.optionId;
    warnings.push(`The agent did not accept ${choice.value} as its ${name}: ${message}`);
    change(batch, { choices: state.choices.filter((each) => each !== choice) });
    becomeReady(batch, position.next);
  }
}

/**
 * Whether the agent refuses to open the conversation, or to process the prompt of the current turn, until somebody logs
 * in.
 */
function needsLogin({ state: { phase, logins }, input }: LineBatch, { code, inputId }: EventOf<'refused'>): boolean {
  return (
    code === AUTH_REQUIRED &&
    logins.length > 0 &&
    (inputId === null ? phase === 'opening' : phase === 'ready' && inputId === input?.id)
  );
}

function askForLogin(batch: LineBatch, reason: string, then: 'open' | 'ready', next: number): void {
  batch.state = askingForLogin(batch.state, then);
  batch.asking = true;
  observeState(batch, 'asking', next);
  batch.observations.push({ asked: loginQuestion(batch.state, batch.agent, reason) });
}

/**
 * Whether the agent may be asked to begin a new conversation. True if the console has asked it to continue or copy a
 * conversation, and has not yet asked for a new one.
 */
async function canBeginAnew({ tx, worker, state: { anew = false } }: LineBatch): Promise<boolean> {
  const session = await tx.sessions.get(worker.sessionId);
  return !anew && (session?.nativeId ?? (await forkedConversation(tx, session))) !== null;
}

/** JSON-RPC error code of an agent that requires a login. */
const AUTH_REQUIRED = -32_000;

function refusal({ code, inputId, message }: EventOf<'refused'>): string {
  if (code === AUTH_REQUIRED) {
    return `The agent is not logged in (${message}). Log in with the agent's own program, then send the prompt again.`;
  }
  return inputId === null ? `The agent could not open the conversation: ${message}` : message;
}

function withMode(options: ProtocolState['options'], modeId: string): ProtocolState['options'] {
  return options.map((option) => (option.category === 'mode' ? { ...option, current: modeId } : option));
}

function questionOf({ requestId, callId, fields, options }: EventOf<'permission'>): PendingQuestion {
  return {
    requestId,
    callId,
    text: fields.title ?? 'The agent asks for permission.',
    tool: fields.kind ?? null,
    options: options.map(({ id, label, effect }) => ({
      id,
      label,
      effect,
      kind: effect.startsWith('allow') ? 'allow' : 'deny',
    })),
    source: 'protocol',
  };
}

import { ACP_QUESTIONS_MAX } from '@agent-console/shared/limits/acp';
import { PermissionMode } from '@agent-console/shared/models/session';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import { exceeds } from '../../domain/permission-mode.ts';
import {
  type AgentRequest,
  afterLogin,
  connectionOf,
  isOver,
  loginId,
  modeChoice,
  type OptionChoice,
  openChoices,
  type ProtocolEvent,
  type ProtocolState,
  type RequestId,
  withValue,
} from '../../domain/protocol.ts';
import type { AgentKind, AgentObservation, PendingQuestion, Transition } from '../../ports/agents.ts';
import type { ProtocolLine } from '../../ports/protocol.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { rememberFeatures } from '../agents/features.ts';
import { withdraw } from '../approval-changes.ts';
import { withdrawQuestions } from '../approvals/questions.ts';
import { failTasks, warn } from '../protocol/failures.ts';
import { forkedConversation } from '../protocol/forks.ts';
import { formQuestion, linkQuestion } from '../protocol/forms.ts';
import { askingForLogin, loginQuestion } from '../protocol/login.ts';
import { createMessageWriter } from '../protocol/messages.ts';
import { FLOODED, isFlooded, newRequest } from '../protocol/requests.ts';
import { countTurn, failureOf, followTitle } from '../protocol/turn-facts.ts';
import { aboutSession } from '../subjects.ts';
import type { ChangeDeps } from '../task-changes.ts';
import { applyObservations } from './observations.ts';

/** An agent that is driven over ACP. */
export interface ProtocolAgent {
  name: string;
  /** Command in the agent's definition. */
  command: readonly string[];
  kind: ProtocolKind;
}

/** States of an input that is being sent or was sent to the agent, and whose turn has not ended. */
export const SENT_INPUT = LIVE_INPUT.filter((state) => state !== 'queued');

type ProtocolKind = Pick<AgentKind, 'protocolModes' | 'readTurnFailure' | 'readQuotaReset'>;

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
  const { protocolModes: names, readTurnFailure, readQuotaReset } = agent.kind;
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return null;
  const fresh = lines.filter(({ next }) => next > worker.scanOffset);
  const last = fresh.at(-1);
  let state = connectionOf(worker);
  const input = await tx.inputs.first({ workerId, state: SENT_INPUT });
  const turn = input === undefined ? null : { inputId: input.id, taskId: input.taskId };
  const messages = createMessageWriter(tx, deps, worker, turn);
  const observations: AgentObservation[] = [];
  const warnings: string[] = [];
  const shownBefore = shownOf(state);
  let nativeId: string | undefined;
  let questions = await tx.approvals.count({ workerId, state: 'pending' });
  let asking = questions > 0;
  const see = (at: Transition['state'], offset: number) =>
    observations.push({ state: at, offset, source: 'protocol', confidence: 'certain' });

  // The agent continues as soon as its last question is answered, but its next message may take a while.
  if (worker.activityState === 'asking' && !asking && !isOver(state)) {
    see(state.phase === 'ready' && input === undefined ? 'idle' : 'active', worker.scanOffset);
  }
  if (last === undefined) {
    if (observations.length > 0) await applyObservations(tx, deps, workerId, observations, worker);
    return state;
  }

  const ownNames = () => (worker.permissionMode === null ? [] : (names[worker.permissionMode] ?? []));

  const becomeReady = (next: number) => {
    if (state.phase !== 'choosing' || state.choices.length > 0) return;
    state = { ...state, phase: 'ready' };
    see('idle', next);
  };

  /**
   * Returns the choices to request from a newly opened conversation: the session's permission mode and the chosen
   * values of its options. Adds a warning if the agent does not offer the mode.
   */
  const chooseFrom = async (options: ProtocolState['options']): Promise<OptionChoice[]> => {
    const { optionValues = {} } = (await tx.sessions.get(worker.sessionId)) ?? {};
    const chosen = Object.entries(optionValues).map(([optionId, value]) => ({ optionId, value }));
    const mode = modeChoice(options, ownNames());
    if (mode === null) warnings.push(...modeWarning(options, worker.permissionMode, ownNames()));
    const wanted = mode === null || mode.optionId in optionValues ? chosen : [mode, ...chosen];
    return openChoices(options, wanted).map((choice) => ({ ...choice, requestId: `option:${deps.newId()}` }));
  };

  /** Ends the turn of a prompt. Records activity first, because a turn may end without any update. */
  const endTurn = async (inputId: string, reason: string | undefined, offset: number, next: number) => {
    // An agent may answer twice. Only the answer to the prompt of the current turn ends the turn.
    if (input?.id !== inputId) return;
    await withdrawQuestions(tx, deps, workerId);
    asking = false;
    // The end of the turn may be read before the runner's receipt for the prompt is stored.
    if (input.submittedOffset === null) {
      const state = input.state === 'submitting' ? 'submitted' : input.state;
      await tx.inputs.update(inputId, { state, submittedOffset: offset, submittedAt: deps.now().toISOString() });
    }
    see('active', offset + 1);
    if (reason !== undefined) {
      const resetsAt = readQuotaReset?.(reason, deps.now()) ?? null;
      const failure = { message: reason, source: 'protocol', certain: true } as const;
      observations.push({ failure: resetsAt === null ? failure : { ...failure, resetsAt } });
    }
    see('idle', next);
  };

  /**
   * Closes the question that asks the person to open a page, because the person has finished on that page, and accepts
   * the agent's request. Does nothing if a person answered the question.
   */
  const endLink = async (linkId: string, offset: number, next: number) => {
    const at = observations.findIndex((seen) => 'asked' in seen && seen.asked?.linkId === linkId);
    const [unstored] = at === -1 ? [] : observations.splice(at, 1);
    const row = await tx.approvals.first({ workerId, linkId, state: 'pending', optionId: null });
    if (row !== undefined) await withdraw(tx, deps, row);
    const requestId = row?.requestId ?? (unstored && 'asked' in unstored ? unstored.asked?.requestId : undefined);
    if (requestId === undefined) return;
    await hold({ requestId, method: 'elicitation/create', offset, isDone: true });
    asking =
      observations.some((seen) => 'asked' in seen) || (await tx.approvals.count({ workerId, state: 'pending' })) > 0;
    if (!asking) see('active', next);
  };
  const breakOff = async (why: string) => {
    state = { ...state, phase: 'broken', choices: [], requests: [] };
    await failTasks(tx, deps, worker, why);
  };
  /** Stores a request that the console answers without a person. */
  const hold = async (request: AgentRequest) => {
    if (isFlooded(state)) await breakOff(FLOODED);
    else state = { ...state, requests: [...state.requests, request] };
  };
  /** Asks a person, unless too many questions of the agent are open. */
  const ask = async (asked: PendingQuestion, requestId: RequestId, offset: number, next: number) => {
    if (questions >= ACP_QUESTIONS_MAX) {
      const method = asked.kind === undefined ? 'session/request_permission' : 'elicitation/create';
      return hold({ requestId, method, offset, isExcess: true });
    }
    questions += 1;
    asking = true;
    see('asking', next);
    observations.push({ asked });
  };
  const askForLogin = (reason: string, then: 'open' | 'ready', next: number) => {
    state = askingForLogin(state, then);
    asking = true;
    see('asking', next);
    observations.push({ asked: loginQuestion(state, agent, reason) });
  };
  /**
   * Whether the agent refuses to open the conversation, or to process the prompt of the current turn, until somebody
   * logs in.
   */
  const needsLogin = (
    { code, inputId }: Extract<ProtocolEvent, { type: 'refused' }>,
    { phase, logins }: ProtocolState,
  ) =>
    code === AUTH_REQUIRED &&
    logins.length > 0 &&
    (inputId === null ? phase === 'opening' : phase === 'ready' && inputId === input?.id);

  for (const { event, offset, next } of fresh) {
    // An agent that opens an old conversation sends the conversation's messages again. These messages are already
    // stored.
    if (state.phase === 'opening' && isUpdate(event)) continue;
    // After a protocol error, the rest of the output cannot be trusted.
    if (state.phase === 'broken') break;
    const isWork = event.type === 'chunk' || event.type === 'toolCall' || event.type === 'plan';
    // Updates between turns do not count as activity, because no turn end would follow to reset it.
    if (isWork && turn !== null && !asking && worker.activityState !== 'active' && observations.length === 0)
      see('active', next);
    if (event.type !== 'chunk') state = state.open === null ? state : { ...state, open: null };
    switch (event.type) {
      case 'initialized':
        state = { ...state, phase: 'opening', capabilities: event.capabilities, logins: event.logins };
        await rememberFeatures(tx, worker.agentId, event.capabilities);
        break;
      case 'opened':
        if (state.phase !== 'opening') break;
        state = { ...state, phase: 'choosing', options: event.options, choices: await chooseFrom(event.options) };
        nativeId = event.nativeId ?? undefined;
        becomeReady(next);
        break;
      case 'answered': {
        if (state.phase === 'authenticating' && event.requestId === loginId(state)) {
          state = afterLogin(state);
          if (state.phase === 'ready') see('idle', next);
          break;
        }
        const choice = state.choices.find(({ requestId }) => requestId === event.requestId);
        if (choice === undefined) break;
        const options = event.options ?? withValue(state.options, choice.optionId, choice.value);
        state = { ...state, options, choices: state.choices.filter((each) => each !== choice) };
        becomeReady(next);
        break;
      }
      case 'chunk':
        // Chunks of the user's prompt are skipped, because the console stored the prompt itself.
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
        await ask(questionOf(event), event.requestId, offset, next);
        break;
      case 'form':
        await ask(formQuestion(event), event.requestId, offset, next);
        break;
      case 'link':
        await ask(linkQuestion(event), event.requestId, offset, next);
        break;
      case 'linkDone':
        await endLink(event.linkId, offset, next);
        break;
      case 'request':
        await hold(await newRequest(tx, deps, workerId, event, offset, state.requests));
        break;
      case 'broken':
        await breakOff(event.why);
        break;
      case 'info':
        if (event.extra !== null && turn !== null) {
          state = { ...state, isFailing: readTurnFailure?.(event.extra) ?? state.isFailing ?? false };
        }
        if (event.title !== null) state = await followTitle(tx, worker, state, event.title);
        break;
      case 'promptEnded':
        await messages.flush();
        await countTurn(tx, deps, worker, event.inputId, event.usage, state.usage?.costUsd ?? null);
        await endTurn(event.inputId, await failureOf(tx, turn?.taskId ?? null, state, event.reason), offset, next);
        state = { ...state, isFailing: false };
        break;
      case 'refused':
        if (needsLogin(event, state)) {
          // The agent did not process the prompt, so the prompt is sent again after the log-in.
          if (event.inputId !== null) await tx.inputs.update(event.inputId, { state: 'dropped' });
          askForLogin(event.message, event.inputId === null ? 'open' : 'ready', next);
        } else if (state.phase === 'authenticating' && event.requestId === loginId(state)) {
          askForLogin(event.message, state.login?.then ?? 'open', next);
        } else if (event.inputId !== null) {
          await endTurn(event.inputId, refusal(event), offset, next);
        } else if (
          state.phase === 'opening' &&
          event.code !== AUTH_REQUIRED &&
          (await canBeginAnew(tx, worker, state))
        ) {
          state = { ...state, anew: true };
          const why = `The agent could not continue its conversation and began a new one: ${event.message}`;
          warnings.push(why);
        } else if (state.phase === 'initializing' || state.phase === 'opening') {
          state = { ...state, phase: 'failed' };
          await failTasks(tx, deps, worker, refusal(event));
          await tx.sessions.update(worker.sessionId, { queueHeld: true });
        } else {
          const choice = state.choices.find(({ requestId }) => requestId === event.requestId);
          if (choice === undefined) break;
          const name = state.options.find(({ id }) => id === choice.optionId)?.name ?? choice.optionId;
          warnings.push(`The agent did not accept ${choice.value} as its ${name}: ${event.message}`);
          state = { ...state, choices: state.choices.filter((each) => each !== choice) };
          becomeReady(next);
        }
        break;
    }
  }
  await messages.flush();
  const choice = await followMode(tx, deps, worker, state, names);
  if (choice !== null) {
    warnings.push(choice.why);
    state = { ...state, choices: [...state.choices, choice.choice] };
  }
  if (warnings.length > 0) await warn(tx, workerId, warnings);
  if (shownBefore !== shownOf(state))
    await tx.record({ type: 'session.options_changed', ...aboutSession(worker.sessionId) });
  await tx.workers.update(workerId, { protocol: state });
  // A ready connection counts as the agent's report that it has started. Other agents report this through a hook, which
  // advances `signalsOffset`.
  const signalsOffset = state.phase === 'ready' ? 1 : worker.signalsOffset;
  const read = { scanOffset: last.next, signalsOffset, ...(nativeId === undefined ? {} : { nativeId }) };
  await applyObservations(tx, deps, workerId, observations, read);
  return state;
}

/**
 * Stores the permission mode that the agent has chosen by itself, e.g. after a plan was accepted. A mode above the
 * session's ceiling is not stored. If the agent chose such a mode, returns the choice that restores the previous mode,
 * otherwise null.
 */
async function followMode(
  tx: Transaction,
  deps: ChangeDeps,
  { id: workerId, sessionId, permissionMode }: WorkerRow,
  { phase, options, choices }: ProtocolState,
  names: AgentKind['protocolModes'],
): Promise<{ choice: OptionChoice; why: string } | null> {
  const option = options.find(({ category }) => category === 'mode');
  const session = await tx.sessions.get(sessionId);
  const isChanging = choices.some(({ optionId }) => optionId === option?.id);
  if (phase !== 'ready' || option === undefined || isChanging || permissionMode === null || session === undefined) {
    return null;
  }
  const chosen = PermissionMode.options.find((mode) => names[mode]?.includes(option.current));
  if (chosen === undefined || chosen === permissionMode || names[permissionMode]?.includes(option.current)) return null;
  if (exceeds(chosen, session.permissionCeiling)) {
    const back = modeChoice(options, names[permissionMode] ?? []);
    if (back === null) return null;
    const why = `The agent chose the permission mode ${chosen}, which is above the ceiling ${session.permissionCeiling} of its session, so the mode was set back to ${permissionMode}.`;
    return { choice: { ...back, requestId: `option:${deps.newId()}` }, why };
  }
  const { permissionMode: mode, requestedMode: requested, permissionCeiling: ceiling } = session;
  await tx.workers.update(workerId, { permissionMode: chosen });
  await tx.sessions.update(sessionId, { permissionMode: chosen, requestedMode: chosen });
  const after = { mode: chosen, requested: chosen, ceiling };
  const permission = { before: { mode, requested, ceiling }, after };
  await tx.record({ type: 'session.updated', ...aboutSession(sessionId), data: { permission } });
  return null;
}

/**
 * Returns a warning if the agent has no mode with one of these names. An agent without any modes itself decides when to
 * ask for permission. Such an agent gets the warning only for `plan`, because an agent in this mode should change
 * nothing.
 */
function modeWarning(
  options: ProtocolState['options'],
  mode: PermissionMode | null,
  names: readonly string[],
): readonly string[] {
  const offered = options.find(({ category }) => category === 'mode')?.values.map(({ id }) => id) ?? [];
  if (mode === null || names.length === 0 || (offered.length === 0 && mode !== 'plan')) return [];
  const modes = offered.length === 0 ? '' : ` (${offered.join(', ')})`;
  return [
    `The agent has no mode${modes} that corresponds to ${mode}, so the agent itself decides when to ask for permission.`,
  ];
}

/** Returns the part of the state that viewers can see, in a form that can be compared. */
const shownOf = ({ options, commands, usage }: ProtocolState) => JSON.stringify([options, commands, usage]);

const isUpdate = ({ type }: ProtocolEvent) => type === 'chunk' || type === 'toolCall' || type === 'plan';

function withMode(options: ProtocolState['options'], modeId: string): ProtocolState['options'] {
  return options.map((option) => (option.category === 'mode' ? { ...option, current: modeId } : option));
}

/**
 * Whether the console asked the agent to continue or copy a conversation, and has not yet asked it to begin a new one.
 */
async function canBeginAnew(tx: Transaction, { sessionId }: WorkerRow, { anew = false }: ProtocolState) {
  const session = await tx.sessions.get(sessionId);
  return !anew && (session?.nativeId ?? (await forkedConversation(tx, session))) !== null;
}

/** JSON-RPC error code of an agent that requires a login. */
const AUTH_REQUIRED = -32_000;

function refusal({ code, inputId, message }: Extract<ProtocolEvent, { type: 'refused' }>): string {
  if (code === AUTH_REQUIRED) {
    return `The agent is not logged in (${message}). Log in with the agent's own program, then send the prompt again.`;
  }
  return inputId === null ? `The agent could not open the conversation: ${message}` : message;
}

function questionOf({ requestId, fields, options }: Extract<ProtocolEvent, { type: 'permission' }>): PendingQuestion {
  return {
    requestId,
    text: fields.title ?? 'The agent asks for permission.',
    tool: fields.kind ?? null,
    options: options.map(({ id, label, effect }) => ({
      id,
      label,
      kind: effect.startsWith('allow') ? 'allow' : 'deny',
    })),
    source: 'protocol',
  };
}

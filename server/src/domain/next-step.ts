import { ACP_CANCEL_MS } from '@agent-console/shared/limits/acp';
import { SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
import { LIVE_LIMIT_POLL_MS } from '@agent-console/shared/limits/sessions';
import {
  ACCEPT_POLL_MS,
  ACCEPT_WITHIN_MS,
  COMMAND_IDLE_MS,
  ENTER_AGAIN_AFTER_MS,
  ENTERS_MAX,
  ENTERS_WITHIN_MS,
  FRESH_SETTLED_MS,
  LINE_POLL_MS,
  PASTE_DRAWN_WITHIN_MS,
  PASTE_SETTLE_MS,
  PASTE_SHOWN_WITHIN_MS,
  READY_SILENT_MS,
  READY_WITHIN_MS,
  SEND_UNKNOWN_AFTER_MS,
  SLOW_START_MS,
  UNFINISHED_LINE_MS,
  UNKNOWN_SILENT_MS,
} from '@agent-console/shared/limits/typing';
import type { ActivityState } from '@agent-console/shared/models/worker';
import { pluralize } from '@agent-console/shared/pluralize';
import type { InputKind, LiveInputState } from './inputs.ts';
import { mustHaveNoAgent, type PausedBy, type SessionMark } from './session-mark.ts';
import type { TurnEnd } from './turns.ts';
import type { LineView } from './typing.ts';

/** The stored and observed state that determines a session's next step. All times are milliseconds since the epoch. */
export interface SessionState {
  now: number;
  /**
   * Whether the connection to the runner is lost. Queued work then waits for a restart of the server, because no
   * process can be started or reached.
   */
  runnerGone: boolean;
  mark: SessionMark;
  pausedBy: PausedBy | null;
  archived: boolean;
  queueHeld: boolean;
  agent: AgentState | null;
  /** Id of the prompt or notice task that is running or waits for an answer; null if there is none. */
  turnTaskId: string | null;
  /**
   * The task whose turn ended before its agent called `report_result`; null if there is none. `quietSince`: time since
   * which the agent has been idle and has not waited for tasks that it delegated or orchestrations that it created.
   */
  unreported: { taskId: string; quietSince: number | null; reminded: boolean; source: string } | null;
  /**
   * The task that waits until the limit of the agent's subscription is reset, and the time of that reset; null if there
   * is none.
   */
  quota: { taskId: string; until: number } | null;
  /** The input that is being typed, or whose turn has not ended; null if there is none. */
  input: InputProgress | null;
  queueHead: { taskId: string; source: string; fromPerson: boolean; sendNow: boolean } | null;
  pendingNotices: number;
  /**
   * The maximum number of live sessions if it is reached and the session has no agent, so that none may start; null
   * otherwise.
   */
  reachedLiveLimit: number | null;
  /**
   * Number of open tasks that this session delegated to other sessions that are not archived, plus the number of its
   * orchestrations that have not ended.
   */
  delegatedTasks: number;
  reminderMs: number;
}

export interface AgentState {
  workerId: string;
  /** Whether prompts are sent over a protocol instead of being typed. */
  hasProtocol: boolean;
  state: 'starting' | 'running';
  activityState: ActivityState;
  /** Whether the console has recognized an activity signal since the agent started. */
  hasShownActivity: boolean;
  /** Time at which the agent entered `activityState`. */
  activitySince: number;
  lastOutputAt: number;
  /**
   * Whether the agent's hooks or protocol have reported that it has started; also true for kinds that never report a
   * start.
   */
  hasReportedStart: boolean;
  /** Whether the agent has received no input since it was started. */
  isFresh: boolean;
  /**
   * When a person last typed into the agent's input line without submitting; null if the line contains no unsubmitted
   * text of a person.
   */
  dirtySince: number | null;
  queueWhenUnknown: 'hold' | 'send';
  /**
   * Whether the next task needs a new process, because the session's permission mode has changed, its cwd was deleted,
   * or the connection to its agent is broken.
   */
  needsRestart: boolean;
}

export interface InputProgress {
  inputId: string;
  state: LiveInputState;
  /**
   * Whether the task of this input is open. A cancelled task, for example, has ended, although its agent may still work
   * on the input.
   */
  taskOpen: boolean;
  kind: InputKind;
  sendNow: boolean;
  createdAt: number;
  pastedAt: number | null;
  submittedAt: number | null;
  /** Time at which the console asked the agent over its protocol to cancel this input; null if it did not. */
  cancelSentAt: number | null;
  /** What the agent's input line shows; null if this is not known, as for kinds whose input line cannot be read. */
  line: LineView | null;
  /**
   * `count`: how often Enter was pressed for this input. `lastAt`: time of the last press. `probedAt`: time at which a
   * space was typed after that press. When the space is drawn, the agent has processed the press.
   */
  enterPresses: { count: number; lastAt: number; probedAt: number | null };
  /** Whether a menu that an earlier command opened may still cover the input line. */
  isLineCovered: boolean;
  /** How the turn of this input ended according to the agent's transcript; null if no end was read from it. */
  recordedEnd: TurnEnd['how'] | null;
  /** Whether the input is a command. Commands do not necessarily start a turn. */
  isCommand: boolean;
}

export type NextStep =
  /** Wait for an event, or until `wakeAt`. `blocked` tells people why the prompt cannot be sent yet. */
  | { do: 'wait'; wakeAt?: number; blocked?: string }
  | { do: 'resume' }
  | { do: 'startAgent' }
  | { do: 'endAgent' }
  /** End the agent's process. The next task in the queue starts a new one. */
  | { do: 'replaceAgent' }
  | { do: 'startTask'; taskId: string }
  | { do: 'startNotices' }
  /** Queue the pending notices as a task, which shows people why they are not delivered yet. */
  | { do: 'queueNotices' }
  | { do: 'prepareInput'; taskId: string }
  | {
      do:
        | 'paste'
        | 'submit'
        | 'send'
        | 'probe'
        | 'pressEnterAgain'
        | 'acceptRecordedEnd'
        | 'completeCommand'
        | 'markUncertain';
      inputId: string;
    }
  | { do: 'closeMenu' | 'withdraw' | 'drop'; inputId: string }
  | { do: 'markQuiet' | 'clearQuiet' | 'remind' | 'closeUnreported' | 'continueTask'; taskId: string };

/**
 * Returns the next step of a session. The step depends only on the current state, never on the events that led to this
 * state.
 */
export function nextStep(s: SessionState): NextStep {
  if (s.runnerGone) return awaitRunner(s);
  if (s.mark === 'paused' && s.pausedBy === 'budget' && !s.archived && hasWork(s)) return endTurnOverBudget(s);
  // If a server died after it stored a pause and before it ended the process, the agent of the paused session still
  // runs.
  const mustEndAgent = s.archived || mustHaveNoAgent(s);
  if (mustEndAgent && s.agent !== null) return { do: 'endAgent' };
  if (s.archived) return { do: 'wait' };
  if (s.mark === 'paused' && s.pausedBy === 'idle' && (s.pendingNotices > 0 || s.queueHead !== null)) {
    return s.reachedLiveLimit === null ? { do: 'resume' } : awaitPlace(s, s.reachedLiveLimit);
  }
  if (s.mark !== 'open' && !isFinishing(s)) return { do: 'wait' };
  if (s.agent === null) return stepWithoutAgent(s);
  if (s.agent.state === 'starting') return { do: 'startAgent' };
  if (s.input !== null) return inputStep(s, s.agent, s.input);
  if (s.turnTaskId !== null) return { do: 'prepareInput', taskId: s.turnTaskId };
  if (s.agent.activityState === 'active' || s.agent.activityState === 'asking') {
    return s.unreported?.quietSince == null ? { do: 'wait' } : { do: 'clearQuiet', taskId: s.unreported.taskId };
  }
  if (s.quota !== null) return awaitQuota(s, s.quota);
  if (s.agent.needsRestart && isTaskNext(s)) {
    return awaitTypable(s, s.agent, s.queueHead ?? { sendNow: false }) ?? { do: 'endAgent' };
  }
  if (s.pendingNotices > 0) return { do: 'startNotices' };
  if (s.unreported !== null) return awaitReport(s, s.unreported);
  if (s.queueHead !== null && !s.queueHeld) return { do: 'startTask', taskId: s.queueHead.taskId };
  return { do: 'wait' };
}

/**
 * Returns the step that waits until a person runs `agent-console serve`, which starts a new runner. A task that starts
 * without a runner would be lost.
 */
function awaitRunner(s: SessionState): NextStep {
  const isReady = s.queueHead !== null && !s.queueHeld && !s.archived && (s.mark === 'open' || s.pausedBy === 'idle');
  return isReady && s.agent === null
    ? { do: 'wait', blocked: 'the runner has ended; a person must run agent-console serve' }
    : { do: 'wait' };
}

/** Whether the session was marked completed or failed during a turn. The mark takes effect at the end of that turn. */
function isFinishing(s: SessionState): boolean {
  if (s.mark !== 'completed' && s.mark !== 'failed') return false;
  if (s.turnTaskId !== null) return true;
  return s.agent !== null && (s.input !== null || s.unreported !== null);
}

/**
 * Whether a session whose budget is used up has a running turn, or tasks that continue once a person raises the budget.
 */
function hasWork(s: SessionState): boolean {
  const isBusy = s.agent?.activityState === 'active' || s.agent?.activityState === 'asking';
  const hasTask = s.turnTaskId !== null || s.unreported !== null || s.quota !== null || s.queueHead !== null;
  return s.input !== null || hasTask || isBusy;
}

/**
 * Returns the next step of a session whose budget is used up: the current turn may end, but no queued input is typed.
 */
function endTurnOverBudget(s: SessionState): NextStep {
  if (s.agent?.state !== 'running' || s.input === null) return { do: 'wait' };
  const isUntyped = s.input.state === 'queued' && s.input.taskOpen;
  return isUntyped ? { do: 'wait' } : inputStep(s, s.agent, s.input);
}

function stepWithoutAgent(s: SessionState): NextStep {
  if (s.turnTaskId !== null) return { do: 'startAgent' };
  if (s.quota !== null) return awaitQuota(s, s.quota);
  if (s.queueHead === null || s.queueHeld) return { do: 'wait' };
  if (s.reachedLiveLimit !== null) return awaitPlace(s, s.reachedLiveLimit);
  return { do: 'startTask', taskId: s.queueHead.taskId };
}

/**
 * Returns the step that waits until another session ends, because the limit of live sessions is reached. Most calls are
 * refused then. So this mainly concerns sessions that are not started by a call, but for example by a notice or a raised
 * budget, and the session of a new worktree.
 */
function awaitPlace(s: SessionState, limit: number): NextStep {
  if (s.queueHead === null) return { do: 'queueNotices' };
  const blocked = `at most ${pluralize(limit, 'session')} may be live (setting liveSessions); stop or pause one`;
  return { do: 'wait', wakeAt: s.now + LIVE_LIMIT_POLL_MS, blocked };
}

/**
 * Returns the step that waits until the usage limit of the subscription is reset or, after the reset, the step that
 * continues the task. The session's other work also waits, because it needs the same subscription.
 */
function awaitQuota(s: SessionState, { taskId, until }: NonNullable<SessionState['quota']>): NextStep {
  if (s.now >= until) return { do: 'continueTask', taskId };
  const at = new Date(until).toISOString();
  return { do: 'wait', wakeAt: until, blocked: `the subscription of the agent allows no further use before ${at}` };
}

/**
 * Whether the session's next step starts a task or delivers notices. An agent that must be replaced is replaced before
 * this step. False while a task waits for its report, because replacing the agent would end this task.
 */
function isTaskNext(s: SessionState): boolean {
  return s.unreported === null && (s.pendingNotices > 0 || (s.queueHead !== null && !s.queueHeld));
}

function awaitReport(s: SessionState, task: NonNullable<SessionState['unreported']>): NextStep {
  const { taskId } = task;
  if (s.queueHead !== null && (s.queueHead.fromPerson || s.queueHead.source === task.source)) {
    return { do: 'closeUnreported', taskId };
  }
  if (s.delegatedTasks > 0 || s.agent?.activityState !== 'idle') {
    return task.quietSince === null ? { do: 'wait' } : { do: 'clearQuiet', taskId };
  }
  if (task.quietSince === null) return { do: 'markQuiet', taskId };
  const due = task.quietSince + s.reminderMs;
  if (s.now < due) return { do: 'wait', wakeAt: due };
  return { do: task.reminded ? 'closeUnreported' : 'remind', taskId };
}

function inputStep(s: SessionState, agent: AgentState, input: InputProgress): NextStep {
  const { inputId } = input;
  if (!input.taskOpen && (input.state === 'queued' || input.state === 'uncertain')) return { do: 'drop', inputId };
  if (agent.hasProtocol) return protocolInputStep(s, agent, input);
  switch (input.state) {
    case 'queued':
      return (
        awaitTypable(s, agent, input) ??
        (input.isLineCovered ? { do: 'closeMenu', inputId } : awaitReady(s, agent, input)) ?? { do: 'paste', inputId }
      );
    case 'pasting':
      return { do: input.taskOpen ? 'paste' : 'withdraw', inputId };
    case 'pasted': {
      if (!input.taskOpen) return { do: 'withdraw', inputId };
      // Without this check, Enter would answer a question that the agent has asked since the paste.
      if (agent.activityState === 'asking' && !input.sendNow)
        return { do: 'wait', blocked: 'the agent is asking a question' };
      const pastedAt = input.pastedAt ?? 0;
      const settled = drawnAt(agent, input, pastedAt) + PASTE_SETTLE_MS;
      if (s.now < settled) return { do: 'wait', wakeAt: settled };
      // An Enter that arrives before the agent has processed the paste becomes part of the paste. So the console waits
      // until the screen shows the paste.
      const isShown = input.line === null || input.line === 'text' || s.now >= pastedAt + PASTE_SHOWN_WITHIN_MS;
      return isShown || input.sendNow ? { do: 'submit', inputId } : { do: 'wait', wakeAt: s.now + LINE_POLL_MS };
    }
    case 'submitting':
      return { do: 'submit', inputId };
    case 'submitted':
      return awaitAcceptance(s, agent, input);
    case 'uncertain':
      return awaitEnd(s, agent, input) ?? { do: 'wait', blocked: 'the agent has not acknowledged the prompt' };
    case 'clearing':
    case 'interrupting':
      return { do: 'withdraw', inputId };
    case 'accepted':
      return { do: 'wait' };
  }
}

/**
 * Returns the next step for an input that is sent over a protocol. An agent with a protocol reports when it is ready,
 * and reports the end of a turn in the response to its prompt.
 */
function protocolInputStep(s: SessionState, agent: AgentState, input: InputProgress): NextStep {
  const { inputId } = input;
  switch (input.state) {
    case 'queued':
      // An agent may ask a person to log in before it reports its start, so this check comes first.
      if (agent.activityState === 'asking') return { do: 'wait' };
      if (!agent.hasReportedStart) return { do: 'wait', blocked: 'the agent is still starting' };
      return agent.activityState === 'idle' ? { do: 'send', inputId } : { do: 'wait' };
    case 'submitting':
      return { do: 'send', inputId };
    case 'clearing':
    case 'interrupting':
      return { do: 'withdraw', inputId };
    default:
      return input.cancelSentAt === null ? { do: 'wait' } : awaitCancelledTurn(s, input.cancelSentAt);
  }
}

/**
 * Returns the next step after the agent was asked to cancel its turn. The protocol requires the agent to end this turn.
 * If it does not, a person decides whether to wait, because ending the agent could lose its conversation.
 */
function awaitCancelledTurn(s: SessionState, cancelSentAt: number): NextStep {
  const due = cancelSentAt + ACP_CANCEL_MS;
  if (s.now < due) return { do: 'wait', wakeAt: due };
  if (s.queueHead?.sendNow) return { do: 'replaceAgent' };
  return { do: 'wait', blocked: CANCEL_IGNORED };
}

const CANCEL_IGNORED =
  'the agent does not stop working on its cancelled task; if you send this prompt now, the console first ends the process of the agent';

/**
 * Returns the time at which the paste was probably drawn on the screen, estimated from the agent's last output. Until
 * shortly after this time, Gemini CLI treats Enter as a line break.
 */
function drawnAt(agent: AgentState, { line, sendNow }: InputProgress, pastedAt: number): number {
  if (line === null || sendNow) return pastedAt;
  return Math.max(pastedAt, Math.min(agent.lastOutputAt, pastedAt + PASTE_DRAWN_WITHIN_MS));
}

function awaitAcceptance(s: SessionState, agent: AgentState, input: InputProgress): NextStep {
  const { inputId } = input;
  const end = awaitEnd(s, agent, input);
  if (end !== null && end.do !== 'wait') return end;
  const due = (input.submittedAt ?? s.now) + ACCEPT_WITHIN_MS;
  const isUnsent = isTextUnsent(agent, input) && s.now < due + ENTERS_WITHIN_MS;
  if (s.now >= due && !isUnsent) return { do: input.taskOpen ? 'markUncertain' : 'drop', inputId };
  const wakeAt = Math.min(due, end?.wakeAt ?? due);
  if (input.line === null || !input.taskOpen) return { do: 'wait', wakeAt };
  const press = isUnsent ? nextPress(s, agent, input) : null;
  if (press !== null) return { do: press, inputId };
  return { do: 'wait', wakeAt: s.now < wakeAt ? Math.min(wakeAt, s.now + ACCEPT_POLL_MS) : s.now + ACCEPT_POLL_MS };
}

/**
 * Returns the step that ends an input; null if the input has not ended. An input has ended if the transcript records
 * the end of its turn, or if it is a command and the agent has been idle for a while. If the input is a command whose
 * agent has not been idle long enough, returns the step that waits.
 */
function awaitEnd(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  const { inputId, recordedEnd, isCommand, line, taskOpen } = input;
  if (recordedEnd !== null && recordedEnd !== 'command') return { do: 'acceptRecordedEnd', inputId };
  if (!isCommand || agent.activityState !== 'idle' || line === 'text') return null;
  const submittedAt = input.submittedAt ?? s.now;
  // Output normally shows that the command still runs. But some idle agents print without pause, so output later than
  // ACCEPT_WITHIN_MS after the submission is ignored.
  const quietSince = Math.max(submittedAt, Math.min(agent.lastOutputAt, submittedAt + ACCEPT_WITHIN_MS));
  const wakeAt = quietSince + COMMAND_IDLE_MS;
  if (s.now < wakeAt) return { do: 'wait', wakeAt };
  return { do: taskOpen ? 'completeCommand' : 'drop', inputId };
}

/**
 * Whether the console may press Enter again, because the last press was lost: the agent is not working, and its input
 * line still contains the text.
 */
function isTextUnsent(agent: AgentState, { taskOpen, line, enterPresses }: InputProgress): boolean {
  const isWaiting = agent.activityState !== 'asking' && agent.activityState !== 'active' && agent.dirtySince === null;
  return taskOpen && line === 'text' && isWaiting && enterPresses.count < ENTERS_MAX;
}

/**
 * Returns the next step to press Enter again, at growing intervals; null while no step is due. A slow agent, such as
 * Gemini CLI, would process two presses at once and send the text twice. So a space is typed first (`probe`). When the
 * space is drawn, the agent has processed the previous Enter.
 */
function nextPress(
  s: SessionState,
  agent: AgentState,
  { enterPresses }: InputProgress,
): 'probe' | 'pressEnterAgain' | null {
  const { count, lastAt, probedAt } = enterPresses;
  const due = Math.max(agent.lastOutputAt + SCREEN_SETTLED_MS, lastAt + ENTER_AGAIN_AFTER_MS * 2 ** (count - 1));
  if (s.now < due) return null;
  if (probedAt === null) return 'probe';
  return agent.lastOutputAt > probedAt ? 'pressEnterAgain' : null;
}

/**
 * Returns the step that waits for a starting agent; null if the agent is ready, if the console has waited long enough,
 * or if the input is to be sent now. A starting agent may appear idle before it accepts input or has loaded its tools.
 */
function awaitReady(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  if (input.sendNow) return null;
  // Gemini CLI may restart after its question about folder trust, long after the input was created. So READY_WITHIN_MS
  // starts again when the agent's activity changes.
  const within = Math.max(input.createdAt, agent.activitySince) + READY_WITHIN_MS;
  if (agent.hasReportedStart && input.line !== 'unseen') {
    // A fresh agent may draw a resumed conversation and then clear its input line, so text typed too early would be
    // lost. Any other agent has just ended a turn and may ask a question, which typed text would answer.
    const settleTime = agent.isFresh ? FRESH_SETTLED_MS : SCREEN_SETTLED_MS;
    const settled = Math.min(agent.lastOutputAt + settleTime, within);
    const isDrawing = input.line !== null && s.now < settled;
    return isDrawing ? { do: 'wait', wakeAt: settled } : null;
  }
  const due = Math.min(agent.lastOutputAt + READY_SILENT_MS, within);
  return s.now < due ? { do: 'wait', wakeAt: Math.min(due, s.now + LINE_POLL_MS) } : null;
}

/** Returns the step that waits until typing is possible; null if the input may be typed now. */
function awaitTypable(s: SessionState, agent: AgentState, input: { sendNow: boolean }): NextStep | null {
  if (input.sendNow) return null;
  if (agent.activityState === 'asking') return { do: 'wait', blocked: 'the agent is asking a question' };
  if (agent.dirtySince !== null && s.now < agent.dirtySince + UNFINISHED_LINE_MS) {
    return { do: 'wait', blocked: 'a person is typing in the terminal', wakeAt: agent.dirtySince + UNFINISHED_LINE_MS };
  }
  if (agent.activityState === 'idle') return null;
  if (agent.activityState === 'active') return { do: 'wait' };
  const hold = agent.queueWhenUnknown === 'hold';
  const due = agent.lastOutputAt + (hold ? UNKNOWN_SILENT_MS : SEND_UNKNOWN_AFTER_MS);
  if (s.now >= due) return hold ? { do: 'wait', blocked: 'it is unknown whether the agent is idle' } : null;
  if (agent.hasShownActivity) return { do: 'wait', wakeAt: due };
  const slowFrom = agent.activitySince + SLOW_START_MS;
  if (s.now < slowFrom) return { do: 'wait', wakeAt: Math.min(due, slowFrom) };
  return { do: 'wait', wakeAt: due, blocked: 'the agent is still starting' };
}

import { SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
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
import { isAtRest } from './session-mark.ts';
import type { TurnEnd } from './turns.ts';
import type { LineView } from './typing.ts';

/** The stored and observed state that determines a session's next step. All times are milliseconds since the epoch. */
export interface SessionState {
  now: number;
  /** Whether no process can be started or reached. Queued work then waits. */
  runnerGone: boolean;
  mark: 'open' | 'paused' | 'stopped' | 'completed' | 'failed';
  pausedBy: 'person' | 'session' | 'idle' | null;
  archived: boolean;
  queueHeld: boolean;
  agent: AgentState | null;
  /** The prompt or notice task of the current turn (status running, or waiting for an answer). */
  turnTaskId: string | null;
  /** A prompt task whose turn ended without a report. */
  unreported: { taskId: string; quietSince: number | null; reminded: boolean; source: string } | null;
  /** The input that is being typed or whose turn has not ended. */
  input: InputProgress | null;
  queueHead: { taskId: string; source: string; fromPerson: boolean; sendNow: boolean } | null;
  pendingNotices: number;
  /** Number of open tasks this session delegated. */
  delegatedTasks: number;
  reminderMs: number;
}

export interface AgentState {
  workerId: string;
  /** Whether prompts are sent by a protocol instead of being typed. */
  hasProtocol: boolean;
  state: 'starting' | 'running';
  activityState: ActivityState;
  /** Whether an activity signal has been recognized since the agent started. */
  hasShownActivity: boolean;
  /** When `activityState` was first observed. */
  activitySince: number;
  /** Time of the agent's last output. */
  lastOutputAt: number;
  /** Whether the agent has reported its start; also true if its kind does not report it. */
  hasReportedStart: boolean;
  /** Whether the agent has received no input since it was started. */
  isFresh: boolean;
  /** When a person last typed into the agent's input line without submitting; null if nothing typed is unfinished. */
  dirtySince: number | null;
  queueWhenUnknown: 'hold' | 'send';
  /** Whether the next task needs a new process, because the session's permission mode or cwd has changed. */
  needsRestart: boolean;
}

export interface InputProgress {
  inputId: string;
  state:
    | 'queued'
    | 'pasting'
    | 'pasted'
    | 'submitting'
    | 'submitted'
    | 'uncertain'
    | 'accepted'
    | 'clearing'
    | 'interrupting';
  /** Whether its task is open. An input outlives its task until the agent has finished with the input. */
  taskOpen: boolean;
  kind: 'prompt' | 'reminder' | 'notice';
  sendNow: boolean;
  createdAt: number;
  pastedAt: number | null;
  submittedAt: number | null;
  /** What the agent's input line shows; null for kinds whose input line cannot be read. */
  line: LineView | null;
  /**
   * How often Enter was pressed for this input, when it was last pressed, and when a space was typed after that, which
   * shows whether the agent has processed the press.
   */
  enterPresses: { count: number; lastAt: number; probedAt: number | null };
  /** Whether the menu of a previous command may cover the input line, until the menu is closed for this input. */
  isLineCovered: boolean;
  /** How its turn ended according to the agent's transcript; null if there is no transcript or it was not read. */
  recordedEnd: TurnEnd['how'] | null;
  /** Whether the input is a command, which does not necessarily start a turn. */
  isCommand: boolean;
}

export type NextStep =
  /** Wait for an event, or until `wakeAt`. `blocked` is the reason shown to people. */
  | { do: 'wait'; wakeAt?: number; blocked?: string }
  | { do: 'resume' }
  | { do: 'startAgent' }
  | { do: 'endAgent' }
  | { do: 'startTask'; taskId: string }
  | { do: 'startNotices' }
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
  | { do: 'markQuiet' | 'clearQuiet' | 'remind' | 'closeUnreported'; taskId: string };

/** Returns the next step of a session. It depends only on the current state, never on the events that led to it. */
export function nextStep(s: SessionState): NextStep {
  if (s.runnerGone) return awaitRunner(s);
  // If a server died between storing the pause and ending the process, the process still runs.
  const isResting = s.archived || isAtRest(s);
  if (isResting && s.agent !== null) return { do: 'endAgent' };
  if (s.archived) return { do: 'wait' };
  if (s.mark === 'paused' && s.pausedBy === 'idle' && (s.pendingNotices > 0 || s.queueHead !== null)) {
    return { do: 'resume' };
  }
  if (s.mark !== 'open' && !isFinishing(s)) return { do: 'wait' };
  if (s.agent === null) return stepWithoutAgent(s);
  if (s.agent.state === 'starting') return { do: 'startAgent' };
  if (s.input !== null) return inputStep(s, s.agent, s.input);
  if (s.turnTaskId !== null) return { do: 'prepareInput', taskId: s.turnTaskId };
  if (s.agent.activityState === 'active' || s.agent.activityState === 'asking') {
    return s.unreported?.quietSince == null ? { do: 'wait' } : { do: 'clearQuiet', taskId: s.unreported.taskId };
  }
  if (s.agent.needsRestart && isTaskNext(s)) {
    return awaitTypable(s, s.agent, s.queueHead ?? { sendNow: false }) ?? { do: 'endAgent' };
  }
  if (s.pendingNotices > 0) return { do: 'startNotices' };
  if (s.unreported !== null) return awaitReport(s, s.unreported);
  if (s.queueHead !== null && !s.queueHeld) return { do: 'startTask', taskId: s.queueHead.taskId };
  return { do: 'wait' };
}

/** Waits for the next server, which brings a new runner and continues the queue. A task started now would be lost. */
function awaitRunner(s: SessionState): NextStep {
  const isReady = s.queueHead !== null && !s.queueHeld && !s.archived && (s.mark === 'open' || s.pausedBy === 'idle');
  return isReady && s.agent === null ? { do: 'wait', blocked: 'the runner is gone' } : { do: 'wait' };
}

/** Whether the session was marked completed or failed during a turn. The mark takes effect when the turn is over. */
function isFinishing(s: SessionState): boolean {
  if (s.mark !== 'completed' && s.mark !== 'failed') return false;
  if (s.turnTaskId !== null) return true;
  return s.agent !== null && (s.input !== null || s.unreported !== null);
}

function stepWithoutAgent(s: SessionState): NextStep {
  if (s.turnTaskId !== null) return { do: 'startAgent' };
  if (s.queueHead !== null && !s.queueHeld) return { do: 'startTask', taskId: s.queueHead.taskId };
  return { do: 'wait' };
}

/** Whether the next step would start a task, and no open task would end with the agent. */
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
  if (agent.hasProtocol) return protocolInputStep(agent, input);
  switch (input.state) {
    case 'queued':
      return (
        awaitTypable(s, agent, input) ??
        (input.isLineCovered ? { do: 'closeMenu', inputId } : awaitReady(s, agent, input)) ?? { do: 'paste', inputId }
      );
    case 'pasting':
      return { do: 'paste', inputId };
    case 'pasted': {
      // Enter would approve the agent's question, so its activity is checked again after the paste.
      if (agent.activityState === 'asking' && !input.sendNow) return { do: 'wait', blocked: 'the agent is asking' };
      const pastedAt = input.pastedAt ?? 0;
      const settled = drawnAt(agent, input, pastedAt) + PASTE_SETTLE_MS;
      if (s.now < settled) return { do: 'wait', wakeAt: settled };
      // An Enter that arrives before the agent has processed the paste becomes part of the paste.
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

/** An agent with a protocol says when it is ready, and the answer to a prompt is the end of its turn. */
function protocolInputStep(agent: AgentState, { inputId, state }: InputProgress): NextStep {
  switch (state) {
    case 'queued':
      if (!agent.hasReportedStart) return { do: 'wait', blocked: 'the agent is still starting' };
      return agent.activityState === 'idle' ? { do: 'send', inputId } : { do: 'wait' };
    case 'submitting':
      return { do: 'send', inputId };
    case 'clearing':
    case 'interrupting':
      return { do: 'withdraw', inputId };
    default:
      return { do: 'wait' };
  }
}

/** Returns when the paste was drawn. Gemini CLI takes Enter for a line break until shortly after that. */
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
 * Returns the step that ends an input without activity signals; null if its end is unknown. The transcript may record
 * the end of its turn, and a command has ended when the agent has been idle for a while.
 */
function awaitEnd(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  const { inputId, recordedEnd, isCommand, line, taskOpen } = input;
  if (recordedEnd !== null && recordedEnd !== 'command') return { do: 'acceptRecordedEnd', inputId };
  if (!isCommand || agent.activityState !== 'idle' || line === 'text') return null;
  const submittedAt = input.submittedAt ?? s.now;
  // An agent that prints continuously although it is idle counts as quiet after ACCEPT_WITHIN_MS.
  const quietSince = Math.max(submittedAt, Math.min(agent.lastOutputAt, submittedAt + ACCEPT_WITHIN_MS));
  const wakeAt = quietSince + COMMAND_IDLE_MS;
  if (s.now < wakeAt) return { do: 'wait', wakeAt };
  return { do: taskOpen ? 'completeCommand' : 'drop', inputId };
}

/** Whether Enter was lost and may be pressed again, since an idle agent's input line still contains the text. */
function isTextUnsent(agent: AgentState, { taskOpen, line, enterPresses }: InputProgress): boolean {
  const isResting = agent.activityState !== 'asking' && agent.activityState !== 'active' && agent.dirtySince === null;
  return taskOpen && line === 'text' && isResting && enterPresses.count < ENTERS_MAX;
}

/**
 * Returns the step that presses Enter again, at growing intervals. A slow agent would process two presses at once and
 * send the text twice (Gemini CLI), so a space is typed first: once it is drawn, the previous Enter has been processed.
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

/** Waits for a starting agent, which may appear idle before it accepts input or has loaded its tools. */
function awaitReady(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  if (input.sendNow) return null;
  // An agent may restart after the folder trust question, long after the input was created, so the limit also counts
  // from the agent's last change of activity.
  const within = Math.max(input.createdAt, agent.activitySince) + READY_WITHIN_MS;
  if (agent.hasReportedStart && input.line !== 'unseen') {
    // A fresh agent that resumes a conversation clears its line again after drawing the conversation. Any other agent
    // has just ended a turn and may be about to ask a question.
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
  if (agent.activityState === 'asking') return { do: 'wait', blocked: 'the agent is asking' };
  if (agent.dirtySince !== null && s.now < agent.dirtySince + UNFINISHED_LINE_MS) {
    return { do: 'wait', blocked: 'a person is typing in the terminal', wakeAt: agent.dirtySince + UNFINISHED_LINE_MS };
  }
  if (agent.activityState === 'idle') return null;
  if (agent.activityState === 'active') return { do: 'wait' };
  const hold = agent.queueWhenUnknown === 'hold';
  const due = agent.lastOutputAt + (hold ? UNKNOWN_SILENT_MS : SEND_UNKNOWN_AFTER_MS);
  if (s.now >= due) return hold ? { do: 'wait', blocked: 'activity unknown' } : null;
  if (agent.hasShownActivity) return { do: 'wait', wakeAt: due };
  const slowFrom = agent.activitySince + SLOW_START_MS;
  if (s.now < slowFrom) return { do: 'wait', wakeAt: Math.min(due, slowFrom) };
  return { do: 'wait', wakeAt: due, blocked: 'the agent is still starting' };
}

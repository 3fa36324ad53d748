import { SCREEN_SETTLED_MS } from '@agent-console/shared/limits/signs';
import {
  ACCEPT_LOOK_MS,
  ACCEPT_WITHIN_MS,
  COMMAND_RESTS_MS,
  DIRTY_LINE_MS,
  ENTER_AGAIN_AFTER_MS,
  ENTERS_MAX,
  ENTERS_WITHIN_MS,
  FRESH_SETTLED_MS,
  LINE_LOOK_MS,
  PASTE_DRAWN_WITHIN_MS,
  PASTE_SETTLE_MS,
  PASTE_SHOWN_WITHIN_MS,
  READY_SILENT_MS,
  READY_WITHIN_MS,
  SEND_UNKNOWN_AFTER_MS,
  SLOW_START_MS,
  UNKNOWN_SILENT_MS,
} from '@agent-console/shared/limits/typing';
import type { ActivityState } from '@agent-console/shared/models/worker';
import { isAtRest } from './session-mark.ts';
import type { TurnEnd } from './turns.ts';
import type { LineView } from './typing.ts';

/** All times are milliseconds since the epoch. */
export interface SessionState {
  now: number;
  /** No process can be started or reached: whatever waits goes on waiting. */
  runnerGone: boolean;
  mark: 'open' | 'paused' | 'stopped' | 'completed' | 'failed';
  pausedBy: 'person' | 'session' | 'idle' | null;
  archived: boolean;
  queueHeld: boolean;
  agent: AgentState | null;
  /** The prompt or notice task the agent is at (status running, or waiting for an answer). */
  turnTaskId: string | null;
  /** A prompt task whose turn ended without a report. */
  unreported: { taskId: string; quietSince: number | null; reminded: boolean; source: string } | null;
  /** The input on its way to the agent, or whose turn goes on. */
  input: InputProgress | null;
  queueHead: { taskId: string; source: string; fromPerson: boolean; sendNow: boolean } | null;
  pendingNotices: number;
  /** Open tasks this session gave to others. */
  givenAway: number;
  reminderMs: number;
}

export interface AgentState {
  workerId: string;
  state: 'starting' | 'running';
  activityState: ActivityState;
  /** Whether anything was understood of what it showed since it was started. */
  seen: boolean;
  /** Since when it is seen to do that. */
  activitySince: number;
  /** When it last printed something. */
  lastOutputAt: number;
  /** False until an agent whose kind reports its start has done so. */
  reported: boolean;
  /** Nothing was given to it since it was started. */
  fresh: boolean;
  /** Since when a person's line stands unfinished. */
  dirtySince: number | null;
  queueWhenUnknown: 'hold' | 'send';
  /** Not one to begin a task with: a new process is, in the permission mode and in the folder that are wanted now. */
  outdated: boolean;
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
  /** Whether the task it belongs to goes on; an input outlives it until the agent is seen to be done with it. */
  taskOpen: boolean;
  kind: 'prompt' | 'reminder' | 'notice';
  sendNow: boolean;
  createdAt: number;
  pastedAt: number | null;
  submittedAt: number | null;
  /** What the agent's line shows of it; null where the kind's screens are not read for that. */
  line: LineView | null;
  /** Presses of Enter that are known of, when the last one was, and when a blank was typed behind it, if it was. */
  enters: { times: number; at: number; probedAt: number | null };
  /**
   * No input line is seen, and what was given before was a command: what that opened may stand over the line. False once
   * it was closed for this input.
   */
  covered: boolean;
  /** How its turn ended by the agent's own record; null where that does not tell, or no turn of it was looked for. */
  recorded: TurnEnd['how'] | null;
  /** Whether it commands the agent itself, which then may begin no turn. */
  command: boolean;
}

export type NextStep =
  /** Wait; look again at `wakeAt` if nothing happens before. `blocked` is what people are shown. */
  | { do: 'wait'; wakeAt?: number; blocked?: string }
  | { do: 'resume' }
  | { do: 'startAgent' }
  | { do: 'endAgent' }
  | { do: 'startTask'; taskId: string }
  | { do: 'startNotices' }
  | { do: 'prepareInput'; taskId: string }
  | { do: 'paste' | 'submit' | 'probe' | 'enterAgain' | 'takeRecorded' | 'takeCommand' | 'giveUp'; inputId: string }
  | { do: 'uncover' | 'withdraw' | 'drop'; inputId: string }
  | { do: 'markQuiet' | 'clearQuiet' | 'remind' | 'closeUnreported'; taskId: string };

/**
 * What a session needs next. It looks only at what is stored and seen, never at how it came about, so it gives the
 * same answer after a crash as before, and can be asked at any time.
 */
export function nextStep(s: SessionState): NextStep {
  if (s.runnerGone) return awaitRunner(s);
  // A server that died between storing the pause and ending the process left it running.
  const resting = s.archived || isAtRest(s);
  if (resting && s.agent !== null) return { do: 'endAgent' };
  if (s.archived) return { do: 'wait' };
  if (s.mark === 'paused' && s.pausedBy === 'idle' && (s.pendingNotices > 0 || s.queueHead !== null)) {
    return { do: 'resume' };
  }
  if (s.mark !== 'open' && !finishes(s)) return { do: 'wait' };
  if (s.agent === null) return stepWithoutAgent(s);
  if (s.agent.state === 'starting') return { do: 'startAgent' };
  if (s.input !== null) return inputStep(s, s.agent, s.input);
  if (s.turnTaskId !== null) return { do: 'prepareInput', taskId: s.turnTaskId };
  if (s.agent.activityState === 'active' || s.agent.activityState === 'asking') {
    return s.unreported?.quietSince == null ? { do: 'wait' } : { do: 'clearQuiet', taskId: s.unreported.taskId };
  }
  if (s.agent.outdated && taskIsNext(s)) {
    return mayType(s, s.agent, s.queueHead ?? { sendNow: false }) ?? { do: 'endAgent' };
  }
  if (s.pendingNotices > 0) return { do: 'startNotices' };
  if (s.unreported !== null) return awaitReport(s, s.unreported);
  if (s.queueHead !== null && !s.queueHeld) return { do: 'startTask', taskId: s.queueHead.taskId };
  return { do: 'wait' };
}

/** Its processes went with it, and a task begun now would be lost: the next server goes on with what it finds. */
function awaitRunner(s: SessionState): NextStep {
  const next = s.queueHead !== null && !s.queueHeld && !s.archived && (s.mark === 'open' || s.pausedBy === 'idle');
  return next && s.agent === null ? { do: 'wait', blocked: 'the runner is gone' } : { do: 'wait' };
}

/** Its work was called done or failed in the middle of a turn: that counts when the turn is over. */
function finishes(s: SessionState): boolean {
  if (s.mark !== 'completed' && s.mark !== 'failed') return false;
  if (s.turnTaskId !== null) return true;
  return s.agent !== null && (s.input !== null || s.unreported !== null);
}

function stepWithoutAgent(s: SessionState): NextStep {
  if (s.turnTaskId !== null) return { do: 'startAgent' };
  if (s.queueHead !== null && !s.queueHeld) return { do: 'startTask', taskId: s.queueHead.taskId };
  return { do: 'wait' };
}

/** The next step would begin a task, and none is open that an agent's end would end. */
function taskIsNext(s: SessionState): boolean {
  return s.unreported === null && (s.pendingNotices > 0 || (s.queueHead !== null && !s.queueHeld));
}

function awaitReport(s: SessionState, task: NonNullable<SessionState['unreported']>): NextStep {
  const { taskId } = task;
  if (s.queueHead !== null && (s.queueHead.fromPerson || s.queueHead.source === task.source)) {
    return { do: 'closeUnreported', taskId };
  }
  if (s.givenAway > 0 || s.agent?.activityState !== 'idle') {
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
  switch (input.state) {
    case 'queued':
      return (
        mayType(s, agent, input) ??
        (input.covered ? { do: 'uncover', inputId } : untilReady(s, agent, input)) ?? { do: 'paste', inputId }
      );
    case 'pasting':
      return { do: 'paste', inputId };
    case 'pasted': {
      // An Enter would approve whatever the agent asks, so it is looked at once more behind the paste.
      if (agent.activityState === 'asking' && !input.sendNow) return { do: 'wait', blocked: 'the agent is asking' };
      const pastedAt = input.pastedAt ?? 0;
      const settled = drawnAt(agent, input, pastedAt) + PASTE_SETTLE_MS;
      if (s.now < settled) return { do: 'wait', wakeAt: settled };
      // An Enter that arrives before the paste was dealt with is taken for a part of it.
      const shown = input.line === null || input.line === 'text' || s.now >= pastedAt + PASTE_SHOWN_WITHIN_MS;
      return shown || input.sendNow ? { do: 'submit', inputId } : { do: 'wait', wakeAt: s.now + LINE_LOOK_MS };
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

/** Gemini CLI takes an Enter for a line break until a moment after it dealt with the paste, which is when it draws it. */
function drawnAt(agent: AgentState, { line, sendNow }: InputProgress, pastedAt: number): number {
  if (line === null || sendNow) return pastedAt;
  return Math.max(pastedAt, Math.min(agent.lastOutputAt, pastedAt + PASTE_DRAWN_WITHIN_MS));
}

function awaitAcceptance(s: SessionState, agent: AgentState, input: InputProgress): NextStep {
  const { inputId } = input;
  const over = awaitEnd(s, agent, input);
  if (over !== null && over.do !== 'wait') return over;
  const due = (input.submittedAt ?? s.now) + ACCEPT_WITHIN_MS;
  const unsent = standsUnsent(agent, input) && s.now < due + ENTERS_WITHIN_MS;
  if (s.now >= due && !unsent) return { do: input.taskOpen ? 'giveUp' : 'drop', inputId };
  const wakeAt = Math.min(due, over?.wakeAt ?? due);
  if (input.line === null || !input.taskOpen) return { do: 'wait', wakeAt };
  const press = unsent ? nextPress(s, agent, input) : null;
  if (press !== null) return { do: press, inputId };
  return { do: 'wait', wakeAt: s.now < wakeAt ? Math.min(wakeAt, s.now + ACCEPT_LOOK_MS) : s.now + ACCEPT_LOOK_MS };
}

/**
 * What becomes of an input of whose turn nothing was seen: its end may stand in the agent's record, and a command begins
 * none where the agent rests. Null where neither is known.
 */
function awaitEnd(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  const { inputId, recorded, command, line, taskOpen } = input;
  if (recorded !== null && recorded !== 'command') return { do: 'takeRecorded', inputId };
  if (!command || agent.activityState !== 'idle' || line === 'text') return null;
  const submittedAt = input.submittedAt ?? s.now;
  // One that prints for ever at rest rests nevertheless.
  const restsSince = Math.max(submittedAt, Math.min(agent.lastOutputAt, submittedAt + ACCEPT_WITHIN_MS));
  const wakeAt = restsSince + COMMAND_RESTS_MS;
  if (s.now < wakeAt) return { do: 'wait', wakeAt };
  return { do: taskOpen ? 'takeCommand' : 'drop', inputId };
}

/** Whether the Enter was lost: its text still stands in the line of an agent at rest, and may be given another. */
function standsUnsent(agent: AgentState, { taskOpen, line, enters }: InputProgress): boolean {
  const rests = agent.activityState !== 'asking' && agent.activityState !== 'active' && agent.dirtySince === null;
  return taskOpen && line === 'text' && rests && enters.times < ENTERS_MAX;
}

/**
 * Only Enter is pressed again, so that no prompt is doubled, each time later than before: an agent that loses them is
 * starved. One that merely did not get to it yet would take both at once and send the text twice (Gemini CLI), so a blank
 * is typed first: when that is drawn, the Enter before it was dealt with.
 */
function nextPress(s: SessionState, agent: AgentState, { enters }: InputProgress): 'probe' | 'enterAgain' | null {
  const { times, at, probedAt } = enters;
  const due = Math.max(agent.lastOutputAt + SCREEN_SETTLED_MS, at + ENTER_AGAIN_AFTER_MS * 2 ** (times - 1));
  if (s.now < due) return null;
  if (probedAt === null) return 'probe';
  return agent.lastOutputAt > probedAt ? 'enterAgain' : null;
}

/** An agent that starts may look idle before it takes what is typed, or before it knows its tools. */
function untilReady(s: SessionState, agent: AgentState, input: InputProgress): NextStep | null {
  if (input.sendNow) return null;
  // One that asked whether to trust the folder may start anew when it was answered, long after the input was made.
  const within = Math.max(input.createdAt, agent.activitySince) + READY_WITHIN_MS;
  if (agent.reported && input.line !== 'unseen') {
    // An agent that takes up a conversation empties its line once more when it has shown it.
    // One that has just ended a turn may be about to ask something.
    const quiet = agent.fresh ? FRESH_SETTLED_MS : SCREEN_SETTLED_MS;
    const settled = Math.min(agent.lastOutputAt + quiet, within);
    const drawing = input.line !== null && s.now < settled;
    return drawing ? { do: 'wait', wakeAt: settled } : null;
  }
  const due = Math.min(agent.lastOutputAt + READY_SILENT_MS, within);
  return s.now < due ? { do: 'wait', wakeAt: Math.min(due, s.now + LINE_LOOK_MS) } : null;
}

/** What keeps an input from being typed, or null. */
function mayType(s: SessionState, agent: AgentState, input: { sendNow: boolean }): NextStep | null {
  if (input.sendNow) return null;
  if (agent.activityState === 'asking') return { do: 'wait', blocked: 'the agent is asking' };
  if (agent.dirtySince !== null && s.now < agent.dirtySince + DIRTY_LINE_MS) {
    return { do: 'wait', blocked: 'waiting for the keyboard', wakeAt: agent.dirtySince + DIRTY_LINE_MS };
  }
  if (agent.activityState === 'idle') return null;
  if (agent.activityState === 'active') return { do: 'wait' };
  const hold = agent.queueWhenUnknown === 'hold';
  const due = agent.lastOutputAt + (hold ? UNKNOWN_SILENT_MS : SEND_UNKNOWN_AFTER_MS);
  if (s.now >= due) return hold ? { do: 'wait', blocked: 'activity unknown' } : null;
  if (agent.seen) return { do: 'wait', wakeAt: due };
  const slowFrom = agent.activitySince + SLOW_START_MS;
  if (s.now < slowFrom) return { do: 'wait', wakeAt: Math.min(due, slowFrom) };
  return { do: 'wait', wakeAt: due, blocked: 'the agent is still starting' };
}

// Test cases of `nextStep`. Each case changes a few fields of a session in which nothing happens.
import { describe, expect, it } from 'vitest';
import { type AgentState, type InputProgress, nextStep, type SessionState } from '../../src/domain/next-step.ts';

export const NOW = 1_000_000;
export const REMINDER_MS = 60_000;

const idleAgent: AgentState = {
  workerId: 'w',
  hasProtocol: false,
  state: 'running',
  activityState: 'idle',
  hasShownActivity: true,
  activitySince: 0,
  lastOutputAt: NOW,
  hasReportedStart: true,
  isFresh: false,
  dirtySince: null,
  queueWhenUnknown: 'hold',
  needsRestart: false,
};
export const input: InputProgress = {
  inputId: 'i',
  state: 'queued',
  taskOpen: true,
  kind: 'prompt',
  sendNow: false,
  createdAt: NOW,
  pastedAt: null,
  submittedAt: null,
  cancelSentAt: null,
  line: null,
  enterPresses: { count: 1, lastAt: 0, probedAt: null },
  isLineCovered: false,
  recordedEnd: null,
  isCommand: false,
};
const quiet: SessionState = {
  now: NOW,
  runnerGone: false,
  mark: 'open',
  pausedBy: null,
  archived: false,
  queueHeld: false,
  agent: idleAgent,
  turnTaskId: null,
  unreported: null,
  quota: null,
  input: null,
  queueHead: null,
  pendingNotices: 0,
  reachedLiveLimit: null,
  delegatedTasks: 0,
  reminderMs: REMINDER_MS,
};
export const head = { taskId: 'next', source: 'person-1', fromPerson: true, sendNow: false };
export const owing = { taskId: 'owes', quietSince: null, reminded: false, source: 'parent' };
export const agent = (over: Partial<AgentState>): AgentState => ({ ...idleAgent, ...over });
export const STALE_AGENT = agent({ needsRestart: true });
export const typing = (over: Partial<InputProgress>): InputProgress => ({ ...input, ...over });

/** Title, differences from the session `quiet`, and the expected step. */
type Case = [what: string, state: Partial<SessionState>, step: ReturnType<typeof nextStep>];

export function decides(cases: Readonly<Record<string, Case[]>>): void {
  for (const [name, rows] of Object.entries(cases)) {
    describe(name, () => {
      it.each(rows)('%s', (_, state, step) => {
        expect(nextStep({ ...quiet, ...state })).toEqual(step);
      });
    });
  }
}

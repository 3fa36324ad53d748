import { cutText } from '@agent-console/shared/cut';
import { QUOTA_MARGIN_MS, QUOTA_WAIT_MAX_MS } from '@agent-console/shared/limits/sessions';
import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { OutcomeSource, TaskStatus } from '@agent-console/shared/models/task';
import type { ActivitySource } from '@agent-console/shared/models/worker';
import type { TurnFailure } from './turns.ts';

export const OPEN_STATUSES: readonly TaskStatus[] = ['queued', 'running', 'awaiting_input'];
/**
 * Statuses of a task that has started and not ended. The agent works on the task, or the task waits for an answer, a
 * report or the reset of a usage limit.
 */
export const ACTIVE_STATUSES: readonly TaskStatus[] = ['running', 'awaiting_input'];

/**
 * Allowed transitions: queued → running ⇄ awaiting_input, and from each of these to an end status, which is final. A
 * queued task cannot become completed.
 */
const NEXT: Record<TaskStatus, readonly TaskStatus[]> = {
  queued: ['running', 'cancelled', 'failed', 'interrupted'],
  running: ['awaiting_input', 'completed', 'failed', 'cancelled', 'interrupted'],
  awaiting_input: ['running', 'completed', 'failed', 'cancelled', 'interrupted'],
  completed: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return NEXT[from].includes(to);
}

export function isOpen(status: TaskStatus): boolean {
  return OPEN_STATUSES.includes(status);
}

export interface Outcome {
  status: 'completed' | 'failed' | 'cancelled' | 'interrupted';
  source: OutcomeSource;
  certain: boolean;
  summary?: string;
  artifacts?: string[];
  error?: { code: string; message: string };
}

/** When the agent exited, as the end of a sentence, by its progress with the task. */
const EXIT_TIMES = {
  unaccepted: ' before it accepted the prompt',
  accepted: '',
  quota: ' while it waited for the reset of its usage limit',
} as const;

/**
 * Returns the outcome of the task that was active when the agent's process exited.
 * @param progress `unaccepted` if the agent had not accepted the prompt yet, `quota` if it waited for the reset of its
 * usage limit, otherwise `accepted`
 * @param shown last lines that the agent showed, if it exited with an error
 */
export function outcomeOfExit(
  exit: { exitCode: number | null; signal: string | null },
  progress: keyof typeof EXIT_TIMES,
  shown = '',
): Outcome {
  const exitText = exit.signal === null ? `exited with code ${exit.exitCode}` : `was terminated by ${exit.signal}`;
  if (exit.exitCode === 0 && progress === 'accepted') return { status: 'completed', source: 'exit', certain: true };
  const message = `The agent ${exitText}${EXIT_TIMES[progress]}.${shown === '' ? '' : ` ${shown}`}`;
  return { status: 'failed', source: 'exit', certain: true, error: { code: 'AGENT_UNAVAILABLE', message } };
}

/** What showed the end of a turn: a source of activity signals, or the agent's transcript. */
export type TurnEndSource = ActivitySource | 'transcript';

/**
 * Returns the source to store with a task's outcome. `OutcomeSource` contains neither `output` nor `process`, so
 * `title` is stored for both.
 */
export function sourceOfTurnEnd(source: TurnEndSource): OutcomeSource {
  return source === 'output' || source === 'process' ? 'title' : source;
}

const shortened = (text: string) =>
  text.length <= TEXT_MAX_CHARS
    ? text
    : cutText(text, TEXT_MAX_CHARS - 100, "the session's conversation contains the whole text");

/** Returns the outcome of a task that the console could not start or continue. */
export function failedBy({ code, message }: { code: string; message: string }): Outcome {
  return { status: 'failed', source: 'system', certain: true, error: { code, message } };
}

/**
 * Returns the outcome of a task whose turn ended with an error. The console does not ask the agent for a report, even
 * if the task was delegated.
 */
export function outcomeOfTurnFailure({ message, source, certain }: TurnFailure): Outcome {
  const text = shortened(`The turn ended with an error: ${message}`);
  return { status: 'failed', source, certain, error: { code: 'AGENT_UNAVAILABLE', message: text } };
}

/**
 * Returns the time, as ISO 8601, until which a task waits because a usage limit ended its turn. Null if the task does
 * not wait: the time of the reset is unknown or too far away, the task has ended, or it has waited before. A task waits
 * only once, so that it cannot wait again and again.
 * @param task.waitingUntil end of the earlier wait; null if the task never waited
 */
export function quotaWait(
  task: { status: TaskStatus; waitingUntil: string | null },
  { resetsAt }: TurnFailure,
  now: Date,
): string | null {
  if (resetsAt === undefined || task.waitingUntil !== null || !ACTIVE_STATUSES.includes(task.status)) return null;
  const until = Date.parse(resetsAt) + QUOTA_MARGIN_MS;
  return until - now.getTime() > QUOTA_WAIT_MAX_MS ? null : new Date(until).toISOString();
}

/**
 * Returns the outcome of a prompt task when its turn ends: `await-report` for a delegated task whose agent was not yet
 * reminded to report.
 */
export function outcomeOfTurn(
  task: { sourceKind: string; reminded: boolean },
  source: TurnEndSource,
  lastMessage: string | null = null,
): Outcome | 'await-report' {
  const delegated = task.sourceKind === 'session' || task.sourceKind === 'orchestration';
  if (!delegated) {
    const summary = lastMessage === null ? {} : { summary: shortened(lastMessage) };
    return { status: 'completed', source: sourceOfTurnEnd(source), certain: false, ...summary };
  }
  return task.reminded ? outcomeWithoutReport(source, lastMessage) : 'await-report';
}

/**
 * Returns the outcome of a delegated task that ends without a report. `lastMessage` is the agent's last message about
 * its work; `reply` is its reply to the reminder to report.
 */
export function outcomeWithoutReport(
  source: TurnEndSource,
  lastMessage: string | null = null,
  reply: string | null = null,
): Outcome {
  const work =
    lastMessage === null ? 'Read its output or its diff to see what it did.' : `Its last message:\n${lastMessage}`;
  const answer = reply === null ? '' : `\nIts reply to the reminder:\n${reply}`;
  return {
    status: 'completed',
    source: sourceOfTurnEnd(source),
    certain: false,
    summary: shortened(`The agent ended its turn without a report. ${work}${answer}`),
  };
}

interface TaskSource {
  sourceKind: string;
  sourceId: string | null;
}

/**
 * Whether a prompt must wait until `task` ends. If only the report of `task` is missing, a prompt of a person or of the
 * session that delegated `task` need not wait.
 */
export function mustWaitFor(
  prompt: TaskSource,
  task: TaskSource & { waitingFor: 'answer' | 'report' | 'quota' | null },
): boolean {
  return task.waitingFor !== 'report' || (prompt.sourceKind !== 'person' && prompt.sourceId !== task.sourceId);
}

/**
 * Whether a prompt may run in a session, which it reopens if the session is not open. A prompt of an agent may not run
 * in a session that is stopped, was paused by a person, or has used up its budget.
 */
export function opensSession(session: { mark: string; pausedBy: string | null }, prompt: TaskSource): boolean {
  if (prompt.sourceKind === 'person' || session.mark === 'open') return true;
  return (
    session.mark !== 'stopped' &&
    !(session.mark === 'paused' && (session.pausedBy === 'person' || session.pausedBy === 'budget'))
  );
}

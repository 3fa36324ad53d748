import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { OutcomeSource, TaskStatus } from '@agent-console/shared/models/task';
import type { ActivitySource } from '@agent-console/shared/models/worker';
import type { TurnFailure } from './turns.ts';

/** A task that is not over. */
export const OPEN_STATUSES: readonly TaskStatus[] = ['queued', 'running', 'awaiting_input'];
/** A task that an agent is at, or that waits for an answer or report. */
export const ACTIVE_STATUSES: readonly TaskStatus[] = ['running', 'awaiting_input'];

/** queued → running ⇄ awaiting_input → one of the ends; nothing leaves an end. */
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

/**
 * What the end of the agent's process says about the task it was at.
 * @param shown the last lines on its screen, where it ended by itself and with an error.
 */
export function outcomeOfExit(
  exit: { exitCode: number | null; signal: string | null },
  promptAccepted: boolean,
  shown = '',
): Outcome {
  const how = exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by ${exit.signal}`;
  if (exit.exitCode === 0 && promptAccepted) return { status: 'completed', source: 'exit', certain: true };
  const when = promptAccepted ? '' : ' before it had taken the prompt';
  const message = `The agent ${how}${when}.${shown === '' ? '' : ` Its screen showed last:\n${shown}`}`;
  return { status: 'failed', source: 'exit', certain: true, error: { code: 'AGENT_UNAVAILABLE', message } };
}

/** Who saw the end of a turn: a source of signs, or the agent's own record of its conversation. */
export type TurnEndSource = ActivitySource | 'transcript';

/** How the end of a turn that was seen by this source is named as the end of its task. */
export function sourceOfTurnEnd(seenBy: TurnEndSource): OutcomeSource {
  if (
    seenBy === 'transcript' ||
    seenBy === 'hook' ||
    seenBy === 'screen' ||
    seenBy === 'person' ||
    seenBy === 'protocol'
  )
    return seenBy;
  return 'title';
}

/** A turn that ended with an error did not do its task, whoever gave it: no report follows. */
export function outcomeOfFailure({ message, source, certain }: TurnFailure): Outcome {
  const words = `The turn ended with an error: ${message}`.slice(0, TEXT_MAX_CHARS);
  return { status: 'failed', source, certain, error: { code: 'AGENT_UNAVAILABLE', message: words } };
}

/** What the end of a turn means for a prompt task, by who gave it, who saw it, and what the agent said last, if it is known. */
export function outcomeOfTurn(
  task: { sourceKind: string; reminded: boolean },
  seenBy: TurnEndSource,
  lastWords: string | null = null,
): Outcome | 'await-report' {
  const delegated = task.sourceKind === 'session' || task.sourceKind === 'orchestration';
  if (!delegated) {
    const summary = lastWords === null ? {} : { summary: lastWords.slice(0, TEXT_MAX_CHARS) };
    return { status: 'completed', source: sourceOfTurnEnd(seenBy), certain: false, ...summary };
  }
  if (!task.reminded) return 'await-report';
  return unreported(seenBy, lastWords);
}

/**
 * A delegated task whose agent was idle, was reminded, and still reported nothing.
 * @param lastWords what it said last of its work, before it was reminded.
 * @param reply what it said to the reminder.
 */
export function unreported(
  seenBy: TurnEndSource,
  lastWords: string | null = null,
  reply: string | null = null,
): Outcome {
  const work = lastWords === null ? 'Read its output or its diff to see what it did.' : `Its last words:\n${lastWords}`;
  const answer = reply === null ? '' : `\nReminded to report, it said:\n${reply}`;
  return {
    status: 'completed',
    source: sourceOfTurnEnd(seenBy),
    certain: false,
    summary: `The agent ended its turn and sent no report. ${work}${answer}`.slice(0, TEXT_MAX_CHARS),
  };
}

interface Giver {
  sourceKind: string;
  sourceId: string | null;
}

/** Whether a new prompt has to wait for this task. One that only owes its report ends for a person or its own source. */
export function holdsBack(task: Giver & { waitingFor: 'answer' | 'report' | null }, prompt: Giver): boolean {
  if (task.waitingFor !== 'report') return true;
  return prompt.sourceKind !== 'person' && prompt.sourceId !== task.sourceId;
}

/** Whether a prompt opens a session: a person's always does, an agent's not where a person paused it or it was stopped. */
export function opensSession(session: { mark: string; pausedBy: string | null }, prompt: Giver): boolean {
  if (prompt.sourceKind === 'person' || session.mark === 'open') return true;
  return session.mark !== 'stopped' && !(session.mark === 'paused' && session.pausedBy === 'person');
}

import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { OutcomeSource, TaskStatus } from '@agent-console/shared/models/task';
import type { ActivitySource } from '@agent-console/shared/models/worker';

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

/** What the end of the agent's process says about the task it was at. */
export function outcomeOfExit(
  exit: { exitCode: number | null; signal: string | null },
  promptAccepted: boolean,
): Outcome {
  const how = exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by ${exit.signal}`;
  if (exit.exitCode === 0 && promptAccepted) return { status: 'completed', source: 'exit', certain: true };
  const message = promptAccepted ? `The agent ${how}.` : `The agent ${how} before it had taken the prompt.`;
  return { status: 'failed', source: 'exit', certain: true, error: { code: 'AGENT_UNAVAILABLE', message } };
}

/** How the end of a turn that was seen by this source is named as the end of its task. */
export function sourceOfTurnEnd(seenBy: ActivitySource): OutcomeSource {
  if (seenBy === 'hook' || seenBy === 'screen' || seenBy === 'person' || seenBy === 'protocol') return seenBy;
  return 'title';
}

/** What the end of a turn means for a prompt task, by who gave it, who saw it, and what the agent said last, if it is known. */
export function outcomeOfTurn(
  task: { sourceKind: string; reminded: boolean },
  seenBy: ActivitySource,
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

/** A delegated task whose agent was idle, was reminded, and still reported nothing. */
export function unreported(seenBy: ActivitySource, lastWords: string | null = null): Outcome {
  const said = 'The agent ended its turn and sent no report.';
  return {
    status: 'completed',
    source: sourceOfTurnEnd(seenBy),
    certain: false,
    summary:
      lastWords === null
        ? `${said} Read its output or its diff to see what it did.`
        : `${said} Its last words:\n${lastWords}`.slice(0, TEXT_MAX_CHARS),
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

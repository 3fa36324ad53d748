import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { describeSource } from '../../ui/outcome-source.ts';

/** Formats the token usage of a task in one line; undefined if the agent does not report it. */
export function usageOf({ usage }: Pick<Task, 'usage'>): string | undefined {
  if (usage === null) return undefined;
  const count = (tokens: number) => tokens.toLocaleString('en');
  const parts = [`${count(usage.inputTokens)} input tokens`, `${count(usage.outputTokens)} output tokens`];
  if (usage.cacheReadTokens > 0) parts.push(`${count(usage.cacheReadTokens)} tokens read from cache`);
  if (usage.costUsd !== null && usage.costUsd > 0) parts.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`);
  return parts.join(' · ');
}

/**
 * Returns the heading of a message that the console sent, or that a person typed in the terminal; undefined for other
 * messages.
 */
export function typedBy({ role, source }: Pick<Message, 'role' | 'source'>): string | undefined {
  if (role === 'system') return 'Agent Console';
  return source === 'transcript' ? 'A person typed in the terminal' : undefined;
}

interface Outcome {
  tone: 'done' | 'failed' | 'needs' | 'plain';
  glyph: string;
  word: string;
}

const OUTCOMES: Record<Task['status'], Outcome> = {
  completed: { tone: 'plain', glyph: '●', word: 'Done' },
  failed: { tone: 'failed', glyph: '⊘', word: 'Failed' },
  cancelled: { tone: 'plain', glyph: '–', word: 'Cancelled' },
  interrupted: { tone: 'failed', glyph: '⊘', word: 'Interrupted' },
  awaiting_input: { tone: 'needs', glyph: '▲', word: 'Waiting for an answer' },
  running: { tone: 'plain', glyph: '◐', word: 'Working' },
  queued: { tone: 'plain', glyph: '○', word: 'Queued' },
};
const AWAITING_REPORT: Outcome = { tone: 'plain', glyph: '○', word: 'Awaiting report' };

/** Returns the label of a task's outcome, and how the outcome is known, e.g. `reported by the agent, certain`. */
export function outcomeOf(
  task: Pick<Task, 'status' | 'outcomeSource' | 'certain' | 'waitingFor'>,
): Outcome & { source: string } {
  const { status, outcomeSource, certain, waitingFor } = task;
  const outcome = status === 'awaiting_input' && waitingFor === 'report' ? AWAITING_REPORT : OUTCOMES[status];
  return { ...outcome, source: outcomeSource === null ? '' : describeSource(outcomeSource, certain) };
}

const AUTHORS: Record<Exclude<Task['source']['kind'], 'person'>, string> = {
  session: 'Session',
  orchestration: 'Orchestration',
  schedule: 'Schedule',
  system: 'Agent Console',
};

/**
 * Returns the author of a task: for a person the user id, for any other author a name, and for a session also the
 * session id.
 */
export function authorOf({ source: { kind, id } }: Pick<Task, 'source'>) {
  if (kind === 'person') return { userId: id, name: undefined, sessionId: undefined };
  return { userId: null, name: AUTHORS[kind], sessionId: kind === 'session' ? (id ?? undefined) : undefined };
}

const PREVIEW_CHARS = 2_400;
const PREVIEW_LINES = 24;

/** Returns the beginning of a long text, cut at a line break if possible; undefined for a short text. */
export function previewOf(text: string): string | undefined {
  const lines = text.split('\n');
  if (text.length <= PREVIEW_CHARS && lines.length <= PREVIEW_LINES) return undefined;
  const byLines = lines.slice(0, PREVIEW_LINES).join('\n');
  return byLines.length <= PREVIEW_CHARS ? byLines : byLines.slice(0, PREVIEW_CHARS).replace(/[\ud800-\udbff]$/, '');
}

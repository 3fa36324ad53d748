import { isSummary } from '@agent-console/shared/cut';
import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { type NoticeItem, parseNoticeBlock } from '@agent-console/shared/notice-block';

/** Consecutive messages of one task. */
export interface Turn {
  id: string;
  /**
   * Undefined for messages without a task, until the tasks are loaded, and if a later turn belongs to the same task.
   */
  task: Task | undefined;
  entries: readonly Entry[];
}

export type Entry =
  | { kind: 'prompt' | 'report' | 'text'; message: Message; text: string }
  | { kind: 'notices'; message: Message; text: string; items: readonly NoticeItem[] }
  /** Anything else from the agent, such as a thought, tool call, plan or permission request. */
  | { kind: 'action'; message: Message; text: string; label: string };

const LABELS: Partial<Record<Message['kind'], string>> = {
  thought: 'Thought',
  toolCall: 'Tool call',
  plan: 'Plan',
  permission: 'Permission request',
  usage: 'Usage',
};

/** Groups messages by task, in order. */
export function turnsOf(messages: readonly Message[], tasks: readonly Task[]): Turn[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const turns: { id: string; taskId: string | null; task: Task | undefined; entries: Entry[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const task = message.taskId === null ? undefined : byId.get(message.taskId);
    const entry = entryOf(message, task);
    if (last !== undefined && last.taskId === message.taskId) last.entries.push(entry);
    else turns.push({ id: message.id, taskId: message.taskId, task, entries: [entry] });
  }
  return turns.map(({ id, task, entries }, index) => {
    // The outcome of a task is shown on its last turn only.
    const later = turns.slice(index + 1).some((turn) => turn.task !== undefined && turn.task === task);
    return { id, task: later ? undefined : task, entries };
  });
}

function entryOf(message: Message, task: Task | undefined): Entry {
  const text = textOf(message);
  if (message.role !== 'agent') {
    const items = message.kind === 'notice' ? parseNoticeBlock(text) : null;
    return items === null ? { kind: 'prompt', message, text } : { kind: 'notices', message, text, items };
  }
  const label = LABELS[message.kind];
  if (label !== undefined) return { kind: 'action', message, text, label };
  const isReport = task?.outcomeSource === 'report' && isSummary(task, text);
  return { kind: isReport ? 'report' : 'text', message, text };
}

/** Returns the text of a message; parts without text appear as JSON. */
export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts
    .map((part) => {
      if (typeof part.text === 'string') return part.text;
      if (part.type === 'planEntry') return `${PLAN_MARKS[String(part.status)] ?? '○'} ${String(part.content)}`;
      if (part.type === 'toolCall') return toolCallText(part);
      if (typeof part.title === 'string') return part.title;
      const { type: _, ...rest } = part;
      return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
    })
    .filter((text) => text !== '')
    .join('\n');
}

const PLAN_MARKS: Readonly<Record<string, string>> = { completed: '●', in_progress: '◐' };

/** Formats a tool call: its title and state, then its files, contents, input and output. */
function toolCallText(part: Message['parts'][number]): string {
  const { title, status, locations, content, input, output } = part;
  const files = Array.isArray(locations)
    ? locations.map(({ path, line }) => (line == null ? path : `${path}:${line}`))
    : [];
  const contents = Array.isArray(content) ? content.map(contentText) : [];
  const json = (name: string, value: unknown) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value, null, 2)}`];
  const head = [title ?? 'Tool call', status].filter((word) => word !== undefined).join(' · ');
  return [head, ...files, ...contents, ...json('Input', input), ...json('Output', output)].join('\n');
}

function contentText({ type, content, path, oldText, newText }: Record<string, unknown>): string {
  if (type === 'diff') {
    const lines = (text: unknown, mark: string) =>
      typeof text === 'string'
        ? text
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => `${mark} ${line}`)
        : [];
    return [path, ...lines(oldText, '-'), ...lines(newText, '+')].join('\n');
  }
  const text = (content as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text : '';
}

/** Formats the token usage of a task in one line; undefined if the agent does not report it. */
export function usageOf({ usage }: Pick<Task, 'usage'>): string | undefined {
  if (usage === null) return undefined;
  const count = (tokens: number) => tokens.toLocaleString('en');
  const parts = [`${count(usage.inputTokens)} input tokens`, `${count(usage.outputTokens)} output tokens`];
  if (usage.cacheReadTokens > 0) parts.push(`${count(usage.cacheReadTokens)} tokens read from cache`);
  if (usage.costUsd !== null && usage.costUsd > 0) parts.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`);
  return parts.join(' · ');
}

/** Collapses an action's text to one line. */
export function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LINE_CHARS);
}

/** Maximum characters of a collapsed action. No window is wide enough to show more. */
const LINE_CHARS = 300;

/**
 * Returns the heading of a message that was sent by the console itself or typed in the terminal; undefined for other
 * messages.
 */
export function typedBy({ role, source }: Pick<Message, 'role' | 'source'>): string | undefined {
  if (role === 'system') return 'Agent Console';
  return source === 'transcript' ? 'Typed in the terminal' : undefined;
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

/** Describes a task's outcome and its source, e.g. `known from report, certain`. */
export function outcomeOf(
  task: Pick<Task, 'status' | 'outcomeSource' | 'certain' | 'waitingFor'>,
): Outcome & { source: string } {
  const { status, outcomeSource, certain, waitingFor } = task;
  const outcome = status === 'awaiting_input' && waitingFor === 'report' ? AWAITING_REPORT : OUTCOMES[status];
  const sure = certain === null ? '' : certain ? ', certain' : ', uncertain';
  return { ...outcome, source: outcomeSource === null ? '' : `known from ${SOURCES[outcomeSource]}${sure}` };
}

const SOURCES: Record<NonNullable<Task['outcomeSource']>, string> = {
  report: 'report',
  protocol: 'protocol',
  exit: 'process exit',
  person: 'a person',
  system: 'console',
  hook: 'hook',
  title: 'terminal title',
  screen: 'screen',
  transcript: 'transcript',
};

const AUTHORS: Record<Task['source']['kind'], string> = {
  person: 'You',
  session: 'Session',
  orchestration: 'Orchestration',
  schedule: 'Schedule',
  system: 'Agent Console',
};

/** Returns who created a task, and the id of the session if a session created it. */
export function authorOf({ source: { kind, id } }: Pick<Task, 'source'>) {
  return { name: AUTHORS[kind], sessionId: kind === 'session' ? (id ?? undefined) : undefined };
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

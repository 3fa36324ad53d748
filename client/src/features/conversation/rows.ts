import { isSummary } from '@agent-console/shared/cut';
import type { PromptImage } from '@agent-console/shared/models/image';
import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { type NoticeItem, parseNoticeBlock } from '@agent-console/shared/notice-block';
import { blockText } from './read-tool-call.ts';
import { asFields } from './tool-call.ts';

export interface PlanStep {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

export type Row =
  | { kind: 'prompt'; id: string; message: Message; text: string; images: PromptImage[]; task: Task | undefined }
  /** `isCut`: whether the message was too large to be stored completely. */
  | { kind: 'text' | 'report' | 'thought' | 'note'; id: string; message: Message; text: string; isCut: boolean }
  | { kind: 'notices'; id: string; message: Message; text: string; items: readonly NoticeItem[] }
  | { kind: 'tool'; id: string; message: Message }
  /** `omitted`: number of steps that are not stored. */
  | { kind: 'plan'; id: string; message: Message; steps: readonly PlanStep[]; omitted: number }
  /** The outcome of a task, after its last message. */
  | { kind: 'end'; id: string; task: Task };

export type PromptRow = Extract<Row, { kind: 'prompt' }>;
export type PlanRow = Extract<Row, { kind: 'plan' }>;

/**
 * Rows made by earlier calls of `rowsOf`, so that an unchanged message with an unchanged task keeps its row and is not
 * rendered again.
 */
const known = new WeakMap<Message, { task: Task | undefined; row: Row }>();

/** Returns the rows of a conversation: its messages in order, and the outcome of each task after its last message. */
export function rowsOf(messages: readonly Message[], tasks: readonly Task[]): Row[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const lastOf = new Map(messages.map(({ taskId, id }) => [taskId, id]));
  return messages.flatMap((message) => {
    const task = message.taskId === null ? undefined : byId.get(message.taskId);
    const row = rowFor(message, task);
    return task !== undefined && lastOf.get(task.id) === message.id && showsEnd(task)
      ? [row, { kind: 'end', id: `${task.id} end`, task }]
      : [row];
  });
}

/**
 * Whether the outcome of a task is shown. A completed notice task shows none, because its notices appear in the
 * conversation.
 */
function showsEnd({ kind, status, endedAt }: Task): boolean {
  return endedAt !== null && (kind !== 'notice' || status !== 'completed');
}

function rowFor(message: Message, task: Task | undefined): Row {
  const before = known.get(message);
  if (before !== undefined && before.task === task) return before.row;
  const row = newRow(message, task);
  known.set(message, { task, row });
  return row;
}

function newRow(message: Message, task: Task | undefined): Row {
  const { id, kind, role } = message;
  if (role === 'agent' && kind === 'toolCall') return { kind: 'tool', id, message };
  if (role === 'agent' && kind === 'plan') {
    const steps = stepsOf(message);
    const { type, count } = asFields(message.parts.at(-1));
    const omitted = type === 'omitted' ? Number(count) : 0;
    if (steps.length > 0) return { kind: 'plan', id, message, steps, omitted };
  }
  const images = role === 'agent' ? [] : message.parts.flatMap(imageOf);
  const text = textOf({ parts: images.length === 0 ? message.parts : message.parts.filter(isNoImage) });
  if (role !== 'agent') {
    const items = kind === 'notice' ? parseNoticeBlock(text) : null;
    return items === null
      ? { kind: 'prompt', id, message, text, images, task }
      : { kind: 'notices', id, message, text, items };
  }
  const isCut = message.parts.some(({ truncated }) => truncated === true);
  if (kind === 'thought') return { kind, id, message, text, isCut };
  if (kind !== 'text' && kind !== 'notice') return { kind: 'note', id, message, text, isCut };
  const isReport = task?.outcomeSource === 'report' && isSummary(task, text);
  return { kind: isReport ? 'report' : 'text', id, message, text, isCut };
}

/**
 * Returns a list with the stored image that a part of a prompt refers to; an empty list if the part is not an image.
 */
function imageOf(part: Message['parts'][number]): PromptImage[] {
  const { type, imageId, mimeType, bytes, width, height } = part;
  if (type !== 'image' || typeof imageId !== 'string') return [];
  return [{ imageId, mimeType, bytes, width, height } as PromptImage];
}

const isNoImage = (part: Message['parts'][number]) => imageOf(part).length === 0;

function stepsOf({ parts }: Message): PlanStep[] {
  return parts.flatMap((part) => {
    const { type, content, status } = asFields(part);
    if (type !== 'planEntry') return [];
    return [{ text: String(content), status: status === 'completed' || status === 'in_progress' ? status : 'pending' }];
  });
}

/** Returns the text of each part of a message, one part per line. */
function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n');
}

import { ACP_TERMINAL_STORED_BYTES } from '@agent-console/shared/limits/acp';
import { plainLines } from '../../domain/output-text.ts';
import type { MessagePart, ToolCallFields } from '../../domain/protocol.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../changes/subjects.ts';

/**
 * A tool call shows a terminal as a part of the form `{ type: 'terminal', terminalId }`. If the console runs the
 * terminal, as a worker, the part gets the output when the terminal is released. If the agent runs the terminal itself,
 * the part always contains the output.
 */

/** Output of a released terminal, as shown by its tool call. */
interface TerminalOutput {
  output: string;
  /** Whether only the newest output is stored, because the whole output is too long. */
  truncated: boolean;
  exitCode: number | null;
  signal: string | null;
}

type Content = readonly MessagePart[];

const contentOf = (call: MessagePart | undefined): Content => (Array.isArray(call?.content) ? call.content : []);

const isTerminal = ({ type, terminalId }: MessagePart, id: unknown) => type === 'terminal' && terminalId === id;

export function terminalIdsOf({ content = [] }: ToolCallFields): string[] {
  return content.flatMap(({ type, terminalId }) =>
    type === 'terminal' && typeof terminalId === 'string' ? [terminalId] : [],
  );
}

/**
 * Returns the changed fields of a tool call. If the output of a terminal is already stored with the tool call, the
 * returned fields contain that output.
 */
export function withStoredOutput(before: MessagePart | undefined, fields: ToolCallFields): ToolCallFields {
  if (fields.content === undefined || before === undefined) return fields;
  const known = contentOf(before).filter(({ output }) => output !== undefined);
  if (known.length === 0) return fields;
  return {
    ...fields,
    content: fields.content.map((part) => known.find((each) => isTerminal(part, each.terminalId)) ?? part),
  };
}

/**
 * Returns the fields of a tool call. Each terminal in which the agent itself runs a command gets an empty `output`, to
 * which `withPrinted` appends. A terminal that is a worker gets none.
 */
export async function withOwnTerminals(
  tx: Transaction,
  { id: agentWorkerId }: Pick<WorkerRow, 'id'>,
  fields: ToolCallFields,
): Promise<ToolCallFields> {
  if (fields.content === undefined || terminalIdsOf(fields).length === 0) return fields;
  const content: MessagePart[] = [];
  for (const part of fields.content) {
    const isComplete = part.type !== 'terminal' || part.output !== undefined;
    const worker = isComplete ? undefined : await tx.workers.get(String(part.terminalId));
    content.push(isComplete || worker?.agentWorkerId === agentWorkerId ? part : { ...part, output: '' });
  }
  return { ...fields, content };
}

/**
 * Adds output to the tool call that shows a terminal which the agent runs itself. Only the newest output is stored.
 * When the process has ended, escape sequences are removed.
 */
export function withPrinted(
  call: MessagePart | undefined,
  { printed, ...fields }: ToolCallFields,
): Omit<ToolCallFields, 'printed'> {
  if (printed === undefined) return fields;
  const { terminalId, data, exit } = printed;
  const content = fields.content ?? contentOf(call);
  const before = content.find((part) => isTerminal(part, terminalId)) ?? { type: 'terminal', terminalId };
  const all = `${typeof before.output === 'string' ? before.output : ''}${data}`;
  const newest = all.slice(-ACP_TERMINAL_STORED_BYTES).replace(/^[\udc00-\udfff]/, '');
  const output = exit === null ? newest : plainLines(newest);
  const truncated = before.truncated === true || newest.length < all.length;
  const after = { ...before, output, truncated, ...(exit ?? {}) };
  const parts = content.includes(before)
    ? content.map((part) => (part === before ? after : part))
    : [...content, after];
  return { ...fields, content: parts };
}

/**
 * Stores the output of a terminal in the message that shows the terminal. The terminal is removed in the same
 * transaction.
 */
export async function storeTerminalOutput(
  tx: Transaction,
  { id, sessionId, messageId }: WorkerRow,
  output: TerminalOutput,
): Promise<void> {
  const message = messageId === null ? undefined : await tx.messages.get(messageId);
  if (message === undefined) return;
  const parts = message.parts.map((call) => ({
    ...call,
    content: contentOf(call).map((part) => (isTerminal(part, id) ? { ...part, ...output } : part)),
  }));
  await tx.messages.update(message.id, { parts });
  await tx.record({ type: 'conversation.grown', ...aboutSession(sessionId), data: { count: 1 } });
}

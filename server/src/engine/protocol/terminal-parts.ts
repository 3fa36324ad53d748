import type { MessagePart, ToolCallFields } from '../../domain/protocol.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../subjects.ts';

/**
 * Terminals in the contents of tool calls: `{ type: 'terminal', terminalId }`, with the output once the terminal was
 * released.
 */

/** What a tool call shows of a released terminal. */
interface TerminalOutput {
  output: string;
  /** Whether earlier output was left out. */
  truncated: boolean;
  exitCode: number | null;
  signal: string | null;
}

type Content = readonly MessagePart[];

const contentOf = (call: MessagePart | undefined): Content => (Array.isArray(call?.content) ? call.content : []);

const isTerminal = ({ type, terminalId }: MessagePart, id: unknown) => type === 'terminal' && terminalId === id;

/** Returns the ids of the terminals that a tool call shows. */
export function terminalIdsOf({ content = [] }: ToolCallFields): string[] {
  return content.flatMap(({ type, terminalId }) =>
    type === 'terminal' && typeof terminalId === 'string' ? [terminalId] : [],
  );
}

/** Returns the changed fields of a tool call, with the stored output of the terminals that it showed before. */
export function withStoredOutput(before: MessagePart | undefined, fields: ToolCallFields): ToolCallFields {
  if (fields.content === undefined || before === undefined) return fields;
  const known = contentOf(before).filter(({ output }) => output !== undefined);
  if (known.length === 0) return fields;
  return {
    ...fields,
    content: fields.content.map((part) => known.find((each) => isTerminal(part, each.terminalId)) ?? part),
  };
}

/** Stores the output of a terminal, which is removed in the same transaction, in the message that shows it. */
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

import { ACP_CALL_TURNS, ACP_MESSAGE_MAX_CHARS, ACP_MESSAGE_PARTS_MAX } from '@agent-console/shared/limits/acp';
import type { MessagePart, PlanEntry, ProtocolEvent, ProtocolState, ToolCallFields } from '../../domain/protocol.ts';
import type { MessageRow, NewRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { boundedCall, boundedPlan, piecesOf, sizeOf } from './bounds.ts';
import { terminalIdsOf, withOwnTerminals, withPrinted, withStoredOutput } from './terminal-parts.ts';

type Chunk = Extract<ProtocolEvent, { type: 'chunk' }>;

export type MessageWriter = ReturnType<typeof createMessageWriter>;

/**
 * Creates the writer that stores the messages of one batch of updates. A row is written at most once per batch.
 * - Chunks of a message are appended to one row. A message that is too long continues in the next row.
 * - Each tool call has one row, and so has the plan of each turn. Later updates change the row.
 */
export function createMessageWriter(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  /** The input whose turn the updates belong to, or null between turns. */
  turn: { inputId: string; taskId: string | null } | null,
) {
  const { sessionId } = worker;
  const changed = new Map<string, MessageRow['parts']>();
  const added: NewRow<'messages'>[] = [];
  const known = new Map<string, { id: string; parts: MessageRow['parts'] }>();
  /** Ids of the messages that show terminals, by the terminals' ids. */
  const terminals = new Map<string, string>();

  /** Returns the row of the tool call or plan with this `nativeId`, from this batch or from the database. */
  async function find(nativeId: string) {
    const cached = known.get(nativeId);
    if (cached !== undefined) return cached;
    const stored = await tx.messages.first({ sessionId, nativeId });
    if (stored !== undefined) known.set(nativeId, stored);
    return stored;
  }

  /**
   * Returns the newest row of a tool call that the agent began in an earlier turn or between turns, and has not
   * finished. A tool call that runs in the background may end after its turn. Finished tool calls do not match, because
   * an agent may use their ids again.
   */
  async function unfinished(callId: string) {
    const earlier = await tx.inputs.ids({ workerId: worker.id }, { order: ['-id'], limit: ACP_CALL_TURNS });
    const nativeId = [...earlier, worker.id].map((id) => `${id}/${callId}`);
    const rows = await tx.messages.find({ sessionId, nativeId }, { order: ['-seq'] });
    const [row] = rows.filter(({ parts }) => !ENDED.has(parts[0]?.status));
    if (row?.nativeId == null) return undefined;
    // If an earlier update of this batch changed the row, the cached row is newer than the stored one.
    const cached = known.get(row.nativeId);
    if (cached !== undefined) return cached;
    known.set(row.nativeId, row);
    return row;
  }

  function add(kind: MessageRow['kind'], parts: MessageRow['parts'], offset: number, nativeId: string | null) {
    const row = { id: deps.newId(), parts };
    added.push({
      ...row,
      sessionId,
      taskId: turn?.taskId ?? null,
      seq: 0,
      role: 'agent',
      kind,
      source: 'acp',
      logOffset: offset,
      nativeId,
      createdAt: deps.now().toISOString(),
    });
    if (nativeId !== null) known.set(nativeId, row);
    return row;
  }

  function replace(id: string, parts: MessageRow['parts']): void {
    const fresh = added.find((row) => row.id === id);
    if (fresh === undefined) changed.set(id, parts);
    else fresh.parts = parts;
  }

  /**
   * The message to which further chunks are appended, and its size. The message is cached, so that its row is not read
   * again for each chunk.
   */
  let growing: { id: string; taskId: string | null; parts: MessagePart[]; chars: number } | undefined;

  /** Loads a message so that chunks can be appended, unless it is already loaded. */
  async function load(rowId: string) {
    if (growing?.id === rowId) return growing;
    const row = added.find(({ id }) => id === rowId) ?? (await tx.messages.get(rowId));
    growing = row && {
      id: row.id,
      taskId: row.taskId ?? null,
      parts: [...row.parts],
      chars: row.parts.reduce((sum, part) => sum + sizeOf(part), 0),
    };
    return growing;
  }

  return {
    /** Stores a chunk. Returns the message that the next chunk may continue. */
    async chunk({ role, kind, messageId, part }: Chunk, offset: number, open: ProtocolState['open']) {
      const isSame = open !== null && open.role === role && open.kind === kind && open.messageId === messageId;
      const taskId = turn?.taskId ?? null;
      let row = isSame ? await load(open.rowId) : undefined;
      // A message belongs to one task at most, so a chunk of another task begins a new message.
      if (row?.taskId !== taskId) row = undefined;
      let continues = row !== undefined;
      for (const [at, piece] of piecesOf(part).entries()) {
        if (row !== undefined && fits(row, piece)) {
          append(row.parts, piece);
          row.chars += sizeOf(piece);
          replace(row.id, row.parts);
        } else {
          const first = continues ? { ...piece, continues: true } : piece;
          // Each row has its own offset, at which a reader of the messages can continue.
          const { id, parts } = add(kind, [first], offset + at, null);
          row = { id, taskId, parts, chars: sizeOf(piece) };
        }
        continues = true;
      }
      growing = row;
      return row === undefined ? null : { rowId: row.id, role, kind, messageId };
    },

    /** @param isUpdate whether the agent refers to a tool call that it has reported before */
    async toolCall(callId: string, fields: ToolCallFields, offset: number, isUpdate: boolean): Promise<void> {
      const nativeId = `${turn?.inputId ?? worker.id}/${callId}`;
      const row = (await find(nativeId)) ?? (isUpdate ? await unfinished(callId) : undefined);
      const [before] = row?.parts ?? [];
      const shown = await withOwnTerminals(tx, worker, withStoredOutput(before, fields));
      const { truncated, ...changes } = boundedCall(withPrinted(before, shown), before?.truncated);
      const cut = truncated.length === 0 ? undefined : truncated;
      const parts = [{ type: 'toolCall', ...before, callId, ...changes, truncated: cut }];
      const { id } = row ?? add('toolCall', parts, offset, nativeId);
      for (const terminalId of terminalIdsOf(fields)) terminals.set(terminalId, id);
      if (row === undefined) return;
      row.parts = parts;
      replace(row.id, parts);
    },

    async plan(entries: readonly PlanEntry[], offset: number): Promise<void> {
      const nativeId = `${turn?.inputId ?? worker.id}/plan`;
      const row = await find(nativeId);
      const parts = boundedPlan(entries);
      if (row === undefined) add('plan', parts, offset, nativeId);
      else {
        row.parts = parts;
        replace(row.id, parts);
      }
    },

    /** Writes the message rows that were added or changed since the last call. Returns their number. */
    async flush(): Promise<number> {
      for (const [id, parts] of changed) await tx.messages.update(id, { parts });
      if (added.length > 0) {
        const session = await tx.sessions.get(sessionId);
        let seq = session?.messageCount ?? 0;
        for (const row of added) await tx.messages.insert({ ...row, seq: ++seq });
        await tx.sessions.update(sessionId, { messageCount: seq, updatedAt: deps.now().toISOString() });
      }
      for (const [id, messageId] of terminals) {
        const terminal = await tx.workers.get(id);
        if (terminal?.agentWorkerId === worker.id) await tx.workers.update(id, { messageId });
      }
      const count = changed.size + added.length;
      changed.clear();
      added.length = 0;
      if (count > 0) {
        const subject = { kind: 'session', id: sessionId } as const;
        await tx.record({ type: 'conversation.grown', subject, sessionId, data: { count } });
      }
      return count;
    },
  };
}

/** Statuses of a tool call that has ended. */
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed']);

/** Whether a part fits into a message, either as a new part or appended to the message's last text. */
function fits({ parts, chars }: { parts: MessagePart[]; chars: number }, piece: MessagePart): boolean {
  const hasRoom = chars + sizeOf(piece) <= ACP_MESSAGE_MAX_CHARS;
  return hasRoom && (parts.length < ACP_MESSAGE_PARTS_MAX || isText(parts.at(-1), piece));
}

const isText = (...parts: (MessagePart | undefined)[]) => parts.every((part) => part?.type === 'text');

/** Appends `part`, or joins it with the last part if both are text. */
function append(parts: MessagePart[], part: MessagePart): void {
  const last = parts.at(-1);
  if (isText(last, part)) parts[parts.length - 1] = { ...last, type: 'text', text: `${last?.text}${part.text}` };
  else parts.push(part);
}

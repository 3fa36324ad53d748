import {
  ANSWERED,
  asCount,
  asFields,
  asMoment,
  asText,
  type Fields,
  INTERRUPTED,
  type TranscriptMessage,
  type TranscriptReading,
  type TurnEnd,
  toolCallText,
} from './transcript.ts';

/** A row of `message` or `part` (1.18.33), its JSON parsed; a part is read with the role of its message. */
export type OpencodeRow =
  | { table: 'message'; id: string; data: unknown }
  | { table: 'part'; id: string; role: 'user' | 'assistant'; data: unknown };

export function readOpencodeRow(row: OpencodeRow): TranscriptReading {
  const data = asFields(row.data);
  if (row.table === 'part') return { messages: said(row.id, row.role, data), usage: [] };
  if (data.role !== 'assistant') return { messages: [], usage: [] };
  const turnEnd = endOf(data);
  const end = turnEnd === null ? {} : { turnEnd };
  if (data.tokens === undefined) return { messages: [], usage: [], ...end };
  const { input, output, reasoning, cache } = asFields(data.tokens);
  const { read, write } = asFields(cache);
  const usage = {
    nativeId: row.id,
    inputTokens: asCount(input) + asCount(write),
    outputTokens: asCount(output) + asCount(reasoning),
    cacheReadTokens: asCount(read),
    costUsd: typeof data.cost === 'number' ? data.cost : null,
  };
  return { messages: [], usage: [usage], ...end };
}

/** An answer that calls tools is followed by another one, and a summary of the conversation by the turn that it was made for. */
function endOf({ time, finish, error, summary }: Fields): TurnEnd | null {
  if (asFields(time).completed === undefined || summary === true) return null;
  const { name, data } = asFields(error);
  if (name === 'MessageAbortedError') return INTERRUPTED;
  if (name !== undefined) return { how: 'failed', error: asText(asFields(data).message) ?? asText(name) };
  return finish === 'tool-calls' ? null : ANSWERED;
}

function said(nativeId: string, by: 'user' | 'assistant', data: Record<string, unknown>): TranscriptMessage[] {
  const role = by === 'user' ? 'user' : 'agent';
  const at = asMoment(asFields(data.time).start);
  const text = asText(data.text);
  // Synthetic text is what the program adds to a prompt, such as the files it names.
  if (data.type === 'text' && text !== null && data.synthetic !== true) {
    return [{ nativeId, role, kind: 'text', text, at }];
  }
  if (data.type === 'reasoning' && text !== null) return [{ nativeId, role, kind: 'thought', text, at }];
  if (data.type === 'tool') {
    const { input, time } = asFields(data.state);
    const called = toolCallText(String(data.tool), input);
    return [{ nativeId, role, kind: 'toolCall', text: called, at: asMoment(asFields(time).start) }];
  }
  return [];
}

import {
  asCount,
  asFields,
  asList,
  asMoment,
  asText,
  type Fields,
  NOTHING_SAID,
  type TranscriptMessage,
  type TranscriptReading,
  toolCallText,
} from './transcript.ts';

/** What the person typed to the program itself, and what the program put into the conversation in its own name. */
const NOT_SAID =
  /^(?:<(?:command-|local-command|bash-|system-reminder|task-notification)|\[Request interrupted by user)/;

/**
 * A line of `projects/<folder>/<id>.jsonl` (2.1.197 and 2.1.330). An answer is written as one line for each of its
 * blocks, all with the same message id and the same tokens. Helpers' lines are marked as side chains.
 */
export function readClaudeCodeLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  if (entry.isSidechain === true || entry.isMeta === true) return NOTHING_SAID;
  const message = asFields(entry.message);
  if (entry.type === 'user') return { messages: said(entry, message, 'user'), usage: [] };
  if (entry.type === 'assistant') return { messages: said(entry, message, 'agent'), usage: usageOf(message) };
  if (entry.type === 'cost-state' && typeof entry.totalCostUSD === 'number') {
    // A running total, told anew after each turn: counted beside the tokens and not with each answer's.
    const cost = { nativeId: `cost ${String(entry.startTime)}`, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    return { messages: [], usage: [{ ...cost, costUsd: entry.totalCostUSD, runningTotal: true }] };
  }
  return NOTHING_SAID;
}

function said(entry: Fields, message: Fields, role: TranscriptMessage['role']): TranscriptMessage[] {
  const uuid = asText(entry.uuid);
  if (uuid === null) return [];
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : asList(message.content);
  const at = asMoment(entry.timestamp);
  return blocks.flatMap((block, index): TranscriptMessage[] => {
    const nativeId = index === 0 ? uuid : `${uuid}:${index}`;
    const { type, text, thinking, name, input } = asFields(block);
    if (type === 'text' && typeof text === 'string' && text !== '' && !(role === 'user' && NOT_SAID.test(text))) {
      return [{ nativeId, role, kind: 'text', text, at }];
    }
    if (type === 'thinking' && asText(thinking))
      return [{ nativeId, role, kind: 'thought', text: String(thinking), at }];
    if (type === 'tool_use') return [{ nativeId, role, kind: 'toolCall', text: toolCallText(String(name), input), at }];
    return [];
  });
}

function usageOf(message: Fields): TranscriptReading['usage'] {
  const nativeId = asText(message.id);
  if (nativeId === null || message.usage === undefined) return [];
  const usage = asFields(message.usage);
  return [
    {
      nativeId,
      inputTokens: asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens),
      outputTokens: asCount(usage.output_tokens),
      cacheReadTokens: asCount(usage.cache_read_input_tokens),
      costUsd: null,
    },
  ];
}

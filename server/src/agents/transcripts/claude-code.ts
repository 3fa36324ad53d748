import {
  ANSWERED,
  asCount,
  asFields,
  asList,
  asMoment,
  asText,
  type Fields,
  INTERRUPTED,
  NOTHING_SAID,
  type TranscriptMessage,
  type TranscriptReading,
  type TurnEnd,
  toolCallText,
  WAS_COMMAND,
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
  if (entry.type === 'user') return command(entry, message) ?? userSaid(entry, message);
  if (entry.type === 'assistant') {
    const turnEnd = endOf(entry, message);
    return { messages: said(entry, message, 'agent'), usage: usageOf(message), ...(turnEnd && { turnEnd }) };
  }
  if (entry.type === 'cost-state' && typeof entry.totalCostUSD === 'number') {
    // A running total, told anew after each turn: counted beside the tokens and not with each answer's.
    const cost = { nativeId: `cost ${String(entry.startTime)}`, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    return { messages: [], usage: [{ ...cost, costUsd: entry.totalCostUSD, runningTotal: true }] };
  }
  return NOTHING_SAID;
}

const SHELL = /^<bash-input>([\s\S]*)<\/bash-input>$/;
const COMMAND_NAME = /<command-name>\s*(\/[\s\S]*?)\s*<\/command-name>/;
const COMMAND_ARGUMENTS = /<command-args>\s*([\s\S]*?)\s*<\/command-args>/;
const INTERRUPTION = /^\[Request interrupted by user/;

/** A command as it was typed; null for anything else. What it does may still ask the model, which is then told. */
function command(entry: Fields, { content }: Fields): TranscriptReading | null {
  const nativeId = asText(entry.uuid);
  if (typeof content !== 'string' || nativeId === null) return null;
  const [, shell] = SHELL.exec(content) ?? [];
  const [, name] = content.startsWith('<command-') ? (COMMAND_NAME.exec(content) ?? []) : [];
  const [, given = ''] = COMMAND_ARGUMENTS.exec(content) ?? [];
  if (shell === undefined && name === undefined) return null;
  const text = shell === undefined ? `${name} ${given}`.trim() : `!${shell}`;
  const at = asMoment(entry.timestamp);
  return {
    messages: [{ nativeId, role: 'user', kind: 'text', text, at, command: true }],
    usage: [],
    turnEnd: WAS_COMMAND,
  };
}

function userSaid(entry: Fields, message: Fields): TranscriptReading {
  const [first] = typeof message.content === 'string' ? [message.content] : asList(message.content);
  const words = typeof first === 'string' ? first : asText(asFields(first).text);
  const turnEnd = words !== null && INTERRUPTION.test(words) ? INTERRUPTED : null;
  return { messages: said(entry, message, 'user'), usage: [], ...(turnEnd && { turnEnd }) };
}

/** An answer is written block by block, and the last of them says why it ended; an error stands in an answer's place. */
function endOf(entry: Fields, message: Fields): TurnEnd | null {
  if (entry.isApiErrorMessage === true) {
    const words = asList(message.content).flatMap((block) => asText(asFields(block).text) ?? []);
    return { how: 'failed', error: words.join('\n') || null };
  }
  return asText(message.stop_reason) === null || message.stop_reason === 'tool_use' ? null : ANSWERED;
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

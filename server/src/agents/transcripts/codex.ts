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
  toolCallText,
  WAS_COMMAND,
} from './transcript.ts';

/** What Codex says to the model in the user's place: the world around it and the instructions it was given. */
const NOT_SAID = /^<(?:environment_context|user_instructions|permissions|collaboration_mode|turn_aborted|skill)/;
const HELPERS_WORDS = /^# AGENTS\.md instructions for /;

interface CodexHead {
  nativeId: string;
  cwd: string;
  startedAt: string;
  /** Of a fork: the conversation whose file it goes on from, and how many bytes of that file are its own beginning. */
  base: { nativeId: string; bytes: number } | null;
}

/** What the first line of a rollout file says of its conversation; null for lines of another kind. */
export function readCodexHead(line: string): CodexHead | null {
  try {
    const entry = asFields(JSON.parse(line));
    if (entry.type !== 'session_meta') return null;
    const { id, cwd, timestamp, source, history_base } = asFields(entry.payload);
    if (typeof id !== 'string' || typeof cwd !== 'string' || typeof timestamp !== 'string') return null;
    // A helper's conversation names the one it helps; a person's names the program.
    if (typeof source === 'object' && source !== null) return null;
    const { thread_id: from, end_byte_offset: bytes } = asFields(history_base);
    const base = typeof from === 'string' && typeof bytes === 'number' ? { nativeId: from, bytes } : null;
    return { nativeId: id, cwd, startedAt: timestamp, base };
  } catch {
    return null;
  }
}

/**
 * A line of `sessions/Y/M/D/rollout-*.jsonl` (0.169.0). What is said stands there as the model's items; the tokens as a
 * running total, told anew after each answer.
 */
export function readCodexLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  const item = asFields(entry.payload);
  if (entry.type === 'event_msg') return readEvent(item);
  if (entry.type !== 'response_item') return NOTHING_SAID;
  const at = asMoment(entry.timestamp);
  return command(item, at) ?? { messages: said(item, at), usage: [] };
}

function readEvent(item: Fields): TranscriptReading {
  switch (item.type) {
    case 'token_count':
      return { messages: [], usage: usageOf(item) };
    case 'task_complete': {
      // Its words for the person, with the provider's own where it passes them on.
      const error = asText(asFields(item.error).message);
      const failed = item.error !== undefined && item.error !== null;
      return { ...NOTHING_SAID, turnEnd: failed ? { how: 'failed', error } : ANSWERED };
    }
    case 'turn_aborted':
      return { ...NOTHING_SAID, turnEnd: INTERRUPTED };
    default:
      return NOTHING_SAID;
  }
}

const SHELL = /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>/;

/** A command that was typed behind `!`, with what it printed; null for anything else. */
function command(item: Fields, at: string | null): TranscriptReading | null {
  if (item.type !== 'message' || item.role !== 'user') return null;
  const [text] = asList(item.content).flatMap((part) => asText(asFields(part).text) ?? []);
  const [, typed] = SHELL.exec(text ?? '') ?? [];
  const nativeId = asText(item.id) ?? (at === null ? null : `at ${at}`);
  if (typed === undefined || nativeId === null) return null;
  const message = { nativeId, role: 'user', kind: 'text', text: `!${typed}`, at, command: true } as const;
  return { messages: [message], usage: [], turnEnd: WAS_COMMAND };
}

function said(item: Fields, at: string | null): TranscriptMessage[] {
  const nativeId = asText(item.id) ?? asText(item.call_id) ?? (at === null ? null : `at ${at}`);
  if (nativeId === null) return [];
  switch (item.type) {
    case 'message': {
      if (item.role !== 'user' && item.role !== 'assistant') return [];
      const role = item.role === 'user' ? 'user' : 'agent';
      const parts = asList(item.content).flatMap((part) => asText(asFields(part).text) ?? []);
      const text = parts
        .filter((part) => role === 'agent' || !(NOT_SAID.test(part) || HELPERS_WORDS.test(part)))
        .join('\n');
      return text === '' ? [] : [{ nativeId, role, kind: 'text', text, at }];
    }
    case 'reasoning': {
      const text = asList(item.summary)
        .flatMap((part) => asText(asFields(part).text) ?? [])
        .join('\n');
      return text === '' ? [] : [{ nativeId, role: 'agent', kind: 'thought', text, at }];
    }
    case 'function_call':
    case 'custom_tool_call': {
      const text = toolCallText(String(item.name), item.arguments ?? item.input);
      return [{ nativeId, role: 'agent', kind: 'toolCall', text, at }];
    }
    default:
      return [];
  }
}

function usageOf(item: Fields): TranscriptReading['usage'] {
  const total = asFields(asFields(item.info).total_token_usage);
  if (total.input_tokens === undefined) return [];
  const cached = asCount(total.cached_input_tokens);
  return [
    {
      nativeId: 'total',
      inputTokens: Math.max(0, asCount(total.input_tokens) - cached),
      outputTokens: asCount(total.output_tokens),
      cacheReadTokens: cached,
      costUsd: null,
      runningTotal: true,
    },
  ];
}

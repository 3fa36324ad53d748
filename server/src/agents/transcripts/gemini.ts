import {
  asCount,
  asFields,
  asList,
  asMoment,
  asText,
  type Fields,
  type TranscriptMessage,
  type TranscriptReading,
  toolCallText,
} from './transcript.ts';

/** What Gemini tells the model in the user's place: of the world around it, of folders that were added, of its own repetitions. */
const NOT_SAID =
  /^(?:<(?:session_context|hook_context|untrusted_context)>|- \*\*Workspace Directories:\*\*|System: Potential loop detected\. Details: )/;
/** A pasted `@` that is to name no file. */
const ESCAPED_AT = /(?<!\\)\\@/g;

/**
 * A line of `tmp/<project>/chats/session-*.jsonl` (0.61.0). An entry is written again, with its id, when it grows, and
 * `$set` lines repeat all of them.
 */
export function readGeminiLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  const repeated = asList(asFields(entry.$set).messages);
  const entries = repeated.length > 0 ? repeated.map(asFields) : [entry];
  const error = entry.type === 'error' ? API_ERROR.exec(asText(entry.content) ?? '')?.[1] : undefined;
  const end: Pick<TranscriptReading, 'turnEnd'> =
    error === undefined ? {} : { turnEnd: { how: 'failed', error: messageIn(error) } };
  return { messages: entries.flatMap(said), usage: entries.flatMap(usageOf), ...end };
}

/** What stands in the place of an answer; other errors are about commands. */
const API_ERROR = /^\[API Error: ([\s\S]*)\]/;

/** The provider's words in an error, which may be its answer as it was sent. */
function messageIn(error: string): string {
  const { message } = asFields(parsed(error).error);
  return asText(message) ?? error;
}

/** What the first line of a conversation's file says: its id and its beginning; null for another file. */
export function readGeminiHead(line: string): { nativeId: string; startedAt: string } | null {
  const { sessionId, startTime, kind } = parsed(line);
  const [nativeId, startedAt] = [asText(sessionId), asMoment(startTime)];
  const isMain = kind === undefined || kind === 'main';
  return nativeId === null || startedAt === null || !isMain ? null : { nativeId, startedAt };
}

function parsed(line: string): Fields {
  try {
    return asFields(JSON.parse(line));
  } catch {
    return {};
  }
}

function said(entry: Fields): TranscriptMessage[] {
  const id = asText(entry.id);
  if (id === null || (entry.type !== 'user' && entry.type !== 'gemini')) return [];
  const role = entry.type === 'user' ? 'user' : 'agent';
  const at = asMoment(entry.timestamp);
  const parts =
    typeof entry.content === 'string'
      ? [entry.content]
      : asList(entry.content).flatMap((part) => asText(asFields(part).text) ?? []);
  const words = parts.filter((part) => part !== '' && (role === 'agent' || !NOT_SAID.test(part))).join('\n');
  const text = role === 'user' ? words.replace(ESCAPED_AT, '@') : words;
  const thoughts = asList(entry.thoughts)
    .map(asFields)
    .flatMap(({ subject, description }) => [subject, description].flatMap((words) => asText(words) ?? []).join(': '));
  const messages: TranscriptMessage[] = [];
  if (thoughts.length > 0) {
    messages.push({ nativeId: `${id}:thoughts`, role, kind: 'thought', text: thoughts.join('\n'), at });
  }
  if (text !== '') messages.push({ nativeId: id, role, kind: 'text', text, at });
  for (const call of asList(entry.toolCalls).map(asFields)) {
    const nativeId = asText(call.id);
    if (nativeId === null) continue;
    messages.push({ nativeId, role, kind: 'toolCall', text: toolCallText(String(call.name), call.args), at });
  }
  return messages;
}

function usageOf(entry: Fields): TranscriptReading['usage'] {
  const nativeId = asText(entry.id);
  if (nativeId === null || entry.type !== 'gemini' || entry.tokens === undefined || entry.tokens === null) return [];
  const { input, output, cached, thoughts } = asFields(entry.tokens);
  return [
    {
      nativeId,
      inputTokens: Math.max(0, asCount(input) - asCount(cached)),
      outputTokens: asCount(output) + asCount(thoughts),
      cacheReadTokens: asCount(cached),
      costUsd: null,
    },
  ];
}

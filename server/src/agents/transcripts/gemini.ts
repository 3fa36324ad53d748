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

/** What Gemini tells the model of the world around it, in the user's place. */
const NOT_SAID = /^<(?:session_context|hook_context|untrusted_context)>/;

/**
 * A line of `tmp/<project>/chats/session-*.jsonl` (0.61.0). An entry is written again, with its id, when it grows, and
 * `$set` lines repeat all of them.
 */
export function readGeminiLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  const repeated = asList(asFields(entry.$set).messages);
  const entries = repeated.length > 0 ? repeated.map(asFields) : [entry];
  return { messages: entries.flatMap(said), usage: entries.flatMap(usageOf) };
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
  const text = parts.filter((part) => part !== '' && !NOT_SAID.test(part)).join('\n');
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

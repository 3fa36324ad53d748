import type { TranscriptReading } from '../../ports/transcripts.ts';
import { ANSWERED, asCount, asFields, asMoment, asText, NOTHING_SAID, type TurnEnd } from './transcript.ts';

/**
 * A line of a scripted agent's transcript. What a turn used so far is told with each thing the agent says and once more
 * at its end, under one id.
 */
export function readScriptedLine(line: unknown): TranscriptReading {
  const { role, id, text, at, used, error } = asFields(line);
  const nativeId = asText(id);
  if (nativeId === null) return NOTHING_SAID;
  const said = asText(text);
  const isMessage = (role === 'user' || role === 'agent') && said !== null;
  return {
    messages: isMessage ? [{ nativeId, role, kind: 'text', text: said, at: asMoment(at) }] : [],
    usage: usageOf(used),
    ...(role === 'turnEnd' && { turnEnd: endOf(asText(error)) }),
  };
}

function endOf(error: string | null): TurnEnd {
  return error === null ? ANSWERED : { how: 'failed', error };
}

function usageOf(used: unknown): TranscriptReading['usage'] {
  const { turn, inputTokens, outputTokens, cacheReadTokens } = asFields(used);
  const nativeId = asText(turn);
  if (nativeId === null) return [];
  return [
    {
      nativeId: `turn ${nativeId}`,
      inputTokens: asCount(inputTokens),
      outputTokens: asCount(outputTokens),
      cacheReadTokens: asCount(cacheReadTokens),
      costUsd: null,
    },
  ];
}

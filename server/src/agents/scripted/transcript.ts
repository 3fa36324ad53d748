import { join } from 'node:path';
import { readFiles, wholeFile } from '../common/conversation-files.ts';
import { asCount, asFields, asText, asTimestamp } from '../common/fields.ts';
import type { ConversationSources, ConversationStore } from '../common/kind.ts';
import { readQuotaReset } from '../common/quota.ts';
import { ANSWERED, EMPTY_READING, failedWith, type TranscriptReading, type TurnEnd } from '../common/transcript.ts';

const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Opens the conversations in `<transcriptsDir>/<id>.jsonl`. The agent creates the file when it starts. */
export function openScriptedConversations({ transcriptsDir }: ConversationSources): ConversationStore {
  return {
    exists: async () => true,
    find: async () => [],
    async read(nativeId, position) {
      const files = NATIVE_ID.test(nativeId) ? [wholeFile(join(transcriptsDir, `${nativeId}.jsonl`))] : [];
      return readFiles(files, position, readScriptedLine);
    },
  };
}

/**
 * Reads a line of a transcript. The usage in a line is the total of the turn so far, and replaces earlier usage of that
 * turn.
 */
function readScriptedLine(line: unknown): TranscriptReading {
  const { role, id, text, at, used, error } = asFields(line);
  const nativeId = asText(id);
  if (nativeId === null) return EMPTY_READING;
  const content = asText(text);
  const isMessage = (role === 'user' || role === 'agent') && content !== null;
  return {
    messages: isMessage ? [{ nativeId, role, kind: 'text', text: content, at: asTimestamp(at) }] : [],
    usage: usageOf(used),
    ...(role === 'turnEnd' && { turnEnd: turnEndOf(asText(error), asTimestamp(at)) }),
  };
}

function turnEndOf(error: string | null, at: string | null): TurnEnd {
  return error === null ? ANSWERED : failedWith(error, readQuotaReset(error, new Date(at ?? Date.now())));
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

import { homedir } from 'node:os';
import { join } from 'node:path';
import { TRANSCRIPT_HEAD_BYTES } from '@agent-console/shared/limits/transcripts';
import { filesBelow, openConversationFiles } from '../common/conversation-files.ts';
import { asCount, asFields, asList, asText, asTimestamp, type Fields } from '../common/fields.ts';
import type { ConversationSources, ConversationStore } from '../common/kind.ts';
import { headOf } from '../common/lines.ts';
import { readQuotaReset, resetOfEpoch } from '../common/quota.ts';
import {
  ANSWERED,
  blockTexts,
  commandReading,
  EMPTY_READING,
  failedWith,
  INTERRUPTED,
  type TranscriptMessage,
  type TranscriptReading,
  type TurnEnd,
  toolCallText,
} from '../common/transcript.ts';

/**
 * Matches a file with at least one entry that has an id. If a process dies early or power is lost, the file may lack
 * such an entry, and Claude Code (2.1.330) refuses to resume the conversation.
 */
const HAS_ENTRY = /^\{.*?"uuid":"[0-9a-f-]{36}"/m;
/**
 * Matches the first TRANSCRIPT_HEAD_BYTES of a file if they end within an entry with an id. The id follows the entry's
 * message. If the message contains images, even the first id may be beyond these bytes.
 */
const IS_CUT_IN_ENTRY = /(?:^|\n)\{"parentUuid":.*$/;

async function isResumable(path: string): Promise<boolean> {
  const head = await headOf(path);
  const isCut = Buffer.byteLength(head) >= TRANSCRIPT_HEAD_BYTES;
  return HAS_ENTRY.test(head) || (isCut && IS_CUT_IN_ENTRY.test(head));
}

/** Opens the conversations in `projects/<folder>/<id>.jsonl` (Claude Code 2.1.197 and 2.1.330). */
export function openClaudeCodeConversations({ environment }: ConversationSources): ConversationStore {
  const home = environment.HOME ?? homedir();
  const projects = join(environment.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'projects');
  return openConversationFiles({
    files: (nativeId) => filesBelow(projects, 1, (name) => name === `${nativeId}.jsonl`),
    readLine: readClaudeCodeLine,
    isResumable,
  });
}

/**
 * Text with the role `user` that nobody typed as a prompt: commands to Claude Code, and text that Claude Code added.
 */
const NOT_A_PROMPT =
  /^(?:<(?:command-|local-command|bash-|system-reminder|task-notification)|\[Request interrupted by user)/;

/**
 * Reads a line of a transcript. A response has one line for each of its blocks, all with the same message id and token
 * counts. Lines of subagents are marked as side chains and skipped.
 */
export function readClaudeCodeLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  if (entry.isSidechain === true || entry.isMeta === true) return EMPTY_READING;
  const message = asFields(entry.message);
  if (entry.type === 'user') return readCommand(entry, message) ?? readUserEntry(entry, message);
  if (entry.type === 'assistant') {
    const turnEnd = turnEndOf(entry, message);
    return { messages: messagesOf(entry, message, 'agent'), usage: usageOf(message), ...(turnEnd && { turnEnd }) };
  }
  if (entry.type === 'cost-state' && typeof entry.totalCostUSD === 'number') {
    // The entry contains the total cost so far and is written again after each turn. Tokens are 0 here, because they
    // are counted from the responses.
    const cost = { nativeId: `cost ${String(entry.startTime)}`, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    return { messages: [], usage: [{ ...cost, costUsd: entry.totalCostUSD, runningTotal: true }] };
  }
  return EMPTY_READING;
}

const SHELL = /^<bash-input>([\s\S]*)<\/bash-input>$/;
const COMMAND_NAME = /<command-name>\s*(\/[\s\S]*?)\s*<\/command-name>/;
const COMMAND_ARGUMENTS = /<command-args>\s*([\s\S]*?)\s*<\/command-args>/;
const INTERRUPTION = /^\[Request interrupted by user/;

/**
 * Reads a command as the user typed it, such as `/clear`; null if the line is not a command. If the command calls the
 * model, a later line contains the response.
 */
function readCommand(entry: Fields, { content }: Fields): TranscriptReading | null {
  const nativeId = asText(entry.uuid);
  if (typeof content !== 'string' || nativeId === null) return null;
  const [, shell] = SHELL.exec(content) ?? [];
  const [, name] = content.startsWith('<command-') ? (COMMAND_NAME.exec(content) ?? []) : [];
  const [, args = ''] = COMMAND_ARGUMENTS.exec(content) ?? [];
  if (shell === undefined && name === undefined) return null;
  const text = shell === undefined ? `${name} ${args}`.trim() : `!${shell}`;
  return commandReading(nativeId, text, asTimestamp(entry.timestamp));
}

function readUserEntry(entry: Fields, message: Fields): TranscriptReading {
  const [first] = typeof message.content === 'string' ? [message.content] : asList(message.content);
  const text = typeof first === 'string' ? first : asText(asFields(first).text);
  const turnEnd = text !== null && INTERRUPTION.test(text) ? INTERRUPTED : null;
  return { messages: messagesOf(entry, message, 'user'), usage: [], ...(turnEnd && { turnEnd }) };
}

/**
 * Returns how the turn ended; null if this line does not end it. The line of a response's last block contains the stop
 * reason. A failed request is recorded as an error in place of a response.
 */
function turnEndOf(entry: Fields, message: Fields): TurnEnd | null {
  if (entry.isApiErrorMessage === true) {
    const error = blockTexts(asList(message.content)).join('\n') || null;
    return failedWith(error, quotaResetOf(entry, error));
  }
  return asText(message.stop_reason) === null || message.stop_reason === 'tool_use' ? null : ANSWERED;
}

/**
 * Returns the time at which the limit of a subscription is reset; null if the entry contains no such time. The entry
 * contains the limits as Anthropic's API reported them; in older versions, only the error's text contains a time.
 */
function quotaResetOf({ quotaLimits, timestamp }: Fields, error: string | null): string | null {
  const { status, resetsAt } = asFields(quotaLimits);
  if (status === 'rejected') return resetOfEpoch(resetsAt);
  return readQuotaReset(error, new Date(asTimestamp(timestamp) ?? Date.now()));
}

function messagesOf(entry: Fields, message: Fields, role: TranscriptMessage['role']): TranscriptMessage[] {
  const uuid = asText(entry.uuid);
  if (uuid === null) return [];
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : asList(message.content);
  const at = asTimestamp(entry.timestamp);
  return blocks.flatMap((block, index): TranscriptMessage[] => {
    const nativeId = index === 0 ? uuid : `${uuid}:${index}`;
    const { type, text, thinking, name, input } = asFields(block);
    if (type === 'text' && typeof text === 'string' && text !== '' && !(role === 'user' && NOT_A_PROMPT.test(text))) {
      return [{ nativeId, role, kind: 'text', text, at }];
    }
    if (type === 'thinking' && asText(thinking)) {
      return [{ nativeId, role, kind: 'thought', text: String(thinking), at }];
    }
    if (type === 'tool_use') return [{ nativeId, role, kind: 'toolCall', text: toolCallText(name, input), at }];
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

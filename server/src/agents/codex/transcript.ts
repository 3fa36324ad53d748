import { homedir } from 'node:os';
import { join } from 'node:path';
import { TRANSCRIPT_BASES_MAX } from '@agent-console/shared/limits/transcripts';
import type { ConversationTrace } from '../../ports/agents.ts';
import { type FilePart, filesBelow, openConversationFiles, wholeFile } from '../common/conversation-files.ts';
import { asCount, asFields, asList, asText, asTimestamp, type Fields, parseJson } from '../common/fields.ts';
import type { ConversationSources, ConversationStore } from '../common/kind.ts';
import { firstLine } from '../common/lines.ts';
import { readQuotaReset } from '../common/quota.ts';
import {
  ANSWERED,
  blockTexts,
  commandReading,
  EMPTY_READING,
  failedWith,
  INTERRUPTED,
  type TranscriptMessage,
  type TranscriptReading,
  toolCallText,
  turnEndReading,
} from '../common/transcript.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Opens the conversations in `sessions/Y/M/D/rollout-<time>-<id>.jsonl` (0.169.0). */
export function openCodexConversations({ environment }: ConversationSources): ConversationStore {
  const sessions = join(environment.CODEX_HOME || join(environment.HOME ?? homedir(), '.codex'), 'sessions');
  const files = (nativeId: string) =>
    filesBelow(sessions, 3, (name) => name.startsWith('rollout-') && name.endsWith(`-${nativeId}.jsonl`));

  /**
   * Returns the files of a conversation, oldest first. The file of a fork names the file that it continues, and the
   * byte at which it continues that file.
   */
  async function parts(nativeId: string): Promise<FilePart[]> {
    const [own] = await files(nativeId);
    if (own === undefined) return [];
    const found = [wholeFile(own)];
    for (let path = own; found.length <= TRANSCRIPT_BASES_MAX; ) {
      const base = readCodexHead(await firstLine(path))?.base ?? null;
      const [file] = base === null ? [] : await files(base.nativeId);
      if (base === null || file === undefined || found.some((part) => part.path === file)) break;
      found.unshift({ path: file, end: base.bytes });
      path = file;
    }
    return found;
  }

  async function find({ cwd, since }: ConversationTrace): Promise<string[]> {
    // The names of folders and files contain the local date, which may be one day before the UTC date of `since`.
    const earliest = new Date(Date.parse(since) - DAY_MS).toISOString().slice(0, 10);
    const isRecent = (name: string) => name.startsWith('rollout-') && name.slice('rollout-'.length) >= earliest;
    const ids: string[] = [];
    for (const file of await filesBelow(sessions, 3, isRecent)) {
      const head = readCodexHead(await firstLine(file));
      if (head !== null && head.cwd === cwd && head.startedAt >= since) ids.push(head.nativeId);
    }
    return ids;
  }

  return openConversationFiles({
    files,
    parts,
    find,
    readLine: readCodexLine,
    // A process that died early, or a loss of power, leaves an empty file, which Codex refuses to resume.
    isResumable: async (path) => readCodexHead(await firstLine(path)) !== null,
  });
}

/** Text with the role `user` that Codex itself sends to the model: its environment and its instructions. */
const NOT_A_PROMPT = /^<(?:environment_context|user_instructions|permissions|collaboration_mode|turn_aborted|skill)/;
const AGENTS_FILE = /^# AGENTS\.md instructions for /;

interface CodexHead {
  nativeId: string;
  cwd: string;
  startedAt: string;
  /**
   * Set in the file of a fork: the conversation that this file continues, and the number of bytes of that
   * conversation's file that belong to the fork. Otherwise null.
   */
  base: { nativeId: string; bytes: number } | null;
}

/** Reads the first line of a rollout file; null for other lines and for conversations of subagents. */
export function readCodexHead(line: string): CodexHead | null {
  const entry = asFields(parseJson(line));
  if (entry.type !== 'session_meta') return null;
  const { id, cwd, timestamp, source, history_base } = asFields(entry.payload);
  if (typeof id !== 'string' || typeof cwd !== 'string' || typeof timestamp !== 'string') return null;
  // In a subagent's conversation, `source` is an object that names the parent. In any other conversation, `source` is
  // the name of the client.
  if (typeof source === 'object' && source !== null) return null;
  const { thread_id: from, end_byte_offset: bytes } = asFields(history_base);
  const base = typeof from === 'string' && typeof bytes === 'number' ? { nativeId: from, bytes } : null;
  return { nativeId: id, cwd, startedAt: timestamp, base };
}

/** Reads a line of a rollout file: an item of the model's conversation, or an event such as the total of tokens. */
export function readCodexLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  const item = asFields(entry.payload);
  if (entry.type === 'event_msg') return readEvent(item, new Date(asTimestamp(entry.timestamp) ?? Date.now()));
  if (entry.type !== 'response_item') return EMPTY_READING;
  const at = asTimestamp(entry.timestamp);
  return readCommand(item, at) ?? { messages: messagesOf(item, at), usage: [] };
}

function readEvent(item: Fields, at: Date): TranscriptReading {
  switch (item.type) {
    case 'token_count':
      return { messages: [], usage: usageOf(item) };
    case 'task_complete': {
      const error = asText(asFields(item.error).message);
      const failed = item.error !== undefined && item.error !== null;
      return turnEndReading(failed ? failedWith(error, readQuotaReset(error, at)) : ANSWERED);
    }
    case 'turn_aborted':
      return turnEndReading(INTERRUPTED);
    default:
      return EMPTY_READING;
  }
}

const SHELL = /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>/;

/** Reads a shell command that the user typed after `!`. Codex records it with its output. Null for any other item. */
function readCommand(item: Fields, at: string | null): TranscriptReading | null {
  if (item.type !== 'message' || item.role !== 'user') return null;
  const [text] = blockTexts(asList(item.content));
  const [, typed] = SHELL.exec(text ?? '') ?? [];
  const nativeId = asText(item.id) ?? (at === null ? null : `at ${at}`);
  return typed === undefined || nativeId === null ? null : commandReading(nativeId, `!${typed}`, at);
}

function messagesOf(item: Fields, at: string | null): TranscriptMessage[] {
  const nativeId = asText(item.id) ?? asText(item.call_id) ?? (at === null ? null : `at ${at}`);
  if (nativeId === null) return [];
  switch (item.type) {
    case 'message': {
      if (item.role !== 'user' && item.role !== 'assistant') return [];
      const role = item.role === 'user' ? 'user' : 'agent';
      const text = blockTexts(asList(item.content))
        .filter((part) => role === 'agent' || !(NOT_A_PROMPT.test(part) || AGENTS_FILE.test(part)))
        .join('\n');
      return text === '' ? [] : [{ nativeId, role, kind: 'text', text, at }];
    }
    case 'reasoning': {
      const text = blockTexts(asList(item.summary)).join('\n');
      return text === '' ? [] : [{ nativeId, role: 'agent', kind: 'thought', text, at }];
    }
    case 'function_call':
    case 'custom_tool_call': {
      const text = toolCallText(item.name, item.arguments ?? item.input);
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

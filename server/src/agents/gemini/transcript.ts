import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ConversationTrace } from '../../ports/agents.ts';
import { filesBelow, openConversationFiles } from '../common/conversation-files.ts';
import { asCount, asFields, asList, asText, asTimestamp, type Fields, parseJson } from '../common/fields.ts';
import type { ConversationSources, ConversationStore } from '../common/kind.ts';
import { firstLine, headOf } from '../common/lines.ts';
import {
  blockTexts,
  failedWith,
  type TranscriptMessage,
  type TranscriptReading,
  toolCallText,
} from '../common/transcript.ts';

/**
 * Matches a file with at least one message. Gemini (0.61.0) refuses to resume a conversation whose process ended before
 * the first prompt.
 */
const HAS_MESSAGE = /^\{"id":"[^"]*",[^\n]*?"type":"(?:user|gemini)"/m;
const isResumable = async (path: string) => HAS_MESSAGE.test(await headOf(path));

/**
 * Opens the conversations in `tmp/<project>/chats/session-<time>-<8 digits of the id>.jsonl`. Each resume of a
 * conversation adds a file.
 */
export function openGeminiConversations({ environment }: ConversationSources): ConversationStore {
  const tmp = join(environment.GEMINI_CLI_HOME || (environment.HOME ?? homedir()), '.gemini', 'tmp');

  function isFileOf(nativeId: string): (name: string) => boolean {
    const end = `-${nativeId.slice(0, 8)}.jsonl`;
    return (name) => name.startsWith('session-') && name.endsWith(end);
  }

  /** Returns Gemini's folders for a working directory. The file `.project_root` in each folder names that directory. */
  async function projectFolders(cwd: string): Promise<string[]> {
    const found: string[] = [];
    for (const file of await filesBelow(tmp, 1, (name) => name === '.project_root')) {
      if ((await readFile(file, 'utf8').catch(() => '')).trim() === cwd) found.push(dirname(file));
    }
    return found;
  }

  async function find({ cwd, since }: ConversationTrace): Promise<string[]> {
    const ids = new Set<string>();
    for (const folder of await projectFolders(cwd)) {
      for (const file of await filesBelow(join(folder, 'chats'), 0, (name) => /^session-.*\.jsonl$/.test(name))) {
        const head = readGeminiHead(await firstLine(file));
        if (head !== null && head.startedAt >= since && (await isResumable(file))) ids.add(head.nativeId);
      }
    }
    return [...ids];
  }

  return openConversationFiles({
    files: (nativeId) => filesBelow(tmp, 2, isFileOf(nativeId)),
    async growing(nativeId, known) {
      const newest = known.at(-1);
      // Each resume of a conversation adds a file to the folder of the newest file, so only that folder is searched.
      return newest === undefined ? [] : filesBelow(dirname(newest), 0, isFileOf(nativeId));
    },
    find,
    readLine: readGeminiLine,
    isResumable,
  });
}

/**
 * Text with the role `user` that Gemini itself sends to the model: its context, added folders, and a note to the model
 * that it is in a loop.
 */
const NOT_A_PROMPT =
  /^(?:<(?:session_context|hook_context|untrusted_context)>|- \*\*Workspace Directories:\*\*|System: Potential loop detected\. Details: )/;
/** Matches `\@`: Gemini puts a backslash before a pasted `@` that names no file. */
const ESCAPED_AT = /(?<!\\)\\@/g;

/**
 * Reads a line of a transcript. When an entry grows, Gemini writes it again with the same id. A `$set` line repeats all
 * entries.
 */
export function readGeminiLine(line: unknown): TranscriptReading {
  const entry = asFields(line);
  const repeated = asList(asFields(entry.$set).messages);
  const entries = repeated.length > 0 ? repeated.map(asFields) : [entry];
  const error = entry.type === 'error' ? API_ERROR.exec(asText(entry.content) ?? '')?.[1] : undefined;
  return {
    messages: entries.flatMap(messagesOf),
    usage: entries.flatMap(usageOf),
    ...(error !== undefined && { turnEnd: failedWith(providerMessage(error)) }),
  };
}

/**
 * Matches an error that Gemini records in place of a response. Gemini records the errors of commands in other forms.
 */
const API_ERROR = /^\[API Error: ([\s\S]*)\]/;

/** Returns the provider's message if the error quotes the provider's response, otherwise the error itself. */
function providerMessage(error: string): string {
  const { message } = asFields(asFields(parseJson(error)).error);
  return asText(message) ?? error;
}

/** Reads the first line of a file: the conversation's id and start. Returns null for other files and for subagents. */
function readGeminiHead(line: string): { nativeId: string; startedAt: string } | null {
  const { sessionId, startTime, kind } = asFields(parseJson(line));
  const [nativeId, startedAt] = [asText(sessionId), asTimestamp(startTime)];
  const isMain = kind === undefined || kind === 'main';
  return nativeId === null || startedAt === null || !isMain ? null : { nativeId, startedAt };
}

function messagesOf(entry: Fields): TranscriptMessage[] {
  const id = asText(entry.id);
  if (id === null || (entry.type !== 'user' && entry.type !== 'gemini')) return [];
  const role = entry.type === 'user' ? 'user' : 'agent';
  const at = asTimestamp(entry.timestamp);
  const parts = typeof entry.content === 'string' ? [entry.content] : blockTexts(asList(entry.content));
  const joined = parts.filter((part) => part !== '' && (role === 'agent' || !NOT_A_PROMPT.test(part))).join('\n');
  const text = role === 'user' ? joined.replace(ESCAPED_AT, '@') : joined;
  const thoughts = asList(entry.thoughts)
    .map(asFields)
    .flatMap(({ subject, description }) => [subject, description].flatMap((part) => asText(part) ?? []).join(': '));
  const messages: TranscriptMessage[] = [];
  if (thoughts.length > 0) {
    messages.push({ nativeId: `${id}:thoughts`, role, kind: 'thought', text: thoughts.join('\n'), at });
  }
  if (text !== '') messages.push({ nativeId: id, role, kind: 'text', text, at });
  for (const call of asList(entry.toolCalls).map(asFields)) {
    const nativeId = asText(call.id);
    if (nativeId === null) continue;
    messages.push({ nativeId, role, kind: 'toolCall', text: toolCallText(call.name, call.args), at });
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

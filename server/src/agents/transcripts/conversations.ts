import { join } from 'node:path';
import type { Conversations, ConversationTrace } from '../../ports/agents.ts';
import { readCodexHead } from './codex.ts';
import {
  codexSessions,
  type Environment,
  type FileKind,
  filesBelow,
  geminiProjects,
  transcriptFiles,
} from './files.ts';
import { readGeminiHead } from './gemini.ts';
import { firstLine, headOf } from './lines.ts';
import { opencodeConversations } from './opencode.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Looks for conversations where the agents keep them; whatever cannot be read is not there. */
export function createConversations(environment: Environment): Conversations {
  return {
    async exists(kind, nativeId) {
      switch (kind) {
        case 'claude-code':
        case 'codex':
        case 'gemini':
          return isKeptRunning(kind, await transcriptFiles(kind, nativeId, environment));
        case 'opencode':
          return opencodeConversations(environment, { id: nativeId }).length > 0;
        default:
          return true;
      }
    },
    async find(kind, trace) {
      const found = await candidates(kind, trace, environment);
      const free = found.filter((id) => !trace.taken.has(id));
      return free.length === 1 ? (free[0] ?? null) : null;
    },
  };
}

async function candidates(kind: string, trace: ConversationTrace, environment: Environment): Promise<string[]> {
  if (kind === 'opencode') {
    return opencodeConversations(environment, { directory: trace.cwd, since: Date.parse(trace.since) });
  }
  if (kind === 'gemini') return geminiConversations(trace, environment);
  if (kind !== 'codex') return [];
  // The folders are named by the local day, which may be the one before.
  const earliest = new Date(Date.parse(trace.since) - DAY_MS).toISOString().slice(0, 10);
  const isRecent = (name: string) => name.startsWith('rollout-') && name.slice('rollout-'.length) >= earliest;
  const ids: string[] = [];
  for (const file of await filesBelow(codexSessions(environment), 3, isRecent)) {
    const head = readCodexHead(await firstLine(file));
    if (head !== null && head.cwd === trace.cwd && head.startedAt >= trace.since) ids.push(head.nativeId);
  }
  return ids;
}

async function geminiConversations(trace: ConversationTrace, environment: Environment): Promise<string[]> {
  const ids = new Set<string>();
  for (const folder of await geminiProjects(trace.cwd, environment)) {
    for (const file of await filesBelow(join(folder, 'chats'), 0, (name) => /^session-.*\.jsonl$/.test(name))) {
      const head = readGeminiHead(await firstLine(file));
      // One without a word of anybody was begun by a process that ended before its first prompt.
      if (head === null || head.startedAt < trace.since || !(await isKeptRunning('gemini', [file]))) continue;
      ids.add(head.nativeId);
    }
  }
  return [...ids];
}

/**
 * Whether an agent would take one of these files up. One that died early, or lost its power, leaves files that it then
 * refuses: empty ones (all three), in Claude Code (2.1.330) those without an entry that has an id of its own, and in
 * Gemini (0.61.0) those without a word of a person or of its own.
 */
async function isKeptRunning(kind: FileKind, files: readonly string[]): Promise<boolean> {
  for (const file of files) {
    if (kind === 'codex' ? readCodexHead(await firstLine(file)) !== null : TAKEN_UP[kind].test(await headOf(file))) {
      return true;
    }
  }
  return false;
}

const TAKEN_UP = {
  'claude-code': /^\{.*?"uuid":"[0-9a-f-]{36}"/m,
  gemini: /^\{"id":"[^"]*",[^\n]*?"type":"(?:user|gemini)"/m,
} as const;

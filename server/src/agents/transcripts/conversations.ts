import { open, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TRANSCRIPT_FOLDERS_MAX, TRANSCRIPT_HEAD_BYTES } from '@agent-console/shared/limits';
import type { Conversations, ConversationTrace } from '../../operations/ports/agents.ts';
import { readCodexHead } from './codex.ts';
import { opencodeConversations } from './opencode.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Looks for conversations where the agents keep them; whatever cannot be read is not there. */
export function createConversations(environment: Environment): Conversations {
  return {
    async exists(kind, nativeId) {
      switch (kind) {
        case 'claude-code':
        case 'codex':
        case 'gemini':
          return (await transcriptFiles(kind, nativeId, environment)).length > 0;
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

/** The files that hold a conversation, oldest first: Gemini begins another one at each resume. */
async function transcriptFiles(
  kind: 'claude-code' | 'codex' | 'gemini',
  nativeId: string,
  environment: Environment,
): Promise<string[]> {
  const home = environment.HOME ?? homedir();
  switch (kind) {
    case 'claude-code': {
      const projects = join(environment.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'projects');
      return filesBelow(projects, 1, (name) => name === `${nativeId}.jsonl`);
    }
    case 'codex': {
      const sessions = join(environment.CODEX_HOME ?? join(home, '.codex'), 'sessions');
      return filesBelow(sessions, 3, (name) => name.startsWith('rollout-') && name.endsWith(`-${nativeId}.jsonl`));
    }
    case 'gemini': {
      const projects = join(environment.GEMINI_CLI_HOME ?? home, '.gemini', 'tmp');
      const end = `-${nativeId.slice(0, 8)}.jsonl`;
      return filesBelow(projects, 2, (name) => name.startsWith('session-') && name.endsWith(end));
    }
  }
}

async function candidates(kind: string, trace: ConversationTrace, environment: Environment): Promise<string[]> {
  if (kind === 'opencode') {
    return opencodeConversations(environment, { directory: trace.cwd, since: Date.parse(trace.since) });
  }
  if (kind !== 'codex') return [];
  const sessions = join(environment.CODEX_HOME ?? join(environment.HOME ?? homedir(), '.codex'), 'sessions');
  // The folders are named by the local day, which may be the one before.
  const earliest = new Date(Date.parse(trace.since) - DAY_MS).toISOString().slice(0, 10);
  const isRecent = (name: string) => name.startsWith('rollout-') && name.slice('rollout-'.length) >= earliest;
  const ids: string[] = [];
  for (const file of await filesBelow(sessions, 3, isRecent)) {
    const head = readCodexHead(await firstLine(file));
    if (head !== null && head.cwd === trace.cwd && head.startedAt >= trace.since) ids.push(head.nativeId);
  }
  return ids;
}

/** Files exactly so many folders down, sorted by path. */
async function filesBelow(folder: string, depth: number, wanted: (name: string) => boolean): Promise<string[]> {
  let folders = [folder];
  for (let level = 0; level < depth; level++) {
    const next: string[] = [];
    for (const one of folders)
      next.push(...(await entries(one)).filter((e) => e.isDirectory()).map((e) => join(one, e.name)));
    // The newest names sort last where folders are dates.
    folders = next.sort().slice(-TRANSCRIPT_FOLDERS_MAX);
  }
  const files: string[] = [];
  for (const one of folders) {
    for (const entry of await entries(one)) if (entry.isFile() && wanted(entry.name)) files.push(join(one, entry.name));
  }
  return files.sort();
}

async function entries(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const buffer = Buffer.alloc(TRANSCRIPT_HEAD_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    const end = text.indexOf('\n');
    return end < 0 ? '' : text.slice(0, end);
  } finally {
    await handle.close();
  }
}

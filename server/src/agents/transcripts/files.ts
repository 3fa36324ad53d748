import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { TRANSCRIPT_FOLDERS_MAX } from '@agent-console/shared/limits';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Kinds that keep each conversation in files of its own. */
export type FileKind = 'claude-code' | 'codex' | 'gemini';

/** The files that hold a conversation, oldest first: Gemini begins another one at each resume. */
export async function transcriptFiles(kind: FileKind, nativeId: string, environment: Environment): Promise<string[]> {
  const home = environment.HOME ?? homedir();
  switch (kind) {
    case 'claude-code': {
      const projects = join(environment.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'projects');
      return filesBelow(projects, 1, (name) => name === `${nativeId}.jsonl`);
    }
    case 'codex':
      return filesBelow(
        codexSessions(environment),
        3,
        (name) => name.startsWith('rollout-') && name.endsWith(`-${nativeId}.jsonl`),
      );
    case 'gemini':
      return filesBelow(join(environment.GEMINI_CLI_HOME ?? home, '.gemini', 'tmp'), 2, isGeminiFile(nativeId));
  }
}

/** The files that an agent may have begun beside a known one of the same conversation, the known one among them. */
export async function filesBeside(kind: FileKind, nativeId: string, known: string): Promise<string[]> {
  return kind === 'gemini' ? filesBelow(dirname(known), 0, isGeminiFile(nativeId)) : [known];
}

function isGeminiFile(nativeId: string): (name: string) => boolean {
  const end = `-${nativeId.slice(0, 8)}.jsonl`;
  return (name) => name.startsWith('session-') && name.endsWith(end);
}

export function codexSessions(environment: Environment): string {
  return join(environment.CODEX_HOME ?? join(environment.HOME ?? homedir(), '.codex'), 'sessions');
}

/** Files exactly so many folders down, sorted by path. */
export async function filesBelow(folder: string, depth: number, wanted: (name: string) => boolean): Promise<string[]> {
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

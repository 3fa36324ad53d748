import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { TRANSCRIPT_FOLDERS_MAX } from '@agent-console/shared/limits/transcripts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Kinds that keep each conversation in files of its own. */
export type FileKind = 'claude-code' | 'codex' | 'gemini';

/** A file, and the bytes of it that belong to a conversation. */
export interface FilePart {
  path: string;
  end: number;
}

export const wholeFile = (path: string): FilePart => ({ path, end: Number.POSITIVE_INFINITY });

/** The files of a conversation's own, oldest first: Gemini begins another one at each resume. */
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
      return filesBelow(geminiTmp(environment), 2, isGeminiFile(nativeId));
  }
}

const geminiTmp = (environment: Environment) =>
  join(environment.GEMINI_CLI_HOME ?? environment.HOME ?? homedir(), '.gemini', 'tmp');

/** Where Gemini keeps what belongs to a folder; each such place has a file that names its folder. */
export async function geminiProjects(cwd: string, environment: Environment): Promise<string[]> {
  const roots = await filesBelow(geminiTmp(environment), 1, (name) => name === '.project_root');
  const found: string[] = [];
  for (const root of roots) {
    if ((await readFile(root, 'utf8').catch(() => '')).trim() === cwd) found.push(dirname(root));
  }
  return found;
}

/**
 * The files that an agent may have begun beside the known ones of a conversation, the newest known one among them; none
 * where no file of its own is known yet.
 */
export async function filesBeside(kind: FileKind, nativeId: string, known: readonly string[]): Promise<string[]> {
  const newest = known.findLast((path) => kind === 'gemini' || path.endsWith(`${nativeId}.jsonl`));
  if (newest === undefined) return [];
  return kind === 'gemini' ? filesBelow(dirname(newest), 0, isGeminiFile(nativeId)) : [newest];
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

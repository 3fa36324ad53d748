import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders that a variable moves: by what name relative to HOME, by which variable, and what of the name it stands for. */
const MOVED: readonly [folder: string, variable: string, standsFor: string][] = [
  ['.codex/', 'CODEX_HOME', '.codex/'],
  ['.claude/', 'CLAUDE_CONFIG_DIR', '.claude/'],
  ['.claude.json', 'CLAUDE_CONFIG_DIR', ''],
  ['.gemini/trustedFolders.json', 'GEMINI_CLI_TRUSTED_FOLDERS_PATH', '.gemini/trustedFolders.json'],
  ['.gemini', 'GEMINI_CLI_HOME', ''],
  ['.local/share/', 'XDG_DATA_HOME', '.local/share/'],
  ['.config/', 'XDG_CONFIG_HOME', '.config/'],
];

/** Where a file of the person lies that agents know by a name relative to HOME. */
export function personsPath(environment: Environment, name: string): string {
  for (const [folder, variable, standsFor] of MOVED) {
    const moved = environment[variable];
    if (moved && name.startsWith(folder)) return join(moved, name.slice(standsFor.length));
  }
  return join(environment.HOME ?? homedir(), name);
}

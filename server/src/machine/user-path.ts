import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Paths in HOME that an environment variable can move. The variable's value replaces the beginning `replaces` of the
 * path; if `replaces` is empty, the value is put before the path.
 */
const RELOCATABLE: readonly [name: string, variable: string, replaces: string][] = [
  ['.codex/', 'CODEX_HOME', '.codex/'],
  ['.claude/', 'CLAUDE_CONFIG_DIR', '.claude/'],
  ['.claude.json', 'CLAUDE_CONFIG_DIR', ''],
  ['.gemini/trustedFolders.json', 'GEMINI_CLI_TRUSTED_FOLDERS_PATH', '.gemini/trustedFolders.json'],
  ['.gemini', 'GEMINI_CLI_HOME', ''],
  ['.local/share/', 'XDG_DATA_HOME', '.local/share/'],
  ['.config/', 'XDG_CONFIG_HOME', '.config/'],
];

/**
 * Returns the absolute path of a user's file that is named relative to HOME. An environment variable may move the file
 * elsewhere.
 */
export function userPath(environment: Environment, name: string): string {
  for (const [prefix, variable, replaces] of RELOCATABLE) {
    const moved = environment[variable];
    if (moved && name.startsWith(prefix)) return join(moved, name.slice(replaces.length));
  }
  return join(environment.HOME ?? homedir(), name);
}

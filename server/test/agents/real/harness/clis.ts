import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The agents that are tried for real, by the id of their definition; each in its own folder of the cache. */
export const CLIS = {
  'claude-code': { name: 'Claude Code', folder: 'claude', program: 'claude' },
  codex: { name: 'Codex', folder: 'codex', program: 'codex' },
  gemini: { name: 'Gemini CLI', folder: 'gemini', program: 'gemini' },
  opencode: { name: 'opencode', folder: 'opencode', program: 'opencode' },
} as const;
export type CliId = keyof typeof CLIS;
export const CLI_IDS = Object.keys(CLIS) as CliId[];

const VERSION_MS = 60_000;

function programs(id: CliId): string {
  const cache = resolve(process.env.AGENT_CLIS ?? join(tmpdir(), 'agent-console-clis'));
  return join(cache, CLIS[id].folder, 'node_modules', '.bin');
}

/** A PATH on which the installed agents come first. */
export function agentPath(): string {
  return [...CLI_IDS.map(programs), dirname(process.execPath), process.env.PATH ?? ''].join(':');
}

/** What `--version` says, as three numbers; null where it is not installed or does not start. */
export function versionOf(id: CliId): string | null {
  const program = join(programs(id), CLIS[id].program);
  if (!existsSync(program)) return null;
  const home = mkdtempSync(join(tmpdir(), 'agent-version-'));
  try {
    const env = { PATH: agentPath(), HOME: home, TERM: 'dumb' };
    const { stdout, status } = spawnSync(program, ['--version'], { env, encoding: 'utf8', timeout: VERSION_MS });
    return status === 0 ? (/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null) : null;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

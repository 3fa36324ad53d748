import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Agents under test, by the id of their definition. Each is installed in its own folder of the cache. */
export const CLIS = {
  'claude-code': { name: 'Claude Code', folder: 'claude', program: 'claude' },
  codex: { name: 'Codex', folder: 'codex', program: 'codex' },
  gemini: { name: 'Gemini CLI', folder: 'gemini', program: 'gemini' },
  opencode: { name: 'opencode', folder: 'opencode', program: 'opencode' },
} as const;
export type CliId = keyof typeof CLIS;
export const CLI_IDS = Object.keys(CLIS) as CliId[];

/** The agents of `CLIS` over the Agent Client Protocol. The first two use an adapter, which contains the agent. */
export const ACP_AGENTS = {
  'claude-acp': { name: 'Claude Code (ACP)', folder: 'claude-acp', program: 'claude-agent-acp', cli: 'claude-code' },
  'codex-acp': { name: 'Codex (ACP)', folder: 'codex-acp', program: 'codex-acp', cli: 'codex' },
  'gemini-acp': { name: 'Gemini CLI (ACP)', folder: 'gemini', program: 'gemini', cli: 'gemini' },
  'opencode-acp': { name: 'opencode (ACP)', folder: 'opencode', program: 'opencode', cli: 'opencode' },
} as const satisfies Record<string, { name: string; folder: string; program: string; cli: CliId }>;
export type AcpId = keyof typeof ACP_AGENTS;
export const ACP_IDS = Object.keys(ACP_AGENTS) as AcpId[];

const ALL = { ...CLIS, ...ACP_AGENTS };
const VERSION_MS = 60_000;

function programs(id: CliId | AcpId): string {
  const cache = resolve(process.env.AGENT_CLIS ?? join(tmpdir(), 'agent-console-clis'));
  return join(cache, ALL[id].folder, 'node_modules', '.bin');
}

/** Returns a PATH on which the folders of the installed agents come first. */
export function agentPath(): string {
  const folders = new Set([...CLI_IDS, ...ACP_IDS].map(programs));
  return [...folders, dirname(process.execPath), process.env.PATH ?? ''].join(':');
}

/** Returns the version as three numbers, or null if the agent is not installed or does not start. */
export function versionOf(id: CliId | AcpId): string | null {
  const program = join(programs(id), ALL[id].program);
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

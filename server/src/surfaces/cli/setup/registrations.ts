import { join } from 'node:path';
import { insertMember, removeMember } from './json-edit.ts';
import { appendServer, hasServer } from './toml-edit.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const SETUP_AGENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
export type SetupAgent = (typeof SETUP_AGENTS)[number];

/** What setup did to one file, so that it can be undone to the byte. */
export interface Registration {
  agent: SetupAgent;
  file: string;
  url: string;
  /** The piece that was put in, as it was. */
  inserted: string;
  /** Whether the file was made for it. */
  created: boolean;
  /** Folders that were made for it, each before those inside it. */
  folders: string[];
  /** Whether the object that holds the servers was made for it. */
  ownContainer: boolean;
}

export type Step =
  | { action: 'add'; after: string; inserted: string; ownContainer: boolean }
  | { action: 'none'; why: string }
  | { action: 'refuse'; why: string };

/** How each agent is told of the console: by the bare address, since it is known there by its process. */
const JSON_ENTRY = {
  // Without a type the entry is skipped without a word.
  'claude-code': { container: 'mcpServers', entry: (url: string) => ({ type: 'http', url }) },
  gemini: { container: 'mcpServers', entry: (url: string) => ({ httpUrl: url, timeout: 180_000 }) },
  opencode: {
    container: 'mcp',
    entry: (url: string) => ({ type: 'remote', url, enabled: true, timeout: 180_000 }),
  },
} as const;
const SERVER = 'agent-console';

/** The programs by which it is seen that an agent is installed. */
export const PROGRAMS: Readonly<Record<SetupAgent, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
};

/** The files an agent reads of its user, the first of them being the one made where none exists. */
export function configFiles(agent: SetupAgent, env: Env, home: string): string[] {
  switch (agent) {
    case 'claude-code':
      return [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')];
    case 'codex':
      return [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')];
    case 'gemini':
      return [join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json')];
    case 'opencode': {
      const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
      return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
    }
  }
}

/** What to do to a file whose text this is; an absent one is the empty text. */
export function planRegistration(agent: SetupAgent, text: string, url: string): Step {
  if (text.includes('\ufffd')) return { action: 'refuse', why: 'it is no UTF-8 text' };
  if (agent === 'codex') {
    if (hasServer(text)) return { action: 'none', why: `it has a server "${SERVER}" already` };
    const edit = appendServer(text, url);
    if (edit === null) return { action: 'refuse', why: 'its servers are written in one line' };
    return { action: 'add', ...edit, ownContainer: true };
  }
  const { container, entry } = JSON_ENTRY[agent];
  const edit = insertMember(text, container, SERVER, entry(url));
  if (edit !== null) {
    const ownContainer = edit.inserted.includes(`"${container}"`);
    return { action: 'add', ...edit, ownContainer };
  }
  return new RegExp(`"${SERVER}"\\s*:`).test(text)
    ? { action: 'none', why: `it has a server "${SERVER}" already` }
    : { action: 'refuse', why: 'it is no JSON object that could be added to' };
}

/** The text without what setup put in; null where it is not there any more, undefined where that needs a person. */
export function planUndo(done: Registration, text: string): string | null | undefined {
  const first = text.indexOf(done.inserted);
  if (first >= 0 && text.indexOf(done.inserted, first + 1) < 0) {
    return text.slice(0, first) + text.slice(first + done.inserted.length);
  }
  if (done.agent === 'codex') return hasServer(text) ? undefined : null;
  // Its agent has written the file anew since, in its own format.
  const { container } = JSON_ENTRY[done.agent];
  const removed = removeMember(text, container, SERVER, done.ownContainer);
  return removed ?? (new RegExp(`"${SERVER}"\\s*:`).test(text) ? undefined : null);
}

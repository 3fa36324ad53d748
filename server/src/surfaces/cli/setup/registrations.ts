import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { AgentRegistration } from '../../../ports/agents.ts';
import { insertMember, removeMember } from './json-edit.ts';
import { appendServer, hasServer } from './toml-edit.ts';

/** Record of setup's change to a file, sufficient to undo it byte for byte. */
export interface Registration {
  agent: AgentKindName;
  file: string;
  url: string;
  /** The exact text that setup inserted into the file. */
  inserted: string;
  /** Whether setup created the file. */
  created: boolean;
  /**
   * Folders that setup created for the file and, in the first registration, for setup's own record; outermost first.
   */
  folders: string[];
  /** Whether setup created the JSON object that contains all MCP servers. Not used for TOML files. */
  ownContainer: boolean;
}

export type Step =
  | { action: 'add'; after: string; inserted: string; ownContainer: boolean }
  | { action: 'none'; why: string }
  | { action: 'refuse'; why: string };

type Entry = AgentRegistration['entry'];

const SERVER = 'agent-console';

/**
 * Plans how to register the console in an agent's configuration file. `text` is the content of the file, or empty if
 * the file does not exist.
 */
export function planRegistration(entry: Entry, text: string, url: string): Step {
  const present = { action: 'none', why: `the file already has an MCP server named "${SERVER}"` } as const;
  if (text.includes('\ufffd')) return { action: 'refuse', why: 'the file is not UTF-8 text' };
  if (entry.format === 'toml') {
    if (hasServer(text, entry.container)) return present;
    const edit = appendServer(text, entry.container, entry.values(url));
    if (edit === null)
      return { action: 'refuse', why: 'the file defines its MCP servers on one line, which setup cannot extend' };
    return { action: 'add', ...edit, ownContainer: true };
  }
  const { container, value } = entry;
  const edit = insertMember(text, container, SERVER, value(url));
  if (edit !== null) {
    const ownContainer = edit.inserted.includes(`"${container}"`);
    return { action: 'add', ...edit, ownContainer };
  }
  return hasMember(text) ? present : { action: 'refuse', why: 'the file is not a JSON object that setup can extend' };
}

/**
 * Returns the agent's configuration file without the part that setup inserted; null if the file does not define the
 * console's MCP server; undefined if only a person can remove the definition.
 */
export function planUndo(
  entry: Entry,
  { inserted, ownContainer }: Pick<Registration, 'inserted' | 'ownContainer'>,
  text: string,
): string | null | undefined {
  const first = text.indexOf(inserted);
  if (first >= 0 && text.indexOf(inserted, first + 1) < 0) {
    return text.slice(0, first) + text.slice(first + inserted.length);
  }
  if (entry.format === 'toml') return hasServer(text, entry.container) ? undefined : null;
  // The file no longer contains the inserted text unchanged, for example because an agent rewrote the file in its own
  // format. So the JSON member of the console's server is removed, whatever it contains.
  return removeMember(text, entry.container, SERVER, ownContainer) ?? (hasMember(text) ? undefined : null);
}

function hasMember(text: string): boolean {
  return new RegExp(`"${SERVER}"\\s*:`).test(text);
}

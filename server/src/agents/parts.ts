import { join } from 'node:path';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { EffectivePermission, StartRequest } from '../ports/agents.ts';

/** What several kinds need to plan a start. */

/** The command of a definition, else the kind's own program. */
export function commandOf(
  request: Pick<StartRequest, 'definition'>,
  program: string,
): { file: string; args: string[] } {
  const [file = program, ...args] = request.definition.command;
  return { file, args };
}

/** By what name the console's tools are known to every agent. */
export const SERVER_NAME = 'agent-console';

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A basic TOML string. */
export function tomlString(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** A mode by a table of what becomes of it, with a reason where that is another word. */
export function byTable(
  table: Readonly<Record<PermissionMode, PermissionMode>>,
  name: string,
): (requested: PermissionMode) => EffectivePermission {
  return (requested) => {
    const mode = table[requested];
    return { mode, note: mode === requested ? null : `${name} has no mode "${requested}"; "${mode}" is its nearest.` };
  };
}

/** The modes of agents that know: ask for everything, accept edits, ask for nothing. */
export const THREE_MODES: Readonly<Record<PermissionMode, PermissionMode>> = {
  default: 'default',
  ask: 'default',
  plan: 'default',
  acceptEdits: 'acceptEdits',
  auto: 'acceptEdits',
  'on-failure': 'acceptEdits',
  bypassPermissions: 'bypassPermissions',
  'allow-all': 'bypassPermissions',
};

/** What a program prints for `--help` has this option; false where its help is not known. */
export function takes(help: string | null, option: string): boolean {
  return help?.includes(option) ?? false;
}

/** The file of a plan in the worker's folder. */
export const inFolder = (request: Pick<StartRequest, 'folder'>, name: string): string => join(request.folder, name);

/** Names that a pattern finds in a configuration, each once; none of the console's own. */
export function variablesIn(text: string | undefined, pattern: RegExp): string[] {
  const names = [...(text ?? '').matchAll(pattern)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('AGENT_CONSOLE_'));
}

/** Ctrl-U empties one line only and Backspace then joins it to the one above; where nothing is left, both do nothing. */
export const CLEAR_LINES = `${'\x15\x7f'.repeat(60)}\x15`;

import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { EffectivePermission, StartRequest } from '../../ports/agents.ts';

/** Returns the command in the agent's definition. If the definition has none, returns the kind's own executable. */
export function commandOf(
  request: Pick<StartRequest, 'definition'>,
  program: string,
): { file: string; args: string[] } {
  const [file = program, ...args] = request.definition.command;
  return { file, args };
}

/**
 * Returns the command in an agent's definition, for kinds that have no executable of their own. @throws VALIDATION if
 * the definition contains no command.
 */
export function definedCommand(
  { definition }: Pick<StartRequest, 'definition'>,
  example: string,
): { file: string; args: string[] } {
  const [file, ...args] = definition.command;
  if (file) return { file, args };
  const message = `Agent ${definition.id} has no command; set one, e.g. ["my-agent", "${example}"]`;
  throw new ConsoleError('VALIDATION', message, { agentId: definition.id });
}

/** Name of the console's MCP server in every agent's configuration. */
export const SERVER_NAME = 'agent-console';

/** Quotes the text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes the text as a basic TOML string. */
export function tomlString(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/**
 * Returns a function that finds the effective mode for a requested permission mode in `table`. The function adds a note
 * if the two modes differ.
 */
export function permissionByTable(
  table: Readonly<Record<PermissionMode, PermissionMode>>,
  agent: string,
): (requested: PermissionMode) => EffectivePermission {
  return (requested) => {
    const mode = table[requested];
    return {
      mode,
      note:
        mode === requested
          ? null
          : `${agent} has no permission mode "${requested}". It runs in the closest mode, "${mode}".`,
    };
  };
}

/**
 * Maps the console's permission modes to the only three modes that some agents have: ask for everything, accept edits,
 * ask for nothing.
 */
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

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the id if it matches the pattern, so that it is safe as an argument or in a path. @throws VALIDATION
 * otherwise.
 */
export function requireNativeId(id: string | null, agent: string, pattern = UUID, expected = 'a UUID'): string {
  if (id !== null && pattern.test(id)) return id;
  const message = `${agent} requires ${expected} as conversation id, not ${JSON.stringify(id)}`;
  throw new ConsoleError('VALIDATION', message, { nativeId: id });
}

/** Whether a program's `--help` output mentions the option; false while its help is unknown. */
export function hasOption(help: string | null, option: string): boolean {
  return help?.includes(option) ?? false;
}

/** Returns the absolute path of a start plan's file in the worker's folder. */
export const inFolder = (request: Pick<StartRequest, 'folder'>, name: string): string => join(request.folder, name);

/**
 * Returns the variable names that the pattern's first group matches in the text, without duplicates and without the
 * console's own variables.
 */
export function variablesIn(text: string | undefined, pattern: RegExp): string[] {
  const names = [...(text ?? '').matchAll(pattern)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('AGENT_CONSOLE_'));
}

/**
 * Keys that clear an input of up to 61 lines. Ctrl-U clears a line, and Backspace joins it to the line above. On an
 * empty input, neither does anything.
 */
export const CLEAR_LINES = `${'\x15\x7f'.repeat(60)}\x15`;

import type { ToolKind } from '@agent-console/shared/models/tool-kind';

/** State of a tool call; `unknown` if the agent reported none of the other states. */
export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'unknown';

export type ToolContent =
  | { type: 'diff'; path: string; oldText: string | null; newText: string }
  /** A change that was too large to be stored. */
  | { type: 'unstoredDiff'; path: string }
  | { type: 'text'; text: string }
  /** `ended` is the last output of a removed terminal, and how its process ended; null if the terminal still exists. */
  | { type: 'terminal'; workerId: string; ended: EndedTerminal | null };

export interface EndedTerminal {
  output: string;
  truncated: boolean;
  /** How the terminal's process ended, e.g. `exit status 1`; empty if unknown. */
  end: string;
}

export interface ToolCall {
  kind: ToolKind;
  status: ToolStatus;
  /** Name of the tool; empty if `title` already describes the whole call. */
  tool: string;
  title: string;
  /**
   * Paths of the files of the call, relative to the session's folder where possible, with `:line` if the agent reports
   * a line.
   */
  files: readonly string[];
  content: readonly ToolContent[];
  input: string;
  output: string;
  /** Whether a part of the call was too large to be stored. */
  isCut: boolean;
}

/** Removes the session's folder from the paths in a text. */
export function shorten(text: string, cwd: string): string {
  const folder = cwd.replace(/\/+$/, '');
  if (folder === '') return text;
  return text.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
}

/**
 * Returns the shell command in a call's input; undefined if the input contains none. Agents write the command as text
 * or as a list of arguments.
 */
export function commandOf(input: unknown): string | undefined {
  const { command, cmd } = asFields(input);
  const value = command ?? cmd;
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  // In a list such as ["bash", "-lc", "npm test"], the third entry is the command.
  return String((/^-\w*c$/.test(String(value[1])) ? value[2] : undefined) ?? value.join(' '));
}

/** Returns the fields of an unknown value; an empty object if the value is not an object. */
export function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * Formats a value: the fields of a flat object as lines `name: value`, any other value as JSON. Returns an empty text
 * for null, undefined and an empty object.
 */
export function fieldsText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(asFields(value));
  if (Array.isArray(value) || fields.some(([, each]) => typeof each === 'object' && each !== null)) {
    return JSON.stringify(value, null, 2);
  }
  return fields.length === 0 ? '' : fields.map(([name, each]) => `${name}: ${each}`).join('\n');
}

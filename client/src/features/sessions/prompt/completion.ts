/** The text before the caret that can be completed: a slash command at the start of the prompt, or a file name. */
export interface CompletionToken {
  kind: 'command' | 'file';
  /** The part of the token after `/` or `@`. */
  query: string;
  /** Position of the token's `/` or `@` in the prompt. */
  start: number;
  end: number;
}

/** Returns the token that ends at the caret; undefined if there is none. */
export function tokenAt(text: string, caret: number): CompletionToken | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command !== null) return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  const file = /(?:^|[\s([{"'])@([^\s@]*)$/.exec(before);
  const query = file?.[1];
  return query === undefined ? undefined : { kind: 'file', query, start: caret - query.length - 1, end: caret };
}

/** Replaces the token with a value and a space. Returns the new text and the new position of the caret. */
export function complete(
  text: string,
  { start, end }: CompletionToken,
  value: string,
): { text: string; caret: number } {
  const rest = text.slice(end);
  const inserted = /^\s/.test(rest) ? value : `${value} `;
  return { text: text.slice(0, start) + inserted + rest, caret: start + value.length + 1 };
}

export interface SlashCommand {
  name: string;
  description: string;
  hint: string | null;
}

/** Returns the commands whose name contains the query. Those that begin with the query come first. */
export function matchingCommands(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const wanted = query.toLowerCase();
  const rank = ({ name }: SlashCommand) => name.toLowerCase().indexOf(wanted);
  return commands.filter((command) => rank(command) >= 0).sort((a, b) => Math.min(rank(a), 1) - Math.min(rank(b), 1));
}

/** This module finds the console's MCP server in a TOML file, or appends it as a table. */

const SERVER = 'agent-console';
const quoted = (name: string) => `["']?${name}["']?`;

/**
 * Whether the file already defines the console's MCP server with a table header or a key at the start of a line. Inline
 * tables are not searched.
 */
export function hasServer(text: string, container: string): boolean {
  const table = new RegExp(`^[ \\t]*\\[[ \\t]*${container}[ \\t]*\\.[ \\t]*${quoted(SERVER)}[ \\t]*[\\].]`, 'm');
  const dotted = new RegExp(`^[ \\t]*(?:${container}[ \\t]*\\.[ \\t]*)?${quoted(SERVER)}[ \\t]*[.=]`, 'm');
  return table.test(text) || dotted.test(text);
}

/**
 * Appends a table for the console's server. Returns null if the server already exists, or if the file defines all
 * servers as one inline value, to which no table can be added.
 */
export function appendServer(
  text: string,
  container: string,
  values: readonly string[],
): { after: string; inserted: string } | null {
  const inline = new RegExp(`^[ \\t]*${container}[ \\t]*=`, 'm');
  if (hasServer(text, container) || inline.test(text)) return null;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = [`[${container}.${SERVER}]`, ...values, ''];
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  const inserted = gap + lines.join(newline);
  return { after: text + inserted, inserted };
}

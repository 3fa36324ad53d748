/** Edits of a TOML file that only ever add or take away one table at its end. */

const TABLE = /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?agent-console["']?[ \t]*[\].]/m;
const DOTTED = /^[ \t]*(?:mcp_servers[ \t]*\.[ \t]*)?["']?agent-console["']?[ \t]*[.=]/m;
const INLINE = /^[ \t]*mcp_servers[ \t]*=/m;

/** Whether the file speaks of the console's server already, in whatever way. */
export function hasServer(text: string): boolean {
  return TABLE.test(text) || DOTTED.test(text);
}

/** The text with a table for the console's server, and the piece put in; null where one cannot be appended. */
export function appendServer(text: string, url: string): { after: string; inserted: string } | null {
  if (hasServer(text) || INLINE.test(text)) return null;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = ['[mcp_servers.agent-console]', `url = ${JSON.stringify(url)}`, 'tool_timeout_sec = 180', ''];
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  const inserted = gap + lines.join(newline);
  return { after: text + inserted, inserted };
}

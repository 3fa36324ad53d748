import type { ToolKind } from '@agent-console/shared/models/tool-kind';

const NAMES: Record<ToolKind, string | undefined> = {
  read: 'Read a file',
  edit: 'Change a file',
  delete: 'Delete a file',
  move: 'Move a file',
  search: 'Search',
  execute: 'Run a command',
  think: 'Think',
  fetch: 'Fetch from the network',
  switch_mode: "Change the agent's mode",
  other: undefined,
};

/**
 * Returns the heading of a question about a tool. Returns undefined if the question is about no tool, if the tool is of
 * the kind `other`, or if the text already names the tool. For agents over ACP, `tool` is the kind of the tool, such as
 * `fetch`; for other agents, its name.
 */
export function toolHeading({ tool, text }: { tool: string | null; text: string }): string | undefined {
  if (tool === null || text.toLowerCase().includes(tool.toLowerCase())) return undefined;
  const names: Readonly<Record<string, string | undefined>> = NAMES;
  return Object.hasOwn(names, tool) ? names[tool] : tool;
}

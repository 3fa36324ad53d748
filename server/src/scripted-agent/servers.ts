import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const Config = v.object({ mcpServers: v.record(v.string(), v.object({ type: v.string() })) });

/** The other MCP servers in a configuration file, as `<name> (<transport>)`. Rejects for a file that is none. */
export async function givenServers(file: string): Promise<string[]> {
  const { mcpServers } = v.parse(Config, JSON.parse(await readFile(file, 'utf8')));
  return Object.entries(mcpServers).map(([name, { type }]) => `${name} (${type})`);
}

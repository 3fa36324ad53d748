import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { killServer } from './support/kill.ts';
import { type McpClient, type Update, WAYS } from './support/mcp.ts';
import { type AgentHandle, startRoot } from './support/root.ts';

let c: TestConsole;
let root: AgentHandle;
const open: McpClient[] = [];

beforeAll(async () => {
  c = await startConsole();
  root = await startRoot(c);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => c.close());

// HTTP with the 2026 protocol is left out: a restarted server does not know what clients watched, so each client has to
// reconnect and watch again.
describe.each(['HTTP, 2025', 'stdio, 2025', 'stdio, 2026'] as const)('by %s', (way) => {
  it('resources watched before the server was killed are still watched afterwards', async () => {
    const mcp = await WAYS[way](`${c.baseUrl}/mcp`, root.token);
    open.push(mcp);
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const uri = `agor://session/${id}`;
    const told: Update[] = [];
    await mcp.watch(uri, (update) => told.push(update));
    await killServer(c);
    await c.until('word that it may have changed meanwhile', async () => told.length > 0);
    await c.client.call('sessions.update', { sessionId: id, title: 'later' });
    await c.until('the update', async () =>
      told.some(({ events }) => events.some(({ type }) => type === 'session.updated')),
    );
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../../src/agents/kinds.ts';
import { liveAgent } from './hands.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';
import { openWorld, type World } from './world.ts';

const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });
const ECHO = fileURLToPath(new URL('./harness/echo-server.mjs', import.meta.url));

/** Text with placeholders and special characters that agents, shells or their configuration files would interpret. */
const HARD = "{env:HOME} {file:/etc/hostname} it's %41 $ $$";
const SECRET = `sesame $HOME \x24{HOME} ${HARD}`;
const HEADER = `barley ${HARD}`;

const steps: readonly Step[] = [
  { when: 'please echo', not: ' says ', text: 'I will.', tool: { name: 'echo_secret' } },
  { when: 'stdio says ', not: 'http says ', text: 'One more.', tool: { name: 'echo_header' } },
];

/** Starts an MCP server over HTTP with one tool, which returns the header `X-Secret` of the call. */
async function startHeaderServer(): Promise<{ url: string; close(): void }> {
  const listener = getRequestListener((request) => {
    const handler = createMcpHandler(() => {
      const mcp = new McpServer({ name: 'header', version: '1.0.0' });
      mcp.registerTool('echo_header', { description: 'Says what it was told' }, () => ({
        content: [{ type: 'text', text: `http says ${request.headers.get('x-secret')}.` }],
      }));
      return mcp;
    });
    return handler.fetch(request);
  });
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns arguments and environments of a process and its descendants, except for those of the MCP server. */
function shownBy(pid: number): string {
  const read = (id: string, name: string) => {
    try {
      return readFileSync(`/proc/${id}/${name}`, 'utf8');
    } catch {
      return '';
    }
  };
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((id) => [id, /\) \S (\d+)/.exec(read(id, 'stat'))?.[1] ?? '']),
  );
  const isBelow = (id: string | undefined): boolean =>
    id === String(pid) || (id !== undefined && isBelow(parents.get(id)));
  return [...parents.keys()]
    .filter((id) => isBelow(id) && !read(id, 'cmdline').includes(ECHO))
    .map((id) => read(id, 'cmdline') + read(id, 'environ'))
    .join('\n');
}

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);
  const { mcpTransports } = kindOf(agentId);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    let other: Awaited<ReturnType<typeof startHeaderServer>>;
    beforeAll(async () => {
      other = await startHeaderServer();
      w = await openWorld(steps);
    });
    afterEach(() => w.stopAgents());
    afterAll(async () => {
      await w.close();
      other.close();
    });

    it('has the tools of other MCP servers, which receive their private values unchanged', async () => {
      const add = (fields: object) =>
        w.c.client.call('mcpServers.create', fields as Parameters<typeof w.c.client.call<'mcpServers.create'>>[1]);
      const echo = { name: 'echo', transport: 'stdio', command: process.execPath, args: [ECHO] };
      const made = [
        await add({ ...echo, env: { ECHO_SECRET: SECRET } }),
        await add({ name: 'header', transport: 'http', url: other.url, headers: { 'X-Secret': HEADER } }),
      ];
      const takesSse = mcpTransports.includes('sse');
      if (takesSse) made.push(await add({ name: 'again', transport: 'sse', url: `${w.c.baseUrl}/sse` }));
      const { id: sessionId } = await w.c.client.call('sessions.create', {
        cwd: w.c.repository.path,
        agentId,
        permissionMode: 'default',
        initialPrompt: 'please echo',
        mcpServerIds: made.map(({ id }) => id),
      });
      const answer = (text: string) =>
        w.until(text, async () => {
          const worker = await liveAgent(w, sessionId);
          const [request] = w.heard(text);
          if (request === undefined && worker !== undefined) await w.allow(agentId, worker.id);
          return request;
        });
      const first = await answer('stdio says ');
      expect(first.last).toContain(`stdio says ${SECRET}.`);
      const second = await answer('http says ');
      expect(second.last).toContain(`http says ${HEADER}.`);
      if (takesSse) expect(second.raw).toMatch(/again_+list_sessions/);

      const worker = await liveAgent(w, sessionId);
      expect(worker?.warnings.join()).not.toContain('MCP');
      const shown = shownBy(worker?.pid ?? 0);
      expect(shown).toContain(CLIS[agentId].program);
      expect(shown).not.toContain('sesame');
      // Codex reads headers only from environment variables, so its environment contains their values. The commands
      // that Codex runs get these variables without values.
      if (agentId !== 'codex') expect(shown).not.toContain('barley');
    });
  });
}

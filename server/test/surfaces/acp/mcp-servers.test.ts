import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import { filesWith } from '../../support/files-with.ts';
import type { OpenProgram } from '../../support/memory-runner/programs.ts';
import { editorsOf } from './editors.ts';

/** The MCP servers offered to the agent `noting`, for each conversation that it opened. */
const offered: { name: string; type?: string; env?: object[]; headers?: object[] }[][] = [];

/** An agent that supports MCP servers of all transports, and records those that it is offered. */
const noting: OpenProgram = ({ print, ended }) => ({
  input(data) {
    for (const line of data.toString().trim().split('\n')) {
      const { id, method, params } = JSON.parse(line);
      const answers: Record<string, object> = {
        initialize: {
          protocolVersion: 1,
          agentCapabilities: {
            loadSession: true,
            mcpCapabilities: { http: true, sse: true },
            sessionCapabilities: { resume: {} },
          },
        },
        'session/new': { sessionId: 'noting' },
        'session/prompt': { stopReason: 'end_turn' },
      };
      if (params?.mcpServers !== undefined) offered.push(params.mcpServers);
      if (id !== undefined) print(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} })}\n`);
    }
  },
  signal: (signal) => ended({ exitCode: null, signal }),
  stop() {},
});

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { noting } });
  const path = join(c.folder, 'noting');
  writeFileSync(path, '', { mode: 0o755 });
  await c.client.call('agents.create', { id: 'noting', name: 'Noting', command: [path], driver: 'acp' });
});
afterAll(() => c.close());

const { get, finished } = sessionsOf(() => c);
const { open, prompt } = editorsOf(() => c);

describe('the MCP servers of an editor', () => {
  const secrets = ['secret-of-env', 'secret-of-header', 'secret-of-sse', 'secret-argument'];
  const servers: McpServer[] = [
    {
      name: 'My Files',
      command: '/bin/files',
      args: ['--key', 'secret-argument'],
      env: [{ name: 'KEY', value: 'secret-of-env' }],
    },
    {
      type: 'http',
      name: 'remote',
      url: 'http://127.0.0.1:1/mcp',
      headers: [{ name: 'Authorization', value: 'secret-of-header' }],
    },
    { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers: [{ name: 'X-Key', value: 'secret-of-sse' }] },
    { name: 'agent-console', command: '/bin/agent-console', args: [], env: [] },
  ];
  const namesOffered = () => offered.at(-1)?.map(({ name }) => name);

  it('reach the agent, and their secrets are only in private files, which are deleted with its process', async () => {
    const editor = await open({ agentId: 'noting' });
    const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: servers });
    await prompt(editor, sessionId, 'Hello');
    expect(namesOffered()).toEqual(['agent-console', 'my-files', 'remote', 'old']);
    expect(offered.at(-1)?.[2]?.headers).toEqual([{ name: 'Authorization', value: 'secret-of-header' }]);
    for (const secret of secrets) {
      const files = filesWith(c.home, secret);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(file).toMatch(/\/(private|workers\/[^/]+\/process)\//);
    }
    await c.client.call('sessions.stop', { sessionId });
    await c.until('their end', () => secrets.every((secret) => filesWith(c.home, secret).length === 0));

    // If the editor sends a prompt, the console offers the editor's MCP servers to the agent again.
    await prompt(editor, sessionId, 'Hello');
    expect(namesOffered()).toEqual(['agent-console', 'my-files', 'remote', 'old']);
    const withServers = (await get(sessionId)).workers.find(({ state }) => state === 'running');
    expect(withServers?.warnings).toEqual([]);
    await c.client.call('sessions.stop', { sessionId });

    // If another client sends a prompt, the agent starts without the editor's MCP servers, and has a warning.
    await c.client.call('sessions.prompt', { sessionId, prompt: 'Hello' });
    await finished(sessionId);
    expect(namesOffered()).toEqual(['agent-console']);
    const without = (await get(sessionId)).workers.find(({ state }) => state === 'running');
    expect(without?.warnings).toEqual([
      expect.stringContaining("without the editor's MCP servers my-files, remote, old"),
    ]);
  });

  it('reach an agent in a terminal', async () => {
    const editor = await open({ agentId: 'scripted' });
    const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: servers });
    await prompt(editor, sessionId, '@servers');
    for (const name of ['my-files', 'remote', 'old']) expect(editor.said(sessionId)).toContain(name);
  });

  it('stay with the agent when its permission mode changes', async () => {
    const editor = await open({ agentId: 'noting' });
    const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: servers });
    await prompt(editor, sessionId, 'Hello');
    const before = offered.length;
    await c.client.call('sessions.update', { sessionId, permissionMode: 'plan' });
    await c.client.call('sessions.prompt', { sessionId, prompt: 'Hello' });
    await finished(sessionId);
    expect(offered.length).toBe(before + 1);
    expect(namesOffered()).toEqual(['agent-console', 'my-files', 'remote', 'old']);
    await c.restart();
    expect(filesWith(c.home, 'secret-of-env').length).toBeGreaterThan(0);
  });
});

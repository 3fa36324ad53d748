import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { agentEnvironment } from './harness/home.ts';
import { openWorld, type World } from './world.ts';

const CLI = fileURLToPath(new URL('../../../bin/agent-console.js', import.meta.url));

/** Command with which each agent connects to its MCP servers. Codex connects only in a conversation. */
const COMMANDS: Readonly<Record<CliId, string>> = {
  'claude-code': 'claude mcp list',
  codex: 'codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "please look around"',
  gemini: 'gemini mcp list',
  opencode: 'opencode mcp list',
};

let w: World;

/** Runs a command as a custom agent in a session of the console, and returns its output. */
async function inTerminal(command: string, name: string): Promise<string> {
  const out = join(w.c.folder, `${name}.out`);
  const script = join(w.c.folder, `${name}.sh`);
  const lines = ['#!/bin/sh', `cd '${w.c.repository.path}'`, `${command} > '${out}.new' 2>&1 < /dev/null`];
  writeFileSync(script, `${[...lines, `mv '${out}.new' '${out}'`].join('\n')}\n`, { mode: 0o755 });
  const env = Object.keys(agentEnvironment(w.model.url)).filter((variable) => variable !== 'PATH');
  await w.c.client.call('agents.create', { id: `runs-${name}`, name, command: [script], env });
  const session = await w.c.client.call('sessions.create', { cwd: w.c.folder, agentId: `runs-${name}` });
  await w.c.client.call('workers.create', { sessionId: session.id, type: 'agent' });
  return w.until(command, async () => existsSync(out) && readFileSync(out, 'utf8'));
}

/** Registers the console in the configurations of all agents, with `agent-console setup`. */
function registerRepository(): Promise<void> {
  const env = { ...w.c.env, ...agentEnvironment(w.model.url) };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CLI, 'setup', '--url', w.c.baseUrl], { env }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}

/**
 * Also adds the console to Claude Code's MCP servers over stdio and SSE, because `setup` registers it only over HTTP.
 */
function addOtherWays(): void {
  const file = join(w.c.env.HOME ?? '', '.claude.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, object> };
  config.mcpServers['by-stdio'] = { type: 'stdio', command: process.execPath, args: [CLI, 'mcp', 'serve'] };
  config.mcpServers['by-sse'] = { type: 'sse', url: `${w.c.baseUrl}/sse` };
  writeFileSync(file, JSON.stringify(config));
}

describe('after `setup`', () => {
  beforeAll(async () => {
    w = await openWorld([{ when: 'please look around', tool: { name: 'list_sessions', input: {} } }]);
    await registerRepository();
    if (versionOf('claude-code') !== null) addOtherWays();
  });
  afterAll(() => w.close());

  for (const agentId of CLI_IDS) {
    const version = versionOf(agentId);
    if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

    it.skipIf(version === null)(`${CLIS[agentId].name} connects to the console`, async () => {
      const printed = await inTerminal(COMMANDS[agentId], agentId);
      if (agentId === 'codex') {
        const [asked] = w.model.requests.filter((request) => request.last.includes('please look around'));
        expect(asked?.raw, printed).toContain('list_sessions');
        expect(w.heard('"sessions"').length, printed).toBeGreaterThan(0);
        return;
      }
      const names = agentId === 'claude-code' ? ['agent-console', 'by-stdio', 'by-sse'] : ['agent-console'];
      for (const name of names) {
        const line = printed.split('\n').find((each) => each.includes(name)) ?? '';
        expect(line.toLowerCase(), printed).toContain('connected');
        expect(line.toLowerCase(), printed).not.toMatch(/disconnected|not connected|failed/);
      }
    });
  }
});

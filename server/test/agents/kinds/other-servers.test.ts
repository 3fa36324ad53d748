import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionMcpServer, StartPlan } from '../../../src/ports/agents.ts';
import { after, fresh, INSTALLED_KINDS, kinds, OTHER, request } from './request.ts';

const FOLDER = '/console/workers/w/process';
const KEY = `a$HOME 'quoted' "value"`;
const TOKEN = 'Bearer sesame';
const servers: SessionMcpServer[] = [
  { name: 'files', transport: 'stdio', command: ['npx', '-y', 'it s', `it's $HOME`], env: { KEY } },
  {
    name: 'wiki',
    transport: 'http',
    url: 'https://wiki.example/mcp',
    headers: { Authorization: TOKEN, 'X-Team': 'a' },
  },
  { name: 'old', transport: 'sse', url: 'https://old.example/sse', headers: {} },
];
const starter = { command: '/bin/sh', args: [`${FOLDER}/servers/files.sh`] };
const parse = (text: string | undefined) => JSON.parse(text ?? 'null');

/**
 * Returns the start plan of a kind of agent for a session with those MCP servers of `servers` whose transport the kind
 * supports.
 */
function planned(kind: Parameters<typeof kinds>[0], changes = {}): StartPlan {
  const { mcpTransports, start } = kinds(kind);
  const taken = servers.filter(({ transport }) => mcpTransports.includes(transport));
  const nativeId = kind === 'opencode' ? 'ses_abc' : OTHER;
  return start(request(kind === 'opencode' ? { mode: 'resume', nativeId } : fresh, { servers: taken, ...changes }));
}

/** Returns the part of a start plan that any local program can read while the process runs. */
const shown = ({ file, args }: StartPlan) => JSON.stringify([file, args]);

describe.each([...INSTALLED_KINDS, 'scripted' as const])('%s', (kind) => {
  it('has no private value among its arguments', () => {
    const plan = planned(kind);
    expect(shown(plan)).not.toMatch(/sesame|quoted/);
    expect(JSON.stringify(plan.files)).toMatch(/quoted/);
  });
});

describe('the script that starts a stdio server', () => {
  it('passes arguments and variables to the program unchanged', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-starter-'));
    try {
      const file = join(folder, 'start.sh');
      const print = 'process.stdout.write(JSON.stringify([process.env.KEY, ...process.argv.slice(1)]))';
      const command = [process.execPath, '-e', print, '--', '-y', 'it s', `it's $HOME`];
      const { files } = planned('scripted', { servers: [{ ...servers[0], command }] });
      writeFileSync(file, files['servers/files.sh'] ?? '');
      expect(JSON.parse(execFileSync('/bin/sh', [file]).toString())).toEqual([KEY, '-y', 'it s', `it's $HOME`]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('other servers', () => {
  it('are next to the server of the console in the file that Claude Code reads', () => {
    expect(parse(planned('claude-code').files['mcp.json']).mcpServers).toEqual({
      files: { type: 'stdio', ...starter },
      wiki: { type: 'http', url: 'https://wiki.example/mcp', headers: { Authorization: TOKEN, 'X-Team': 'a' } },
      old: { type: 'sse', url: 'https://old.example/sse', headers: {} },
      'agent-console': expect.objectContaining({ url: 'http://127.0.0.1:3457/mcp' }),
    });
  });

  it('reach Codex as settings, with their headers in variables that are empty for its commands', () => {
    const { args, env } = planned('codex');
    const settings = Object.fromEntries(after(args, '-c').map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    expect(settings).toMatchObject({
      'mcp_servers.files.command': '"/bin/sh"',
      'mcp_servers.files.args': `["${FOLDER}/servers/files.sh"]`,
      'mcp_servers.wiki.url': '"https://wiki.example/mcp"',
      'mcp_servers.wiki.env_http_headers':
        '{"Authorization"="AGENT_CONSOLE_MCP_HEADER_WIKI_0","X-Team"="AGENT_CONSOLE_MCP_HEADER_WIKI_1"}',
      'shell_environment_policy.set.AGENT_CONSOLE_MCP_HEADER_WIKI_0': '""',
      'shell_environment_policy.set.AGENT_CONSOLE_MCP_HEADER_WIKI_1': '""',
    });
    expect(env).toMatchObject({ AGENT_CONSOLE_MCP_HEADER_WIKI_0: TOKEN, AGENT_CONSOLE_MCP_HEADER_WIKI_1: 'a' });
    expect(kinds('codex').mcpTransports).not.toContain('sse');
  });

  it("are next to the user's own servers in Gemini's settings, and none replaces the server of the console", () => {
    const theirs = { wiki: { command: 'theirs' }, mine: { command: 'mine' }, 'agent-console': { command: 'fake' } };
    const userFiles = { '.gemini/settings.json': JSON.stringify({ mcpServers: theirs }) };
    const { files } = planned('gemini', { userFiles });
    expect(parse(files['home/.gemini/settings.json']).mcpServers).toEqual({
      mine: { command: 'mine' },
      files: starter,
      wiki: { httpUrl: 'https://wiki.example/mcp', headers: { Authorization: TOKEN, 'X-Team': 'a' } },
      old: { url: 'https://old.example/sse', type: 'sse', headers: {} },
      'agent-console': expect.objectContaining({ httpUrl: 'http://127.0.0.1:3457/mcp' }),
    });
  });

  it('reach opencode with their headers in files, since its commands inherit its configuration', () => {
    const { env, files } = planned('opencode');
    expect(JSON.stringify(env)).not.toMatch(/sesame|quoted/);
    expect(parse(env.OPENCODE_CONFIG_CONTENT).mcp).toMatchObject({
      files: { type: 'local', command: ['/bin/sh', `${FOLDER}/servers/files.sh`], enabled: true },
      wiki: {
        type: 'remote',
        url: 'https://wiki.example/mcp',
        headers: {
          Authorization: `{file:${FOLDER}/servers/wiki.header-0}`,
          'X-Team': `{file:${FOLDER}/servers/wiki.header-1}`,
        },
      },
      old: { type: 'remote', headers: {} },
      'agent-console': { url: 'http://127.0.0.1:3457/mcp' },
    });
    expect(files).toMatchObject({ 'servers/wiki.header-0': TOKEN, 'servers/wiki.header-1': 'a' });
  });

  it.each([
    ['[mcp_servers.wiki]\ncommand = "theirs"\n', 'console-wiki'],
    ['[mcp_servers]\n"wiki" = { command = "theirs" }\n', 'console-wiki'],
    ['mcp_servers."wiki".command = "theirs"\n', 'console-wiki'],
    ['[mcp_servers.wiki-two]\ncommand = "theirs"\n', 'wiki'],
  ])('get another name if Codex would merge them with a server of the user: %j', (config, key) => {
    const { args } = planned('codex', { userFiles: { '.codex/config.toml': config } });
    expect(after(args, '-c')).toContain(`mcp_servers.${key}.url="https://wiki.example/mcp"`);
  });

  it('get another name if opencode would merge them with a server of the user', () => {
    const config = JSON.stringify({ mcp: { wiki: { type: 'local', command: ['theirs'] } } });
    const { env } = planned('opencode', { userFiles: { '.config/opencode/opencode.json': config } });
    expect(Object.keys(parse(env.OPENCODE_CONFIG_CONTENT).mcp)).toEqual([
      'files',
      'console-wiki',
      'old',
      'agent-console',
    ]);
  });

  it('cannot be given to a custom command', () => {
    expect(kinds('custom').mcpTransports).toEqual([]);
  });
});

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contractOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, stored } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import {
  asWorker,
  openTools,
  refusal,
  refusalsOf,
  runCommand,
  send,
  type ToolClient,
  tokenOf,
} from '../support/calling.ts';

const CANARY = 'canary-7f3a';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
let worktreeId: string;
let files: string;
let wiki: string;
let counter = 0;

const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};
const idle = (sessionId: string) =>
  c.client.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: 45 }).then(() => undefined);
const create = (mcpServerIds: string[], agentId = 'scripted') =>
  c.client.call('sessions.create', { worktreeId, agentId, mcpServerIds });
const count = async () => (await c.client.call('sessions.list', { worktreeId })).total;

/** Returns the MCP servers that a session's agent reports. Starts the agent if necessary. */
async function servers(sessionId: string): Promise<string | undefined> {
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@servers' });
  return c.until('the servers', async () => {
    const { data } = await c.client.call('sessions.messages', { sessionId });
    const words = data.filter((one) => one.taskId === taskId && one.role === 'agent');
    return (words[0]?.parts as { text: string }[] | undefined)?.[0]?.text;
  });
}

async function agentOf(sessionId: string) {
  const { workers } = await c.client.call('sessions.get', { sessionId });
  const worker = workers.findLast(({ type }) => type === 'agent');
  if (worker === undefined) throw new Error('the session has no agent');
  return worker;
}

/** Returns the content of a file. Empty if the file was deleted after it was listed. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function holding(text: string): string[] {
  return readdirSync(c.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path).includes(text))
    .map((path) => relative(c.home, path))
    .sort();
}

beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { delegationChildren: 100, liveSessions: 100 });
  const prompt = '@say ready';
  own = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: 'own',
    prompt,
  });
  await idle(own.sessionId);
  tools = await openTools(c, tokenOf(c, own.workerId));
  worktreeId = (await c.client.call('sessions.get', { sessionId: own.sessionId })).worktreeId ?? '';
  const stdio = { name: 'files', transport: 'stdio', command: 'npx' } as const;
  const started = { args: ['-y', 'files'], env: { API_KEY: `${CANARY}-env` } };
  files = (await c.client.call('mcpServers.create', { ...stdio, ...started })).id;
  const http = { name: 'wiki', transport: 'http', url: 'https://wiki.example/mcp' } as const;
  const headers = { Authorization: `Bearer ${CANARY}-header` };
  wiki = (await c.client.call('mcpServers.create', { ...http, headers })).id;
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

describe('an MCP server for sessions', () => {
  it('accepts headers and variables also as a list of names and values', async () => {
    const listed = (name: string) => [{ name, value: `${CANARY}-listed` }];
    const path = '/mcp-servers';
    const http = { name: 'listed', transport: 'http', url: 'https://a.example', headers: listed('X-Key') };
    const stdio = { name: 'listed-program', transport: 'stdio', command: 'x', env: listed('API_KEY') };
    const made = [await send(c, 'POST', path, http), await send(c, 'POST', path, stdio)];
    expect(made).toMatchObject([
      { status: 201, body: { headers: ['X-Key'] } },
      { status: 201, body: { env: ['API_KEY'] } },
    ]);
    const more = [{ name: 'X-Key', value: null }, ...listed('X-Other')];
    const changed = await send(c, 'PATCH', `${path}/${made[0]?.body.id}`, { headers: more });
    expect(changed).toMatchObject({ status: 200, body: { headers: ['X-Other'] } });
    for (const { body } of made) await c.client.call('mcpServers.remove', { mcpServerId: String(body.id) });
  });

  it('is returned with the names of its values only, on every surface', async () => {
    const { data } = await c.client.call('mcpServers.list', {});
    expect(data).toEqual([
      expect.objectContaining({ id: files, command: 'npx', args: ['-y', 'files'], env: ['API_KEY'], url: null }),
      expect.objectContaining({ id: wiki, command: null, headers: ['Authorization'], url: 'https://wiki.example/mcp' }),
    ]);
    expect(await asWorker(c, own.workerId).call('mcpServers.get', { mcpServerId: files })).toEqual(data[0]);
    expect(await runCommand(c, contractOf('mcpServers.get'), { mcpServerId: wiki })).toEqual(data[1]);
  });

  it.each([
    [{ transport: 'stdio' }, /needs command/],
    [{ transport: 'stdio', command: 'x', url: 'https://a.example' }, /needs command/],
    [{ transport: 'http' }, /need url/],
    [{ transport: 'http', url: 'https://a.example', command: 'x' }, /need url/],
    [{ transport: 'sse', url: 'ftp://a.example' }, /^url: must begin with http/],
    [{ transport: 'http', url: `https://me:${CANARY}@a.example/mcp` }, /^url: .*headers/],
    [{ transport: 'http', url: 'https://a.example', headers: { A: `${CANARY}\n` } }, /^headers\.A: .*printable ASCII/],
    [{ transport: 'http', url: 'https://a.example', headers: { 'a b': 'x' } }, /name of a header/],
    [{ transport: 'http', url: 'https://a.example', headers: [`A: ${CANARY}`] }, /^headers.*list of/],
    [
      { transport: 'http', url: 'https://a.example', headers: [{ name: 'A', value: `${CANARY}\n` }] },
      /printable ASCII/,
    ],
    [
      {
        transport: 'http',
        url: 'https://a.example',
        headers: [
          { name: 'A', value: CANARY },
          { name: 'A', value: 'x' },
        ],
      },
      /^headers: must not contain the same name twice/,
    ],
    [{ transport: 'stdio', command: 'x', env: [`A=${CANARY}`] }, /^env.*list of/],
    [
      { transport: 'http', url: 'https://a.example', headers: { A: `${CANARY} \x24{HOME}` } },
      /^headers\.A: .*variable/,
    ],
    [{ transport: 'http', url: 'https://a.example', headers: { A: `${CANARY} $HOME` } }, /^headers\.A: .*variable/],
    [{ transport: 'sse', url: 'https://a.example/\x24HOME' }, /^url: .*variable/],
    [{ transport: 'http', url: 'https://a.example/{file:secret}' }, /^url: .*braces/],
    [{ transport: 'stdio', command: 'x', env: { 'A-B': 'x' } }, /environment variable/],
    [{ transport: 'stdio', command: 'x', env: CANARY }, /^env: must be an object/],
    [{ name: 'agent-console', transport: 'stdio', command: 'x' }, /own server/],
    [{ name: 'a_b', transport: 'stdio', command: 'x' }, /^name: .*lower-case/],
  ])('is rejected without any of its values in the error %#', async (fields, message) => {
    const answer = await send(c, 'POST', '/mcp-servers', { name: 'new', ...fields });
    const { error } = answer.body as { error: { code: string; message: string } };
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(message) });
    expect(JSON.stringify(answer.body)).not.toContain(CANARY);
    expect((await c.client.call('mcpServers.list', {})).total).toBe(2);
  });

  it('has a unique name, and is created by people and changed by its owner', async () => {
    const input = { name: 'wiki', transport: 'stdio', command: 'x', env: { A: 'taken-name' } } as const;
    expect(await refusal(c.client.call('mcpServers.create', input))).toMatchObject({ code: 'CONFLICT' });
    expect(holding('taken-name')).toEqual([]);
    const agent = asWorker(c, own.workerId);
    const refusals = await refusalsOf([
      agent.call('mcpServers.create', { ...input, name: 'mine' }),
      agent.call('mcpServers.update', { mcpServerId: wiki, url: 'https://evil.example' }),
      agent.call('mcpServers.remove', { mcpServerId: wiki }),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual(Array(3).fill('PERMISSION_DENIED'));
    const ann = await addPerson(c, 'Ann');
    const hers = await ann.client.call('mcpServers.create', { ...input, name: unique('hers') });
    expect(hers.ownerId).toBe(ann.id);
    const theft = ann.client.call('mcpServers.update', { mcpServerId: wiki, url: 'https://evil.example' });
    expect(await refusal(theft)).toMatchObject({ code: 'PERMISSION_DENIED' });
    await c.client.call('mcpServers.remove', { mcpServerId: hers.id });
  });
});

describe('a session', () => {
  it('gets its servers at creation, by an agent too, and returns them', async () => {
    const made = await tools.call('agor_sessions_create', {
      worktreeId,
      agenticTool: 'scripted',
      mcpServerIds: [files, wiki, wiki],
    });
    const shown = [
      { mcp_server_id: files, name: 'files', transport: 'stdio' },
      { mcp_server_id: wiki, name: 'wiki', transport: 'http' },
    ];
    expect(made.entity).toMatchObject({ mcp_servers: shown });
    const sessionId = String(made.entity_id);
    expect(await tools.call('agor_sessions_get', { sessionId })).toMatchObject({ mcp_servers: shown });
    expect(await servers(sessionId)).toBe('servers: files (stdio), wiki (http)');
    expect((await c.client.call('sessions.get', { sessionId })).mcpServers).toEqual([
      { id: files, name: 'files', transport: 'stdio' },
      { id: wiki, name: 'wiki', transport: 'http' },
    ]);
    expect(await servers((await create([])).id)).toBe('servers: none');
  });

  it('that is delegated gets the servers that the delegation names, and none of its parent', async () => {
    const { id } = await create([files]);
    const { id: workerId } = await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    const agent = await openTools(c, tokenOf(c, workerId));
    const delegate = (args: object) => agent.call('delegate_to_worktree', { prompt: '@say ready', ...args });
    const withWiki = await delegate({ mcpServerIds: [wiki] });
    const plain = await delegate({});
    const before = (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).total;
    expect(await refusal(delegate({ mcpServerIds: [UNKNOWN] }))).toMatchObject({ code: 'NOT_FOUND' });
    const codex = { prompt: 'x', agentId: 'plain-delegate', repositoryId: c.repository.id };
    await c.client.call('agents.create', { id: codex.agentId, name: 'Plain', command: ['sh'] });
    const unsupported = c.client.call('delegations.create', { ...codex, mcpServerIds: [files] });
    expect(await refusal(unsupported)).toMatchObject({ code: 'UNSUPPORTED' });
    expect((await c.client.call('worktrees.list', { repositoryId: c.repository.id })).total).toBe(before);
    expect(await servers(String(withWiki.sessionId))).toBe('servers: wiki (http)');
    expect(await servers(String(plain.sessionId))).toBe('servers: none');
    await agent.close();
  });

  it('has the servers that the call names which creates its worktree', async () => {
    const fields = { repositoryId: c.repository.id, mode: 'custom', agentId: 'scripted', wait: true } as const;
    const make = (branch: string, mcpServerIds: string[], autoStartSession = true) =>
      c.client.call('worktrees.create', { ...fields, branch, mcpServerIds, autoStartSession });
    const { worktree } = await make('with-wiki', [wiki]);
    const { data } = await c.client.call('sessions.list', { worktreeId: worktree?.id ?? '' });
    expect(await servers(data[0]?.id ?? '')).toBe('servers: wiki (http)');
    expect(await refusal(make('unknown-server', [UNKNOWN]))).toMatchObject({ code: 'NOT_FOUND' });
    const unused = { code: 'VALIDATION', details: { field: 'mcpServerIds' } };
    expect(await refusal(make('without-session', [wiki], false))).toMatchObject(unused);
    expect(c.git(['branch', '--list', 'unknown-server', 'without-session'])).toBe('');
  });

  it('is not created with an unknown server', async () => {
    const before = await count();
    expect(await refusal(create([files, UNKNOWN]))).toMatchObject({ code: 'NOT_FOUND' });
    const call = tools.call('agor_sessions_create', { worktreeId, agenticTool: 'scripted', mcpServerIds: [UNKNOWN] });
    expect(await refusal(call)).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(UNKNOWN) });
    expect(await count()).toBe(before);
  });

  it('is not created, forked or restarted for an agent that does not support its servers', async () => {
    const old = { name: unique('old'), transport: 'sse', url: 'https://old.example/sse' } as const;
    const sse = (await c.client.call('mcpServers.create', old)).id;
    await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['sh'] });
    await c.client.call('agents.create', { id: 'my-codex', name: 'Mine', command: ['sh'], kind: 'codex' });
    const { id: sessionId } = await create([files]);
    const before = await count();
    const refused = (call: Promise<unknown>) => refusal(call).then(({ code, message }) => `${code} ${message}`);
    expect(await refused(create([files], 'plain'))).toMatch(
      /^UNSUPPORTED .*files with transport stdio. It supports no MCP servers/,
    );
    expect(await refused(create([files, sse], 'my-codex'))).toMatch(
      /^UNSUPPORTED .*with transport sse. .* stdio and http/,
    );
    const child = c.client.call('sessions.spawn', { sessionId, agentId: 'plain', prompt: 'work' });
    expect(await refused(child)).toMatch(/^UNSUPPORTED/);
    expect(await count()).toBe(before);
    expect((await create([files, wiki], 'my-codex')).mcpServers).toHaveLength(2);
  });

  it('passes its servers on to forks and subsessions', async () => {
    const { id: sessionId } = await create([wiki]);
    expect(await servers(sessionId)).toBe('servers: wiki (http)');
    await idle(sessionId);
    for (const verb of ['fork', 'spawn'] as const) {
      const made = await c.client.call(`sessions.${verb}`, { sessionId, prompt: '@say begun' });
      expect(await servers(made.sessionId)).toBe('servers: wiki (http)');
    }
  });
});

describe('changes of a server', () => {
  it('take effect when the agent restarts, and a removal deletes its values', async () => {
    const secret = { A: `${CANARY}-old`, B: 'kept-b' };
    const given = { name: unique('tmp'), transport: 'stdio', command: 'x', env: secret } as const;
    const { id: mcpServerId } = await c.client.call('mcpServers.create', given);
    const { id: sessionId } = await create([mcpServerId]);
    const name = unique('renamed');
    expect(await servers(sessionId)).toContain(given.name);
    const worker = await agentOf(sessionId);
    const script = (workerId: string, server: string) =>
      readFileSync(join(c.home, 'workers', workerId, 'process', 'servers', `${server}.sh`), 'utf8');
    const changed = await c.client.call('mcpServers.update', { mcpServerId, name, env: { A: 'newer', C: 'c' } });
    expect(changed).toMatchObject({ name, command: 'x', env: ['A', 'B', 'C'] });
    expect(script(worker.id, given.name)).toContain(`${CANARY}-old`);
    await c.client.call('sessions.pause', { sessionId });
    await c.client.call('sessions.resume', { sessionId });
    expect(await servers(sessionId)).toBe(`servers: ${name} (stdio)`);
    expect(script((await agentOf(sessionId)).id, name)).toBe(
      "export A='newer'\nexport B='kept-b'\nexport C='c'\nexec 'x'\n",
    );
    expect(holding(`${CANARY}-old`)).toEqual([]);
    await c.client.call('mcpServers.update', { mcpServerId, env: { B: null } });
    const wrong = c.client.call('mcpServers.update', { mcpServerId, url: 'https://a.example' });
    expect(await refusal(wrong)).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/^url: /) });

    expect(await c.client.call('mcpServers.remove', { mcpServerId })).toMatchObject({ env: ['A', 'C'] });
    expect((await c.client.call('sessions.get', { sessionId })).mcpServers).toEqual([]);
    await c.client.call('sessions.pause', { sessionId });
    await c.client.call('sessions.resume', { sessionId });
    expect(await servers(sessionId)).toBe('servers: none');
    expect(holding('newer')).toEqual([]);
  });
});

describe('the values of a server', () => {
  it('are stored in their own files and those of running agents, and nowhere else', async () => {
    const { id: sessionId } = await create([files, wiki]);
    await servers(sessionId);
    await idle(sessionId);
    const { env, headers } = stored(c, `select env, headers from mcp_servers where name = 'files'`)[0] ?? {};
    expect([JSON.parse(String(env)), JSON.parse(String(headers))]).toEqual([{ API_KEY: expect.any(String) }, {}]);
    const host = holding(CANARY);
    expect(host.filter((path) => path.startsWith('private/'))).toHaveLength(2);
    const elsewhere = host.filter((path) => !/^private\/|^workers\/[^/]+\/process\/(mcp\.json|servers\/)/.test(path));
    expect(elsewhere).toEqual([]);
    const everything = [
      await send(c, 'GET', '/mcp-servers'),
      await send(c, 'GET', `/sessions/${sessionId}`),
      await send(c, 'GET', '/events?limit=500'),
      stored(c, 'select * from audit'),
      stored(c, 'select * from events'),
      stored(c, 'select * from idempotency'),
    ];
    expect(JSON.stringify(everything)).toContain('mcpServer.created');
    expect(JSON.stringify(everything)).not.toContain(CANARY);
    const started = c.runner.specOf((await agentOf(sessionId)).id);
    expect(started.args).toContain('--mcp-config');
    expect(JSON.stringify([started.args, started.env])).not.toContain(CANARY);
  });

  it('outlive the server, which deletes unused values and reports missing ones', async () => {
    const { id: sessionId } = await create([files, wiki]);
    const id = String(
      JSON.parse(String(stored(c, `select env from mcp_servers where name = 'files'`)[0]?.env)).API_KEY,
    );
    writeFileSync(join(c.home, 'private', 'left-over'), 'x', { mode: 0o600 });
    await c.restart();
    const kept = readFileSync(join(c.home, 'private', id), 'utf8');
    expect(readdirSync(join(c.home, 'private'))).not.toContain('left-over');
    rmSync(join(c.home, 'private', id));
    expect(await servers(sessionId)).toBe('servers: wiki (http)');
    expect((await agentOf(sessionId)).warnings).toEqual([expect.stringMatching(/without MCP server files.*API_KEY/)]);
    writeFileSync(join(c.home, 'private', id), kept, { mode: 0o600 });
  });
});

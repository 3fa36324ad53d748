import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contract, TOOLSETS, toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS, contractOf, type OperationName, type RequestOf } from '@agent-console/shared/operations/table';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { fieldsOf } from '../../src/surfaces/input.ts';
import { inputSchema, outputSchema } from '../../src/surfaces/json-schema.ts';
import { toolNamed } from '../../src/surfaces/mcp/tools.ts';
import {
  asWorker,
  openTools,
  type Refusal,
  refusal,
  runCommand,
  send,
  type ToolClient,
  tokenOf,
} from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

type Surface = 'rest' | 'mcp' | 'cli';
type Samples = { [N in OperationName]: () => RequestOf<N> | Promise<RequestOf<N>> };

let c: TestConsole;
let root: Awaited<ReturnType<typeof delegate>>;
let rootWorktree: string;
let rootClient: ConsoleClient;
let rootTools: ToolClient;
let counter = 0;

const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};

function delegate(prompt: string, by: ConsoleClient = c.client) {
  const fields = { repositoryId: c.repository.id, agentId: 'scripted', branch: unique('given'), prompt };
  return by.call('delegations.create', fields);
}

/** A session below the root's, which has no process yet; the root may do with it what it likes. */
async function child() {
  const { worktreeId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
  const made = await rootClient.call('sessions.create', { worktreeId: worktreeId ?? '', agentId: 'scripted' });
  return made.id;
}

/** A session below the root's that has done one prompt. */
async function finished() {
  const sessionId = await child();
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say done' });
  await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });
  return { sessionId, taskId };
}

/** A session that works on one prompt for longer than a test. */
async function busy() {
  const sessionId = await child();
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
  await c.until('a running prompt', async () => {
    const { data } = await c.client.call('sessions.workers', { sessionId });
    return data.at(-1)?.activityState === 'active';
  });
  return { sessionId, taskId };
}

async function queued() {
  const [running] = (await c.client.call('sessions.list', { status: 'running', limit: 1 })).data;
  const sessionId = running?.id ?? (await busy()).sessionId;
  return (await c.client.call('sessions.prompt', { sessionId, prompt: 'wait' })).taskId;
}

async function terminal() {
  return (await c.client.call('workers.create', { sessionId: root.sessionId, type: 'terminal' })).id;
}

async function ready(branch = unique('made')) {
  const { jobId } = await c.client.call('worktrees.create', { repositoryId: c.repository.id, mode: 'custom', branch });
  const job = await c.until('a worktree', async () => {
    const found = await c.client.call('jobs.get', { jobId });
    return found.state === 'succeeded' && found;
  });
  return { jobId, worktreeId: String(job.result?.worktreeId) };
}

/** A question that waits for an answer. */
async function question() {
  const sessionId = await child();
  await c.client.call('sessions.prompt', { sessionId, prompt: '@permission Bash npm test' });
  return c.until('a question', async () => (await c.client.call('approvals.list', { sessionId })).data[0]?.id);
}

async function ownAgent() {
  const id = unique('own');
  await c.client.call('agents.create', { id, name: 'Mine', command: ['sh'] });
  return id;
}

async function person() {
  return (await c.client.call('users.create', { username: unique('person') })).id;
}

async function board() {
  return (await c.client.call('boards.create', { name: unique('board') })).id;
}

async function zone() {
  return c.client.call('zones.create', { boardId: await board(), name: unique('zone') });
}

async function server() {
  const url = 'http://127.0.0.1:9/mcp';
  return (await c.client.call('mcpServers.create', { name: unique('server'), transport: 'http', url })).id;
}

/** Whom the root works for. */
async function owner() {
  return (await c.client.call('sessions.get', { sessionId: root.sessionId })).createdByUserId ?? '';
}

/** An input for every operation that works when it is run once; a name of the table without one does not compile. */
const SAMPLES: Samples = {
  'repositories.list': () => ({ limit: 1 }),
  'repositories.create': () => {
    const path = join(c.folder, unique('repo'));
    c.git(['clone', '--quiet', join(c.folder, 'shop'), path]);
    return { path, name: unique('clone') };
  },
  'repositories.get': () => ({ repositoryId: c.repository.id }),
  'repositories.update': () => ({ repositoryId: c.repository.id, checkCommand: 'true', cleanupCommand: null }),
  'repositories.remove': async () => ({ repositoryId: (await c.addRepository(unique('gone'))).id }),
  'repositories.branches': () => ({ repositoryId: c.repository.id, limit: 3 }),
  'worktrees.list': () => ({ repositoryId: c.repository.id, limit: 2 }),
  'worktrees.create': () => ({ repositoryId: c.repository.id, mode: 'custom', branch: unique('tree') }),
  'worktrees.get': async () => ({ worktreeId: (await ready()).worktreeId }),
  'worktrees.update': async () => ({ worktreeId: (await ready()).worktreeId, name: 'Renamed' }),
  'worktrees.remove': async () => ({ worktreeId: (await ready()).worktreeId, force: true }),
  'worktrees.restore': async () => {
    const { worktreeId } = await ready();
    await c.client.call('worktrees.remove', { worktreeId });
    return { worktreeId };
  },
  'worktrees.diff': async () => {
    const { worktreeId } = await ready();
    const { path } = await c.client.call('worktrees.get', { worktreeId });
    writeFileSync(join(path, 'readme.md'), '# changed\n');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    return { worktreeId };
  },
  'worktrees.files': async () => ({ worktreeId: (await ready()).worktreeId, limit: 5 }),
  'jobs.get': async () => ({ jobId: (await ready()).jobId }),
  'boards.list': () => ({ limit: 2 }),
  'boards.get': async () => ({ boardId: await board() }),
  'boards.create': () => ({ name: unique('board'), description: 'two\nlines' }),
  'boards.update': async () => ({ boardId: await board(), name: 'Grüße 🌍' }),
  'boards.duplicate': async () => ({ boardId: await board(), newName: unique('copy') }),
  'boards.remove': async () => ({ boardId: await board() }),
  'boards.sessions': async () => ({ boardId: await board(), limit: 2 }),
  'zones.create': async () => ({ boardId: await board(), name: 'Doing', color: '#10b981', x: -5, width: 300 }),
  'zones.update': async () => ({ zoneId: (await zone()).id, color: '#ffffff', height: 50 }),
  'zones.remove': async () => ({ zoneId: (await zone()).id }),
  'sessions.search': () => ({ query: 'say', limit: 2 }),
  'sessions.list': () => ({ limit: 2, live: true }),
  'sessions.create': () => ({ cwd: c.folder, agentId: 'scripted', title: 'Quick', permissionMode: 'plan' }),
  'sessions.get': () => ({ sessionId: root.sessionId }),
  'sessions.update': async () => ({ sessionId: await child(), title: 'Neu: Grüße 🌍', description: 'two\nlines' }),
  'sessions.remove': async () => ({ sessionId: await child() }),
  'sessions.prompt': async () => ({ sessionId: await child(), prompt: '@say hello' }),
  'sessions.fork': async () => ({ ...(await finished()), prompt: '@say other', title: 'Other' }),
  'sessions.spawn': async () => ({ ...(await finished()), prompt: '@report succeeded below', sync: true }),
  'sessions.genealogy': () => ({ sessionId: root.sessionId, depth: 1 }),
  'sessions.message': async () => ({ sessionId: await child(), message: '@say hello' }),
  'sessions.pause': async () => ({ sessionId: await child() }),
  'sessions.resume': async () => ({ sessionId: await child() }),
  'sessions.stop': async () => ({ sessionId: await child() }),
  'sessions.report': async () => ({
    sessionId: (await busy()).sessionId,
    outcome: 'failed',
    summary: 'could not',
    artifacts: ['a.txt', 'b.txt'],
  }),
  'sessions.wait': () => ({ sessionId: root.sessionId, until: 'finished', timeoutSeconds: 5 }),
  'sessions.output': () => ({ sessionId: root.sessionId, sinceOffset: 0, format: 'ansi', maxBytes: 200 }),
  'sessions.archive': async () => ({ sessionId: await child() }),
  'sessions.unarchive': async () => ({ sessionId: await child() }),
  'sessions.messages': () => ({ sessionId: root.sessionId }),
  'sessions.events': () => ({ sessionId: root.sessionId, after: 1, limit: 5 }),
  'sessions.notices': () => ({ sessionId: root.sessionId }),
  'sessions.workers': () => ({ sessionId: root.sessionId, limit: 1 }),
  'sessions.tasks': () => ({ sessionId: root.sessionId }),
  'workers.create': () => ({ sessionId: root.sessionId, type: 'git-diff' }),
  'workers.get': () => ({ workerId: root.workerId }),
  'workers.resources': () => ({ sessionId: root.sessionId, limit: 3 }),
  'workers.remove': async () => ({ workerId: await terminal() }),
  'workers.input': async () => ({ workerId: await terminal(), data: 'true\r', inputId: 'one' }),
  'workers.resize': async () => ({ workerId: await terminal(), cols: 90, rows: 20 }),
  'workers.restart': async () => {
    const workerId = await terminal();
    await c.client.call('workers.remove', { workerId });
    return { workerId };
  },
  'workers.output': () => ({ workerId: root.workerId, format: 'base64' }),
  'workers.screen': () => ({ workerId: root.workerId, scrollback: 10 }),
  'workers.correctActivity': async () => ({ workerId: await terminal(), activityState: 'idle' }),
  'tasks.list': () => ({ limit: 2 }),
  'tasks.get': () => ({ taskId: root.taskId }),
  'tasks.cancel': async () => ({ taskId: await queued() }),
  'tasks.move': async () => ({ taskId: await queued(), after: null, expectedVersion: 1 }),
  'tasks.sendNow': async () => {
    const sessionId = await child();
    const worker = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await c.client.call('workers.input', { workerId: worker.id, data: 'half a li' });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say hello' });
    await c.until('a held prompt', async () => (await c.client.call('tasks.get', { taskId })).blocked !== null);
    return { taskId };
  },
  'approvals.list': () => ({ sessionId: root.sessionId, state: 'answered' }),
  'approvals.get': async () => ({ approvalId: await question() }),
  'approvals.answer': async () => ({ approvalId: await question(), optionId: '1' }),
  'delegations.create': () => ({
    repositoryId: c.repository.id,
    agentId: 'scripted',
    prompt: '@report succeeded done',
  }),
  'delegations.list': () => ({ limit: 1 }),
  'delegations.get': () => ({ delegationId: root.delegationId }),
  'agents.list': () => ({}),
  'agents.create': () => ({ id: unique('agent'), name: 'Shell', command: ['sh', '-c', 'cat'], env: ['SOME_NAME'] }),
  'agents.get': () => ({ id: 'scripted' }),
  'agents.update': async () => ({ id: await ownAgent(), queueWhenUnknown: 'send' }),
  'agents.remove': async () => ({ id: await ownAgent() }),
  'agents.check': () => ({ id: 'scripted' }),
  'mcpServers.list': () => ({}),
  'mcpServers.create': () => ({ name: unique('server'), transport: 'stdio', command: 'cat', env: { KEY: 'value' } }),
  'mcpServers.get': async () => ({ mcpServerId: await server() }),
  'mcpServers.update': async () => ({ mcpServerId: await server(), headers: { 'X-Key': 'value' } }),
  'mcpServers.remove': async () => ({ mcpServerId: await server() }),
  'events.list': () => ({ after: 1, limit: 3 }),
  'users.list': () => ({ limit: 2 }),
  'users.current': () => ({}),
  'users.get': async () => ({ userId: await person() }),
  'users.create': () => ({
    username: 'Ann',
    email: `${unique('ann')}@example.com`,
    avatarUrl: 'https://example.com/a',
  }),
  'users.update': async () => ({ userId: await person(), username: 'Grüße 🌍', email: null }),
  'users.remove': async () => ({ userId: await person() }),
  'tokens.list': () => ({ limit: 2 }),
  'tokens.create': () => ({ name: 'mine', scopes: ['read'], expiresAt: '2100-01-01T00:00:00.000Z' }),
  'tokens.revoke': async () => ({ tokenId: (await c.client.call('tokens.create', { name: 'short' })).id }),
  'login.open': () => ({}),
  'login.redeem': async () => ({ code: (await c.client.call('login.open', {})).code }),
  'settings.get': () => ({}),
  'settings.update': () => ({ reminderSeconds: 61 }),
  'system.status': () => ({}),
};

/** Arguments of the tools whose input is not the operation's own. */
const TOOL_SAMPLES: Record<string, () => Promise<{ args: Record<string, unknown>; token?: string }>> = {
  agor_sessions_prompt: async () => {
    const { sessionId, taskId } = root;
    return { args: { sessionId, taskId, prompt: '@say hello', mode: 'subsession', agenticTool: 'scripted' } };
  },
  agor_worktrees_list: async () => ({ args: { repoId: c.repository.id, limit: 2 } }),
  agor_worktrees_create: async () => ({ args: { repoId: c.repository.id, branch: unique('tree'), name: 'Mine' } }),
  agor_worktrees_update: async () => {
    const { id: zoneId, boardId } = await zone();
    return { args: { worktreeId: rootWorktree, boardId, zoneId, x: 1, y: 2 } };
  },
  agor_boards_list: async () => ({ args: { ownerId: await owner(), limit: 2 } }),
  agor_boards_create: async () => ({ args: { name: unique('board'), ownerId: await owner() } }),
  agor_repos_get: async () => ({ args: { repoId: c.repository.id } }),
  agor_tasks_cancel: async () => {
    const sessionId = await child();
    await rootClient.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    return { args: { taskId: (await rootClient.call('sessions.prompt', { sessionId, prompt: 'wait' })).taskId } };
  },
  agor_sessions_search: async () => {
    const args = { worktreeId: rootWorktree, repositoryId: c.repository.id, boardId: await board() };
    return { args: { query: 'say', agent: 'scripted', ...args } };
  },
  agor_sessions_list: async () => ({ args: { agent: 'scripted', limit: 2 } }),
  agor_sessions_get_current: async () => ({ args: {} }),
  agor_sessions_create: async () => {
    const { worktreeId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
    return { args: { worktreeId, agenticTool: 'scripted', title: 'New', initialPrompt: '@say hello' } };
  },
  list_sessions: async () => ({ args: { limit: 2, skip: 1 } }),
  send_message_to_session: async () => {
    const sessionId = await child();
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    return { args: { sessionId, workerId, message: '@say hello' } };
  },
  agor_users_create: async () => {
    const { token } = await c.client.call('tokens.create', { name: 'admin', scopes: ['read', 'write', 'owner'] });
    return { args: { username: unique('person') }, token };
  },
  report_result: async () => {
    const { sessionId } = await busy();
    const [worker] = (await c.client.call('sessions.workers', { sessionId })).data;
    return { args: { outcome: 'succeeded', summary: 'done' }, token: tokenOf(c, worker?.id ?? '') };
  },
};

function takes(schema: Contract['input'], field: string): boolean {
  return field in (inputSchema(schema).properties as object);
}

function surfacesOf(contract: Contract): Surface[] {
  return ['rest', ...(toolsOf(contract).length > 0 ? ['mcp' as const] : []), ...(contract.cli ? ['cli' as const] : [])];
}

/** Calls an operation with an input it must refuse, and answers how, by surface. */
async function refusals(contract: Contract, input: Record<string, unknown>, worker = false) {
  const client = worker ? rootClient : c.client;
  const found: Partial<Record<Surface, Refusal>> = { rest: await refusal(client.run(contract, input)) };
  const { tool } = contract;
  if (tool !== undefined && Object.keys(input).every((field) => takes(tool.input ?? contract.input, field))) {
    found.mcp = await refusal(rootTools.call(tool.name, input));
  }
  if (contract.cli !== undefined) {
    found.cli = await refusal(runCommand(c, contract, input, worker ? tokenOf(c, root.workerId) : undefined));
  }
  return found;
}

beforeAll(async () => {
  c = await startConsole();
  await c.client.call('settings.update', { delegationChildren: 100, liveSessions: 500 });
  root = await delegate('@say one\n@say two');
  await c.client.call('sessions.wait', { sessionId: root.sessionId });
  rootWorktree = (await c.client.call('sessions.get', { sessionId: root.sessionId })).worktreeId ?? '';
  rootClient = asWorker(c, root.workerId);
  rootTools = await openTools(c, tokenOf(c, root.workerId));
});
afterAll(async () => {
  await rootTools.close();
  await c.close();
});

describe('the operation table', () => {
  it('gives every operation one name, route, tool and command of its own', () => {
    const unrepeated = (of: (contract: Contract) => string | undefined) => {
      const names = CONTRACTS.map(of).filter((name) => name !== undefined);
      expect(names).toEqual([...new Set(names)]);
      return names;
    };
    for (const name of unrepeated(({ name }) => name)) expect(name).toMatch(/^[a-z][a-zA-Z]*\.[a-zA-Z]+$/);
    unrepeated(({ rest }) => `${rest.method} ${rest.path.replace(/:\w+/g, ':')}`);
    unrepeated(({ cli }) => cli?.command);
    const tools = CONTRACTS.flatMap((contract) => toolsOf(contract).map(({ name }) => name));
    expect(tools).toEqual([...new Set(tools)]);
    for (const name of tools) expect(name).toMatch(/^[a-z0-9_]+$/);
  });

  it.each(CONTRACTS)('says in JSON Schema what $name takes and answers', (contract) => {
    const forms = [contract, ...toolsOf(contract)];
    for (const { input = contract.input, output = contract.output } of forms) {
      expect(inputSchema(input)).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(outputSchema(output)).length).toBeGreaterThan(0);
    }
    for (const { output = contract.output } of toolsOf(contract)) expect(outputSchema(output).type).toBe('object');
  });

  it('describes every argument of every tool, since agents decide by it', () => {
    for (const contract of CONTRACTS)
      for (const { name, input = contract.input } of toolsOf(contract)) {
        const { properties } = inputSchema(input) as { properties: Record<string, { description?: string }> };
        const silent = Object.entries(properties).filter(([, property]) => !property.description);
        expect(silent.map(([field]) => `${name} ${field}`)).toEqual([]);
      }
  });

  it('is listed as the same bytes by every client and each time, in sets that together are all', async () => {
    const list = async (query: string) => {
      const tools = await openTools(c, tokenOf(c, root.workerId), query);
      const bytes = [await tools.listTools(), await tools.listTools()].map((each) => JSON.stringify(each));
      await tools.close();
      expect(bytes[1]).toBe(bytes[0]);
      return bytes[0] ?? '';
    };
    const all = await list('?toolsets=all');
    expect(await list('?toolsets=all')).toBe(all);
    expect(await list('?toolsets=delegation,sessions')).toBe(await list(''));
    expect(await list(`?toolsets=${TOOLSETS.join()}`)).toBe(all);
    const own = CONTRACTS.flatMap((contract) =>
      contract.access === 'owner' ? [] : toolsOf(contract).map(({ name }) => name),
    );
    const { tools } = JSON.parse(all) as { tools: { name: string }[] };
    expect(own).toEqual(expect.arrayContaining(tools.map(({ name }) => name)));
    for (const { name } of tools) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });
});

/** Every list with the ids it needs, and enough rows to page through. */
describe('lists', () => {
  const ids: Record<string, unknown> = {};

  beforeAll(async () => {
    const { sessionId } = root;
    const { worktreeId, cwd } = await c.client.call('sessions.get', { sessionId });
    Object.assign(ids, { sessionId, worktreeId, repositoryId: c.repository.id, boardId: await board() });
    await c.client.call('worktrees.update', { worktreeId: worktreeId ?? '', boardId: String(ids.boardId) });
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(join(cwd, `${name}.txt`), name);
      c.git(['add', `${name}.txt`], cwd);
      await c.client.call('tokens.create', { name });
      await c.client.call('users.create', { username: name });
      await c.client.call('agents.create', { id: `agent-${name}`, name, command: ['sh'] });
      await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: name });
      await c.addRepository(`list-${name}`);
      await board();
      await server();
      await child();
      c.git(['worktree', 'add', '--quiet', '-b', `by-hand-${name}`, join(c.folder, `by-hand-${name}`)]);
      await c.client.call('workers.create', { sessionId, type: 'git-diff' });
      await question();
    }
    await delegate('@say hello');
    const made = await delegate('@report succeeded done', rootClient);
    const sender = asWorker(c, made.workerId);
    for (const message of ['one', 'two']) await sender.call('sessions.message', { sessionId, message });
    await c.until('delivered notices', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId });
      return data.length === 3 && data.every((notice) => notice.state === 'delivered');
    });
    await c.client.call('sessions.wait', { sessionId, until: 'idle' });
  });

  // What is measured anew at every look is compared within one look, below. A search has words, and tests of its own.
  const lists = CONTRACTS.filter(
    ({ name, output }) =>
      !['workers.resources', 'sessions.search'].includes(name) &&
      'total' in ((outputSchema(output).properties ?? {}) as object),
  );

  it.each(lists)('$name pages by limit and skip without gap or double', async (contract) => {
    const needed = Object.fromEntries(
      Object.entries(ids).filter(([field]) => contract.rest.path.includes(`:${field}`)),
    );
    type List = { total: number; limit: number; skip: number; data: unknown[] };
    const page = (fields: object) => c.client.run(contract, { ...needed, ...fields }) as Promise<List>;
    const whole = await page({ limit: 500 });
    expect(Object.keys(whole).sort()).toEqual(['data', 'limit', 'skip', 'total']);
    expect(whole.total).toBeGreaterThan(2);
    expect(whole).toMatchObject({ limit: 500, skip: 0 });
    expect(whole.data).toHaveLength(whole.total);
    expect(await page({})).toEqual({ ...whole, limit: 50, data: whole.data.slice(0, 50) });
    for (const limit of [1, 2]) {
      const rows: unknown[] = [];
      for (let skip = 0; skip < Math.min(whole.total, 12); skip += limit) {
        const part = await page({ limit, skip });
        expect(part).toMatchObject({ total: whole.total, limit, skip });
        rows.push(...part.data);
      }
      expect(rows).toEqual(whole.data.slice(0, rows.length));
    }
    expect(await page({ limit: 2, skip: whole.total })).toEqual({
      total: whole.total,
      limit: 2,
      skip: whole.total,
      data: [],
    });
  });

  it('workers.resources pages by limit and skip without gap or double what was seen at one look', async () => {
    const page = (limit: number, skip = 0) => c.client.call('workers.resources', { limit, skip });
    const looked = await c.until('pages of one look', async () => {
      const whole = await page(500);
      const parts = [await page(2), await page(2, 2), await page(2, whole.total)];
      const rows = [whole, ...parts].flatMap(({ data }) => data);
      return new Set(rows.map(({ resources }) => resources?.at)).size === 1 && { whole, parts };
    });
    const { whole, parts } = looked;
    expect(whole.total).toBeGreaterThan(2);
    expect(whole.data).toHaveLength(whole.total);
    expect(parts.map(({ total }) => total)).toEqual([whole.total, whole.total, whole.total]);
    expect(parts.map(({ data }) => data)).toEqual([whole.data.slice(0, 2), whole.data.slice(2, 4), []]);
  });

  it.each(['limit=0', 'limit=501', 'limit=1.5', 'limit=x', 'skip=-1', 'limit=1&limit=2'])(
    'refuse ?%s',
    async (query) => {
      expect(await send(c, 'GET', `/sessions?${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION' } },
      });
    },
  );
});

describe('ids', () => {
  it('say what is not found in the words of the contract', async () => {
    const { status, body } = await send(c, 'GET', '/sessions/0000a1b2');
    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'Session 0000a1b2 not found',
        details: { sessionId: '0000a1b2' },
        retryable: false,
      },
    });
  });

  it('may be cut to any beginning that only one of them has, on every surface', async () => {
    const sessionId = root.sessionId;
    const { data } = await c.client.call('sessions.list', { limit: 500 });
    const others = data.map(({ id }) => id).filter((id) => id !== sessionId);
    const length = [...sessionId].findIndex(
      (_, at) => at >= 7 && !others.some((id) => id.startsWith(sessionId.slice(0, at + 1))),
    );
    const prefix = sessionId.slice(0, length + 1);
    const get = contractOf('sessions.get');
    for (const id of [prefix, prefix.toUpperCase(), ` ${prefix} `]) {
      expect(await c.client.call('sessions.get', { sessionId: id })).toMatchObject({ id: sessionId });
    }
    expect(await runCommand(c, get, { sessionId: prefix })).toMatchObject({ id: sessionId });
    expect(await rootTools.call('get_session_status', { sessionId: prefix })).toMatchObject({ sessionId });
  });

  it('that begin two of them are refused with what they could be', async () => {
    const made = await Promise.all(
      ['first', 'second'].map((title) =>
        c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title }),
      ),
    );
    const [one = '', two = ''] = made.map(({ id }) => id);
    const same = [...one].findIndex((letter, at) => letter !== two[at]);
    expect(same).toBeGreaterThanOrEqual(8);
    const sessionId = one.slice(0, same);
    const error = await refusal(c.client.call('sessions.get', { sessionId }));
    expect(error).toMatchObject({
      code: 'AMBIGUOUS_ID',
      message: expect.stringContaining('"first"'),
      retryable: false,
    });
    const candidates = (error.details.candidates ?? []) as { id: string; title: string; ageSeconds: number }[];
    expect(candidates.map(({ id, title }) => [id, title])).toEqual(
      expect.arrayContaining([
        [one, 'first'],
        [two, 'second'],
      ]),
    );
    for (const { ageSeconds } of candidates) expect(ageSeconds).toBeGreaterThanOrEqual(0);
    for (const other of [
      await refusal(runCommand(c, contractOf('sessions.get'), { sessionId })),
      await refusal(rootTools.call('get_session_status', { sessionId })),
    ]) {
      expect(other).toMatchObject({ code: 'AMBIGUOUS_ID' });
      expect(Object.keys(other.details)).toEqual(['candidates']);
    }
  });
});

describe.each(CONTRACTS)('$name', (contract) => {
  const sample = SAMPLES[contract.name as OperationName];

  it.each(surfacesOf(contract))('answers over %s with what its output schema says', async (surface) => {
    if (surface === 'mcp') {
      for (const tool of toolsOf(contract)) {
        const own = await TOOL_SAMPLES[tool.name]?.();
        const tools = own?.token === undefined ? rootTools : await openTools(c, own.token);
        const answer = await tools.call(tool.name, own?.args ?? ((await sample()) as Record<string, unknown>));
        expect(v.parse(tool.output ?? contract.output, answer)).toEqual(answer);
        const schema = toolNamed(tool.name)?.definition.outputSchema;
        const ajv = new Ajv2020({ strict: false, validateFormats: false });
        const listed = ajv.compile(schema as Record<string, unknown>);
        expect(listed(answer) || listed.errors).toBe(true);
        if (tools !== rootTools) await tools.close();
      }
      return;
    }
    const input = (await sample()) as Record<string, unknown>;
    const answer = await (surface === 'cli' ? runCommand(c, contract, input) : c.client.run(contract, input));
    expect(v.parse(contract.output, answer)).toEqual(answer);
  });

  const ids = Object.entries(contract.ids ?? {}).filter(([field]) => field !== 'after');
  if (ids.length > 0)
    it('says NOT_FOUND and VALIDATION of an id alike on every surface', async () => {
      for (const [field, noun] of ids) {
        const several = fieldsOf(contract.input).get(field)?.kind === 'array';
        const as = (id: string) => (several ? [id] : id);
        const word = noun === 'mcpServer' ? 'MCP server' : noun;
        const input = { ...(await filler(contract)), [field]: as(UNKNOWN) };
        const wanted = {
          code: 'NOT_FOUND',
          message: `${word[0]?.toUpperCase()}${word.slice(1)} ${UNKNOWN} not found`,
          details: { [`${noun}Id`]: UNKNOWN },
          retryable: false,
        };
        const missing = await refusals(contract, input);
        for (const [surface, error] of Object.entries(missing))
          expect({ surface, ...error }).toEqual({ surface, ...wanted });
        const short = await refusals(contract, { ...input, [field]: as('abc') });
        const message = `${several ? `${field}.0` : field}: ${word} id: give at least 8 characters`;
        for (const [surface, error] of Object.entries(short)) {
          expect({ surface, ...error }).toMatchObject({
            surface,
            code: 'VALIDATION',
            message: expect.stringContaining(message),
          });
          expect(error).toEqual(short.rest);
        }
      }
    });

  const { tool } = contract;
  it('refuses a field it does not know by its name, on every surface', async () => {
    const input = { ...(await filler(contract)), bogusField: 'x' };
    const rest = await refusal(c.client.run(contract, input));
    expect(rest).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('bogusField') });
    if (tool !== undefined) {
      const schema = tool.input ?? contract.input;
      const args = Object.entries(input).filter(([field]) => field === 'bogusField' || takes(schema, field));
      const renamed = takes(schema, 'repoId') ? { repoId: c.repository.id } : {};
      expect(await refusal(rootTools.call(tool.name, { ...Object.fromEntries(args), ...renamed }))).toEqual(rest);
    }
    if (contract.cli !== undefined) {
      await expect(runCommand(c, contract, input)).rejects.toThrow(/unknown option '--bogus-field'/);
    }
  });

  const forPeople = contract.access === 'member' || contract.access === 'owner';
  if (forPeople)
    it('is refused to agents', async () => {
      const found = await refusals(contract, await filler(contract), true);
      expect(Object.keys(found)).toEqual(surfacesOf(contract));
      for (const [surface, error] of Object.entries(found)) {
        expect({ surface, ...error }).toEqual({
          surface,
          code: 'PERMISSION_DENIED',
          message: 'Only people may do this; ask the person you work for.',
          details: { operation: contract.name },
          retryable: false,
        });
      }
    });
});

/** The id of something that exists, where there is one at hand. */
function knownId(noun: string): string {
  const known: Record<string, string> = {
    session: root.sessionId,
    worker: root.workerId,
    task: root.taskId,
    repository: c.repository.id,
    worktree: rootWorktree,
    delegation: root.delegationId,
  };
  return known[noun] ?? UNKNOWN;
}

/** Fields that are valid by their types and name nothing that exists. */
async function filler(contract: Contract): Promise<Record<string, unknown>> {
  const { tool } = contract;
  const fill: Record<string, unknown> = {
    agentId: 'scripted',
    after: null,
    expectedVersion: 1,
    mode: 'continue',
    query: 'x',
    prompt: 'x',
    message: 'x',
    title: 'x',
    username: 'x',
    name: 'x',
    newName: 'x',
    branch: 'x',
    outcome: 'succeeded',
    summary: 'x',
    type: 'terminal',
    data: 'x',
    cols: 80,
    rows: 24,
    activityState: 'idle',
    optionId: 'x',
    id: 'nobody',
    command: ['sh'],
    code: 'x',
    path: '/nowhere',
    transport: 'http',
    url: 'https://nowhere.example',
  };
  if (contract.name === 'worktrees.create') fill.mode = 'custom';
  const required = (schema: Contract['input']) => (inputSchema(schema).required as string[] | undefined) ?? [];
  const fields = new Set([...required(contract.input), ...(tool?.input ? required(tool.input) : [])]);
  for (const [, field = ''] of contract.rest.path.matchAll(/:(\w+)/g)) fields.add(field);
  if (contract.name === 'sessions.update') fields.add('title');
  if (contract.name === 'users.update') fields.add('username');
  if (contract.name === 'mcpServers.create') fields.add('url');
  if (contract.name === 'sessions.create') fields.add('worktreeId');
  if (contract.name === 'repositories.create') fields.add('path');
  const ids = Object.keys(contract.ids ?? {});
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = ids.includes(field) && field !== 'after' ? root.sessionId : fill[field];
    // What a tool calls by another name is not filled in.
    if (value !== undefined) input[field] = value;
  }
  for (const [field, noun] of Object.entries(contract.ids ?? {})) {
    if (!fields.has(field) || field === 'after') continue;
    input[field] = knownId(noun);
  }
  return input;
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { type Contract, type Noun, toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import fc from 'fast-check';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools, type ToolClient } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { hostileInputs, type ValidValues } from './support/hostile-inputs.ts';
import { type AgentHandle, startRoot } from './support/root.ts';

/** Number of requests. `npm run test:long` sends the larger number, with a new random seed, which it prints. */
const REQUESTS = process.env.LONG ? 20_000 : 200;
const SEED = Number(process.env.SEED ?? (process.env.LONG ? Date.now() % 2 ** 31 : 1));
const AT_ONCE = 8;
/** Number of requests after which the valid ids are looked up again. */
const ROUND = 200;

let c: TestConsole;
let root: AgentHandle | undefined;
let tools: ToolClient | undefined;

let repositoryId: string;
const jobs: string[] = [];

beforeAll(async () => {
  console.log(`hostile inputs: ${REQUESTS} requests, SEED=${SEED}`);
  c = await startConsole();
});
afterAll(async () => {
  await tools?.close();
  await c.close();
});

/**
 * Makes sure that a repository, the root agent, two users and two boards exist. Earlier requests may have removed or
 * ended them.
 */
async function ensureWorld(round: number): Promise<void> {
  const { data: repositories } = await c.client.call('repositories.list', {});
  repositoryId = repositories[0]?.id ?? (await c.addRepository(`shop-${round}`)).id;
  const { data: sessions } = await c.client.call('sessions.list', { live: true, limit: 200 });
  if (!sessions.some(({ id }) => id === root?.sessionId)) {
    await c.client.call('settings.update', { liveSessions: 20 });
    for (const { id } of sessions.slice(10)) await c.client.call('sessions.stop', { sessionId: id });
    await tools?.close();
    root = await startRoot(c, { repositoryId });
    tools = await openTools(c, root.token);
  }
  if ((await c.client.call('users.list', {})).total < 2)
    await c.client.call('users.create', { username: `user-${round}` });
  if ((await c.client.call('boards.list', {})).total < 2)
    await c.client.call('boards.create', { name: `Board ${round}` });
}

/** Returns the ids of existing rows, and valid values for many fields. */
async function validValues(): Promise<ValidValues> {
  const idsOf = async (call: Promise<{ data: readonly { id: string }[] }>) => (await call).data.map(({ id }) => id);
  const sessions = (await idsOf(c.client.call('sessions.list', { limit: 20 }))).filter((id) => id !== root?.sessionId);
  const boards = await idsOf(c.client.call('boards.list', {}));
  const ids: Partial<Record<Noun, readonly string[]>> = {
    repository: await idsOf(c.client.call('repositories.list', {})),
    session: sessions,
    worktree: await idsOf(c.client.call('worktrees.list', { repositoryId })),
    worker: await idsOf(c.client.call('sessions.workers', { sessionId: sessions[0] ?? root?.sessionId ?? '' })),
    task: await idsOf(c.client.call('tasks.list', { limit: 20 })),
    delegation: await idsOf(c.client.call('delegations.list', { limit: 20 })),
    approval: await idsOf(c.client.call('approvals.list', { limit: 20 })),
    mcpServer: await idsOf(c.client.call('mcpServers.list', { limit: 20 })),
    board: boards,
    zone: (await Promise.all(boards.map((boardId) => c.client.call('boards.get', { boardId })))).flatMap(({ zones }) =>
      zones.map(({ id }) => id),
    ),
    // Leaves out the owner. If a request removed the owner, the server would refuse every later request.
    user: (await idsOf(c.client.call('users.list', {}))).slice(1),
    job: jobs,
  };
  const fields = {
    agentId: ['scripted', 'constructor'],
    defaultAgentId: ['scripted'],
    cwd: [c.folder],
    path: [c.git(['rev-parse', '--show-toplevel']), 'readme.md', ''],
    url: ['https://127.0.0.1:1/nothing.git'],
    branch: ['branch-a', 'branch-b', 'main'],
    baseBranch: ['main'],
    prompt: ['@say hello', '@ask Which?', '@sleep 1', '@fail'],
    initialPrompt: ['@say hello'],
    message: ['@say again'],
    command: [['sh', '-c', 'true']],
    setupCommand: ['true', 'false', null],
    cleanupCommand: ['true', null],
    id: ['scripted', 'agent-a', 'agent-b'],
    newId: ['agent-c'],
    // With the default timeout, each call could wait for half a minute.
    timeoutSeconds: [0, 1],
    sync: [false],
    wait: [false],
    useRemote: [false],
    'mcpServers.create name': ['server-a', 'server-b', 'server-c'],
    'mcpServers.create url': ['https://127.0.0.1:1/mcp'],
    'worktrees.create mode': ['prompt', 'custom', 'existing', 'either'],
    'sessions.prompt mode': ['continue', 'fork', 'subsession'],
    liveSessions: [20],
    delegationDepth: [2],
    delegationChildren: [5],
    expiresAt: ['2099-01-01T00:00:00.000Z'],
    data: ['x', 'echo hello\n'],
    name: ['word', 'Grüße 🌍'],
    transport: ['http', 'stdio'],
    headers: [{ 'X-Word': 'word' }],
    env: [['HOME'], { WORD: 'word' }],
    kind: ['custom'],
    email: ['me@example.com'],
    color: ['#10b981'],
    status: ['idle', 'completed'],
    outcome: ['succeeded'],
    type: ['agent', 'terminal', 'git-diff'],
    format: ['text'],
    expectedVersion: [1],
    cols: [80],
    rows: [24],
  };
  return { ids, fields: new Map(Object.entries(fields)) };
}

/**
 * Maximum number of characters in a path with its query. Node's HTTP parser refuses requests whose request line and
 * headers exceed 16 KiB, before they reach an operation.
 */
const URL_MAX = 14_000;

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the REST request of an operation with this input, which may be invalid. */
function restRequest({ rest }: Contract, input: Record<string, unknown>): { path: string; init: RequestInit } {
  const fields = new Map(Object.entries(input));
  const path = rest.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = textOf(fields.get(name) ?? '-');
    fields.delete(name);
    return encodeURIComponent(value.toWellFormed()).slice(0, URL_MAX);
  });
  const { method } = rest;
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams();
    for (const [name, value] of fields) {
      for (const each of Array.isArray(value) ? value : [value]) query.append(name, textOf(each));
    }
    return { path: `${path}?${query}`.slice(0, URL_MAX), init: { method } };
  }
  const headers = { 'Content-Type': 'application/json' };
  return { path, init: { method, headers, body: JSON.stringify(Object.fromEntries(fields)) } };
}

/** Calls an operation over REST. Returns what is wrong with the response, or undefined. */
async function callRest(contract: Contract, input: Record<string, unknown>, token: string | undefined) {
  const { path, init } = restRequest(contract, input);
  const headers = { ...init.headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${c.baseUrl}/api${path}`, { ...init, headers });
  const body = (await response.json()) as { jobId?: string; error?: { code: string; message: string } };
  if (response.ok) {
    if (typeof body.jobId === 'string') jobs.push(body.jobId);
    return undefined;
  }
  const { code, message } = body.error ?? {};
  return code === undefined || code === 'INTERNAL' ? `${response.status} ${code}: ${message}` : undefined;
}

/** Calls an operation as a tool. Returns what is wrong with the result, or undefined. */
async function callTool(name: string, input: Record<string, unknown>) {
  try {
    await tools?.call(name, input);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    // -32602 is the protocol's code for invalid arguments. UNAUTHENTICATED is expected too: a request may have ended
    // the calling worker, whose token is then invalid.
    const isRefused = error instanceof ConsoleError || code === -32602 || message.includes('"code":"UNAUTHENTICATED"');
    return isRefused && code !== 'INTERNAL' ? undefined : message;
  }
  return undefined;
}

/** Sends the input unchanged. Returns what is wrong with the response or the connection, or undefined. */
async function problemOf(contract: Contract, input: Record<string, unknown>, as: 'owner' | 'worker' | 'tool') {
  const [tool] = toolsOf(contract);
  try {
    if (as === 'tool' && tool !== undefined) return await callTool(tool.name, input);
    return await callRest(contract, input, as === 'owner' ? undefined : root?.token);
  } catch (error) {
    return `${(error as Error).message} ${String((error as Error).cause ?? '')}`;
  }
}

const CALLERS = ['owner', 'owner', 'worker', 'tool'] as const;

/**
 * Operations that the test does not call, because a check of an agent takes up to two minutes. See
 * `agent-check.test.ts`.
 */
const SLOW = new Set(['agents.check']);
/** Values for fields whose default makes a call wait for half a minute. */
const DEFAULTS: Record<string, object> = { 'sessions.wait': { timeoutSeconds: 0 } };
/** Operations that the test does not call, because they would remove what other requests need. */
const ENDING = new Set(['tokens.revoke', 'login.redeem', 'repositories.remove']);

describe('an operation with random input', () => {
  it('returns a result or an error that names the mistake, and the server keeps running', async () => {
    const contracts = CONTRACTS.filter(({ name }) => !SLOW.has(name) && !ENDING.has(name));
    const server = c.serverPid();
    const wrong: unknown[] = [];
    for (let sent = 0; sent < REQUESTS; sent += ROUND) {
      await ensureWorld(sent);
      const valid = await validValues();
      const request = fc.tuple(fc.constantFrom(...contracts), fc.constantFrom(...CALLERS)).chain(([contract, as]) =>
        hostileInputs(contract, valid).map((input) => ({
          contract,
          as,
          input: { ...DEFAULTS[contract.name], ...input },
        })),
      );
      const requests = fc.sample(request, { seed: SEED + sent, numRuns: ROUND });
      const one = async () => {
        for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
          const problem = await problemOf(next.contract, next.input, next.as);
          if (problem !== undefined) {
            wrong.push({
              name: next.contract.name,
              as: next.as,
              input: JSON.stringify(next.input).slice(0, 500),
              problem,
            });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      expect(wrong).toEqual([]);
    }
    expect(c.serverPid()).toBe(server);
  }, 3_600_000);

  it('leaves nothing incomplete', async () => {
    await c.until('the end of every job', async () => {
      const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
      const { open } = database
        .prepare(
          `select (select count(*) from jobs where state = 'running')
            + (select count(*) from worktrees where state in ('creating', 'removing'))
            + (select count(*) from workers where state = 'starting') as open`,
        )
        .get() as { open: number };
      database.close();
      return open === 0;
    });
    await ensureWorld(REQUESTS);
    await c.client.call('worktrees.create', {
      repositoryId: repositoryId,
      mode: 'custom',
      branch: 'last',
      wait: true,
    });
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    const all = (query: string) => database.prepare(query).all() as Record<string, string>[];
    expect(all('pragma integrity_check')).toEqual([expect.objectContaining({ integrity_check: 'ok' })]);
    expect(all('pragma foreign_key_check')).toEqual([]);
    const worktrees = all("select path, state from worktrees where kind = 'managed'");
    database.close();
    for (const { path, state } of worktrees) {
      expect({ path, state, exists: existsSync(path ?? '') }).toEqual({ path, state, exists: state === 'ready' });
    }
    const folders = readdirSync(join(c.home, 'repositories'), { recursive: true, encoding: 'utf8' })
      .filter((folder) => /\/worktrees\/[^/]+$/.test(folder))
      .map((folder) => join(c.home, 'repositories', folder));
    const stored = new Set(worktrees.map(({ path }) => path));
    expect(folders.filter((folder) => !stored.has(folder))).toEqual([]);
  });
});

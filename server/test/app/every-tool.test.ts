import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { answerOf, type McpClient, WAYS_IN_PROCESS as WAYS } from '../e2e/support/mcp.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, tokenOf } from '../support/calling.ts';
import { DEFAULT_SETS, FURTHER_TOOLS } from '../support/tool-names.ts';

type Way = keyof typeof WAYS;
type Args = Record<string, unknown>;
interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  description?: string;
}

const NAMES = [...DEFAULT_SETS, ...FURTHER_TOOLS];
/** Agents may call every tool except this one, so the test calls it with the owner's token. */
const OWNERS = 'agor_users_create';
/**
 * Arguments with ids, as `<tool> <argument>`, that the samples leave out, because another argument passes the same id.
 */
const REFERRED = ['agor_sessions_spawn parentId'];

let c: InProcessApp;
let root: { sessionId: string; workerId: string; taskId: string };
let agent: ConsoleClient;
let worktreeId: string;
let ownerId: string;
let admin: string;
let counter = 0;

const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};

async function child(): Promise<string> {
  return (await agent.call('sessions.create', { worktreeId, agentId: 'scripted' })).id;
}

async function started() {
  const sessionId = await child();
  const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
  return { sessionId, workerId };
}

async function finished() {
  const sessionId = await child();
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say done' });
  await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
  return { sessionId, taskId };
}

async function queued(): Promise<string> {
  const sessionId = await child();
  await agent.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
  return (await agent.call('sessions.prompt', { sessionId, prompt: 'wait' })).taskId;
}

async function board(): Promise<string> {
  return (await c.client.call('boards.create', { name: unique('board') })).id;
}

async function server(): Promise<string> {
  const url = 'http://127.0.0.1:9/mcp';
  return (await c.client.call('mcpServers.create', { name: unique('server'), transport: 'http', url })).id;
}

async function zoned() {
  const boardId = await board();
  return { boardId, zoneId: (await c.client.call('zones.create', { boardId, name: 'Doing' })).id };
}

const WAITS = { role: 'worker', task: '@ask Go on?', agenticTool: 'scripted' };

async function orchestration(start: boolean): Promise<string> {
  return (await agent.call('orchestrations.create', { objective: 'Try it', agents: [WAITS], start })).id;
}

/** Id of the session whose worker `agentOfOrchestration` returned last. */
let reporting = '';

/** Creates an orchestration and returns the worker of its first agent. */
async function agentOfOrchestration(): Promise<string> {
  const { agents } = await agent.call('orchestrations.get', { orchestrationId: await orchestration(true) });
  const sessionId = agents[0]?.sessionId ?? '';
  reporting = sessionId;
  const worker = await c.until('the agent is live', async () => {
    const { workers } = await c.client.call('sessions.get', { sessionId });
    return workers.find(({ type, pid }) => type === 'agent' && pid !== null);
  });
  return worker.id;
}

/** Valid arguments for every tool, including all ids except for those in `REFERRED`. */
const SAMPLES: Record<string, () => Args | Promise<Args>> = {
  list_sessions: () => ({ limit: 2 }),
  get_session_status: () => ({ sessionId: root.sessionId }),
  send_message_to_session: async () => ({ ...(await started()), message: '@say hello' }),
  pause_session: async () => ({ sessionId: await child() }),
  resume_session: async () => ({ sessionId: await child() }),
  stop_session: async () => ({ sessionId: await child() }),
  report_result: () => ({ outcome: 'succeeded', summary: 'done', artifacts: ['a.txt'] }),
  wait_for_session: () => ({ sessionId: root.sessionId, timeoutSeconds: 0 }),
  read_session_output: () => ({ sessionId: root.sessionId, workerId: root.workerId, format: 'ansi' }),
  delegate_to_worktree: async () => ({
    repositoryId: c.repository.id,
    agentId: 'scripted',
    mcpServerIds: [await server()],
    branch: unique('given'),
    prompt: '@report succeeded done',
    notifyOnCompletion: false,
  }),
  agor_sessions_search: async () => ({
    query: 'root',
    worktreeId,
    repositoryId: c.repository.id,
    boardId: await board(),
  }),
  agor_sessions_list: async () => ({ boardId: await board(), worktreeId, agent: 'scripted', status: 'idle' }),
  agor_sessions_create: async () => ({
    worktreeId,
    agenticTool: 'scripted',
    title: 'New',
    mcpServerIds: [await server(), await server()],
  }),
  agor_sessions_get: () => ({ sessionId: root.sessionId, includeMessages: true }),
  agor_sessions_get_current: () => ({}),
  agor_sessions_update: async () => ({ sessionId: await child(), title: 'Neu: Grüße 🌍' }),
  agor_sessions_prompt: async () => ({ ...(await finished()), prompt: '@say below', mode: 'subsession' }),
  agor_sessions_fork: async () => ({ ...(await finished()), prompt: '@say beside' }),
  agor_sessions_spawn: async () => ({ ...(await finished()), prompt: '@report succeeded below', sync: true }),
  agor_sessions_genealogy: () => ({ sessionId: root.sessionId, depth: 3 }),
  agor_repos_list: () => ({ limit: 1 }),
  agor_repos_get: () => ({ repoId: c.repository.id }),
  agor_worktrees_list: () => ({ repoId: c.repository.id, limit: 2 }),
  agor_worktrees_create: () => ({ repoId: c.repository.id, branch: unique('tree') }),
  agor_worktrees_get: () => ({ worktreeId }),
  agor_worktrees_update: async () => ({ worktreeId, ...(await zoned()), x: 1, y: 2 }),
  check_worktree: async () => {
    const { repositoryId } = await agent.call('worktrees.get', { worktreeId });
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'true' });
    return { worktreeId };
  },
  integrate_worktree: async () => {
    const { repositoryId } = await agent.call('worktrees.get', { worktreeId });
    await c.client.call('repositories.update', { repositoryId, agentsMayIntegrate: true });
    const branch = unique('tree');
    const { worktree } = await agent.call('worktrees.create', { repositoryId, mode: 'custom', branch, wait: true });
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'Nothing'], worktree?.path ?? '');
    return { worktreeId: worktree?.id ?? '', dryRun: true };
  },
  agor_boards_list: () => ({ ownerId, limit: 2 }),
  agor_boards_get: async () => ({ boardId: (await zoned()).boardId }),
  agor_boards_create: () => ({ name: unique('board'), ownerId }),
  agor_boards_duplicate: async () => ({ boardId: await board(), newName: unique('copy') }),
  agor_tasks_list: () => ({ sessionId: root.sessionId }),
  agor_tasks_get: () => ({ taskId: root.taskId }),
  agor_tasks_cancel: async () => ({ taskId: await queued() }),
  agor_users_get_current: () => ({}),
  agor_users_get: () => ({ userId: ownerId }),
  agor_users_create: () => ({ username: unique('person') }),
  orchestrations_run: () => ({
    definition: 'review',
    parameters: { branch: 'main', reviewers: '1' },
    repositoryId: c.repository.id,
    dryRun: false,
    start: false,
  }),
  orchestrations_create: () => ({
    objective: 'Try it',
    agents: [WAITS],
    metadata: { a: { b: 1 } },
    repositoryId: c.repository.id,
  }),
  orchestrations_list: () => ({
    state: 'created',
    repositoryId: c.repository.id,
    createdBySessionId: root.sessionId,
    limit: 2,
  }),
  orchestrations_get: async () => ({ orchestrationId: await orchestration(false) }),
  orchestrations_start: async () => ({ orchestrationId: await orchestration(false) }),
  orchestrations_pause: async () => ({ orchestrationId: await orchestration(true) }),
  orchestrations_resume: async () => {
    const orchestrationId = await orchestration(true);
    await agent.call('orchestrations.pause', { orchestrationId });
    return { orchestrationId };
  },
  orchestrations_cancel: async () => ({ orchestrationId: await orchestration(true) }),
  orchestration_agents_add: async () => ({ orchestrationId: await orchestration(false), agents: [WAITS] }),
  orchestration_agents_report: () => ({
    sessionId: reporting,
    progress: 0.5,
    status: 'half done',
    artifacts: ['a.txt'],
  }),
  orchestrations_events: async () => ({ orchestrationId: await orchestration(false), after: 0 }),
};

/** The token for calls of a tool, usually that of the root agent. */
async function tokenFor(name: string): Promise<string> {
  if (name === OWNERS) return admin;
  if (name === 'orchestration_agents_report') return tokenOf(c, await agentOfOrchestration());
  if (name !== 'report_result') return tokenOf(c, root.workerId);
  const busy = await started();
  await c.client.call('sessions.prompt', { sessionId: busy.sessionId, prompt: '@sleep 600000' });
  return tokenOf(c, busy.workerId);
}

const isId = (field: string) => /Ids?$/.test(field) && field !== 'agentId';

beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { delegationChildren: 100, liveSessions: 200 });
  root = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: 'root',
    prompt: '@say one\n@report succeeded two',
  });
  await c.client.call('sessions.wait', { sessionId: root.sessionId, timeoutSeconds: 45 });
  const session = await c.client.call('sessions.get', { sessionId: root.sessionId });
  worktreeId = session.worktreeId ?? '';
  ownerId = session.createdByUserId ?? '';
  agent = asWorker(c, root.workerId);
  admin = (await c.client.call('tokens.create', { name: 'admin', scopes: ['read', 'write', 'owner'] })).token;
});
afterAll(() => c.close());

it('the list of all tools is byte-identical for every caller, transport and call', async () => {
  const reader = (await c.client.call('tokens.create', { name: 'reader', scopes: ['read'] })).token;
  const lists: string[] = [];
  const askers = (Object.keys(WAYS) as Way[]).map((way) => [way, tokenOf(c, root.workerId)] as const);
  for (const [way, token] of [...askers, ['HTTP, 2025', reader], ['HTTP, 2026', admin]] as const) {
    const mcp = await WAYS[way](`${c.baseUrl}/mcp?toolsets=all`, token);
    for (const list of [await mcp.listTools(), await mcp.listTools()]) lists.push(JSON.stringify(list.tools));
    await mcp.close();
  }
  expect(new Set(lists).size).toBe(1);
  const shown = (JSON.parse(lists[0] ?? '[]') as { name: string }[]).map(({ name }) => name);
  expect(shown).toEqual(NAMES);
  for (const name of NAMES) expect(name).toMatch(/^[a-z0-9_]+$/);
});

it('every tool describes its input and output in valid JSON Schema, and every input field', async () => {
  const mcp = await WAYS['HTTP, 2026'](`${c.baseUrl}/mcp?toolsets=all`, admin);
  const { tools } = await mcp.listTools();
  await mcp.close();
  expect(tools.map(({ name }) => name)).toEqual(NAMES);
  const silent = (at: string, schema: Schema): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description ? [] : [`${at}.${name}`]),
      ...silent(`${at}.${name}`, field),
    ]),
    ...(schema.items === undefined ? [] : silent(`${at}[]`, schema.items)),
  ];
  for (const { name, title, inputSchema, outputSchema } of tools) {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    expect(title, name).toMatch(/^[A-Z][a-z]+:?( [a-z]+)+$/);
    for (const schema of [inputSchema, outputSchema]) expect(() => ajv.compile(schema as Args), name).not.toThrow();
    expect(silent(name, inputSchema as Schema)).toEqual([]);
  }
});

/**
 * One tool for each kind of result that the stdio bridge passes on: lists, ids, text, structured content, the result of
 * a wait, a new session.
 */
const OVER_STDIO = [
  'list_sessions',
  'get_session_status',
  'agor_sessions_get',
  'agor_sessions_update',
  'agor_sessions_spawn',
  'agor_worktrees_create',
];

// A client of the 2025 protocol over HTTP, and one of the 2026 protocol over stdio. Both pass ids as prefixes.
// `table.test.ts` covers the 2026 protocol over HTTP, with complete ids.
describe.each([
  ['HTTP, 2025', NAMES],
  ['stdio, 2026', OVER_STDIO],
] as const)('by %s', (way, names) => {
  const clients = new Map<string, McpClient>();
  const connect = async (token: string) => {
    const mcp = clients.get(token) ?? (await WAYS[way](`${c.baseUrl}/mcp?toolsets=all`, token));
    clients.set(token, mcp);
    return mcp;
  };
  afterAll(async () => {
    for (const mcp of clients.values()) await mcp.close();
  });

  it('has a sample of every tool', () => expect(Object.keys(SAMPLES)).toEqual(NAMES));

  it.each(names)('%s returns results that match its schema, for id prefixes', async (name) => {
    const mcp = await connect(await tokenFor(name));
    const tool = (await mcp.listTools()).tools.find((each) => each.name === name);
    const args = (await SAMPLES[name]?.()) ?? {};
    const ids = Object.keys(tool?.inputSchema.properties ?? {}).filter(isId);
    expect(ids.filter((field) => !(field in args) && !REFERRED.includes(`${name} ${field}`))).toEqual([]);
    let length = 8;
    const cut = () => {
      const beginning = (id: unknown) => String(id).slice(0, length);
      const beginnings = ids
        .filter((field) => field in args)
        .map((field) => {
          const given = args[field];
          return [field, Array.isArray(given) ? given.map(beginning) : beginning(given)];
        });
      return mcp.callTool(name, { ...args, ...Object.fromEntries(beginnings) });
    };
    let result = await cut();
    while (result.content[0]?.text.startsWith('AMBIGUOUS_ID') === true) {
      length += 1;
      result = await cut();
    }
    expect(length).toBeLessThan(36);
    const answer = answerOf(result);
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(tool?.outputSchema ?? {});
    expect(check(answer) || check.errors).toBe(true);
  });
});

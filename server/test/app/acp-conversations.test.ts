import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf, defineAcpAgents } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

interface OfferedServer {
  name: string;
  type?: string;
  command?: string;
  args?: string[];
  env?: { name: string; value: string }[];
  headers?: { name: string; value: string }[];
}

/** MCP servers that each agent was offered, by the name of the agent. */
const offered = new Map<string, OfferedServer[]>();
/** Instructions that each agent got with its conversations, by the name of the agent. */
const instructed = new Map<string, unknown[]>();
/** Content blocks of the prompts that each agent got, by the name of the agent. */
const prompted = new Map<string, string[][]>();
/** Method and conversation of each `session/*` request that an agent got, by the name of the agent. */
const used = new Map<string, unknown[]>();

const noted = <T>(map: Map<string, T[]>, name: string, value: T) => map.set(name, [...(map.get(name) ?? []), value]);

const saying = (sessionId: string, text: string, sessionUpdate = 'agent_message_chunk') =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate, content: { type: 'text', text } } },
  });

/** Agents that can load conversations, but not resume them. */
const LOADING = ['forgetful', 'loading'];

/** Returns an agent with these capabilities, which records in `offered`, `instructed` etc. what it receives. */
function noting(name: string, mcpCapabilities: object, sessionCapabilities: object = {}): OpenProgram {
  return ({ print, ended }) => ({
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        const answers: Record<string, object> = {
          initialize: {
            protocolVersion: 1,
            agentCapabilities: { mcpCapabilities, sessionCapabilities, loadSession: LOADING.includes(name) },
          },
          'session/new': { sessionId: name },
          'session/prompt': { stopReason: 'end_turn' },
          'session/fork': { sessionId: `${name}-copy` },
        };
        if (method.startsWith('session/')) noted(used, name, [method, params.sessionId]);
        if (method === 'session/new') offered.set(name, params.mcpServers);
        if (method.startsWith('session/') && method !== 'session/prompt') noted(instructed, name, params.systemPrompt);
        if (method === 'session/prompt')
          noted(
            prompted,
            name,
            params.prompt.map(({ text }: { text: string }) => text),
          );
        if (name === 'closing-slowly' && method === 'session/close') continue;
        if (method === 'session/prompt' && params.prompt[0].text === 'endless') {
          print(`${saying(params.sessionId, 'so far')}\n`);
          continue;
        }
        if (name === 'loading' && method === 'session/prompt') {
          print(`${saying(name, `answer to ${params.prompt.at(-1).text}`)}\n`);
        }
        // When this agent loads a conversation, it sends all earlier messages again before it answers.
        if (name === 'loading' && method === 'session/load') {
          for (const text of prompted.get(name)?.map((blocks) => blocks.at(-1)) ?? []) {
            print(`${saying(name, String(text), 'user_message_chunk')}\n${saying(name, `answer to ${text}`)}\n`);
          }
        }
        const lost = name === 'forgetful' && method === 'session/load';
        const details = 'No such conversation';
        const answer = lost
          ? { error: { code: -32_603, message: 'Internal error', data: { details } } }
          : { result: answers[method] ?? {} };
        print(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
        if (name === 'talkative' && method === 'session/prompt') print(`${saying('talkative', 'by the way')}\n`);
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  });
}

/** Capabilities of the agent `changing`. A test changes them. */
const changing: { fork?: object } = {};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({
    programs: {
      'only-stdio': noting('only-stdio', {}),
      'with-http': noting('with-http', { http: true }),
      'with-both': noting('with-both', { http: true, sse: true }),
      forgetful: noting('forgetful', {}),
      loading: noting('loading', {}),
      talkative: noting('talkative', {}),
      forking: noting('forking', {}, { fork: {}, resume: {} }),
      plain: noting('plain', {}, { resume: {} }),
      closing: noting('closing', {}, { resume: {}, close: {} }),
      'closing-slowly': noting('closing-slowly', {}, { resume: {}, close: {} }),
      changing: noting('changing', {}, changing),
      'with-instructions': noting('with-instructions', {}, { resume: {}, systemPrompt: {} }),
    },
  });
  await defineAcpAgents(c, [
    'only-stdio',
    'with-http',
    'with-both',
    'forgetful',
    'loading',
    'talkative',
    'forking',
    'plain',
    'closing',
    'closing-slowly',
    'changing',
    'with-instructions',
  ]);
});
afterAll(() => c.close());

const { get, prompt, taskOf, finished } = sessionsOf(() => c);
const { messagesOf } = acpSessionsOf(() => c);

describe('an agent over ACP that opens a conversation', () => {
  it.each([
    [
      'only-stdio',
      [
        ['agent-console', 'stdio'],
        ['files', 'stdio'],
      ],
    ],
    [
      'with-http',
      [
        ['agent-console', 'http'],
        ['files', 'stdio'],
        ['remote', 'http'],
      ],
    ],
    [
      'with-both',
      [
        ['agent-console', 'http'],
        ['files', 'stdio'],
        ['remote', 'http'],
        ['old', 'sse'],
      ],
    ],
  ])('offers its MCP servers to an agent %s', async (agentId, expected) => {
    const servers = [
      { name: 'files', transport: 'stdio', command: 'my-files', env: { KEY: 'secret value' } },
      { name: 'remote', transport: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'secret header' } },
      { name: 'old', transport: 'sse', url: 'http://127.0.0.1:1/sse' },
    ] as const;
    const known = (await c.client.call('mcpServers.list', {})).data;
    // The servers are created one after the other, because the agent gets them in the order of their creation.
    const ids: string[] = [];
    for (const server of servers) {
      const row = known.find(({ name }) => name === server.name) ?? (await c.client.call('mcpServers.create', server));
      ids.push(row.id);
    }
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId,
      mcpServerIds: ids,
      initialPrompt: 'Hello',
    });
    await finished(id);
    const left = servers.map(({ name }) => name).filter((name) => !expected.some(([each]) => each === name));
    const [{ warnings } = { warnings: [] }] = (await get(id)).workers;
    if (left.length === 0) expect(warnings).toEqual([]);
    else expect(warnings).toEqual([expect.stringContaining(`does not support their transport: ${left.join(', ')}.`)]);
    const events = (await c.client.call('sessions.events', { sessionId: id, limit: 500 })).data;
    const told = events.flatMap((event) => (event.type === 'worker.warned' ? [event.data.warnings] : []));
    expect(told).toEqual(left.length === 0 ? [] : [warnings]);
    const shapes = offered.get(agentId)?.map(({ name, type = 'stdio' }) => [name, type]);
    expect(shapes).toEqual(expected);
    const stored =
      readFileSync(join(c.home, 'console.db')).toString('latin1') +
      readFileSync(join(c.home, 'console.db-wal')).toString('latin1');
    for (const secret of ['secret value', 'secret header']) expect(stored).not.toContain(secret);
  });

  it('gets its instructions with the first prompt that is not a command, if it cannot get them earlier', async () => {
    for (const agentId of ['plain', 'with-instructions']) {
      const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId, initialPrompt: '/status' });
      await finished(id);
      for (const text of ['first', 'second']) {
        await prompt(id, text);
        await finished(id);
      }
      await c.client.call('sessions.stop', { sessionId: id });
      await prompt(id, 'third');
      await finished(id);
      const own = expect.stringContaining(`session ${id}`);
      if (agentId === 'plain') {
        expect(prompted.get(agentId)).toEqual([['/status'], [own, 'first'], ['second'], [own, 'third']]);
        expect(instructed.get(agentId)).toEqual([undefined, undefined]);
      } else {
        expect(prompted.get(agentId)).toEqual([['/status'], ['first'], ['second'], ['third']]);
        const given = { mode: 'append', content: [{ type: 'text', text: own }] };
        expect(instructed.get(agentId)).toEqual([given, given]);
      }
      // The conversation contains only what people and agents wrote, not the instructions from the console.
      const shown = (await messagesOf(id)).map(({ parts }) => parts[0]?.text);
      expect(shown).toEqual(['/status', 'first', 'second', 'third']);
    }
  });

  it('passes a server its variables and headers, and the agent can start it', async () => {
    const script = 'process.stdout.write(process.env.KEY + process.argv[1])';
    const local = { command: process.execPath, args: ['-e', script, ' and arguments'], env: { KEY: 'a $value' } };
    const servers = [
      { name: 'printing', transport: 'stdio', ...local },
      { name: 'guarded', transport: 'http', url: 'http://127.0.0.1:1/mcp', headers: { 'X-Key': 'a header' } },
    ] as const;
    const mcpServerIds: string[] = [];
    for (const server of servers) mcpServerIds.push((await c.client.call('mcpServers.create', server)).id);
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'with-http',
      mcpServerIds,
      initialPrompt: 'Hello',
    });
    await finished(id);
    const named = (name: string) => offered.get('with-http')?.find((server) => server.name === name);
    const { command = '', args, env } = named('printing') ?? {};
    const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    expect(execFileSync(command, args, { env: variables, encoding: 'utf8' })).toBe('a $value and arguments');
    expect(named('guarded')?.headers).toEqual([{ name: 'X-Key', value: 'a header' }]);
  });

  it('is loaded in its next process if it cannot be resumed, and its messages are stored once', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'loading', initialPrompt: 'one' });
    await finished(id);
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, 'two');
    await finished(id);
    expect(used.get('loading')).toEqual([
      ['session/new', undefined],
      ['session/prompt', 'loading'],
      ['session/load', 'loading'],
      ['session/prompt', 'loading'],
    ]);
    expect((await messagesOf(id)).map(({ role, parts }) => [role, parts[0]?.text])).toEqual([
      ['user', 'one'],
      ['agent', 'answer to one'],
      ['user', 'two'],
      ['agent', 'answer to two'],
    ]);
    expect((await get(id)).workers.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('is forked if it offers that, and each session continues its own conversation', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'forking', initialPrompt: 'one' });
    await finished(id);
    const fork = await c.client.call('sessions.fork', { sessionId: id, prompt: 'two' });
    await finished(fork.sessionId);
    await c.client.call('sessions.stop', { sessionId: fork.sessionId });
    await prompt(fork.sessionId, 'three');
    await finished(fork.sessionId);
    expect(used.get('forking')).toEqual([
      ['session/new', undefined],
      ['session/prompt', 'forking'],
      ['session/fork', 'forking'],
      ['session/prompt', 'forking-copy'],
      ['session/resume', 'forking-copy'],
      ['session/prompt', 'forking-copy'],
    ]);
    const prompts = (await messagesOf(fork.sessionId)).filter(({ role }) => role === 'user');
    expect(prompts.map(({ parts, seq, taskId }) => [parts[0]?.text, seq, taskId !== null])).toEqual([
      ['one', 1, false],
      ['two', 2, true],
      ['three', 3, true],
    ]);
    const { id: plain } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'plain',
      initialPrompt: 'x',
    });
    await finished(plain);
    expect(await refusal(c.client.call('sessions.fork', { sessionId: plain, prompt: 'two' }))).toMatchObject({
      code: 'UNSUPPORTED',
    });
  });

  it('is forked while a turn runs, without that turn, which continues', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'forking', initialPrompt: 'one' });
    await finished(id);
    const { taskId } = await prompt(id, 'endless');
    const textsOf = async (sessionId: string) => (await messagesOf(sessionId)).map(({ parts }) => parts[0]?.text);
    await c.until('the first words of the turn', async () => (await textsOf(id)).includes('so far'));
    const fork = await c.client.call('sessions.fork', { sessionId: id, prompt: 'two' });
    expect(fork.warnings).toEqual([expect.stringContaining(`The session is working on task ${taskId}`)]);
    await finished(fork.sessionId);
    expect(await textsOf(fork.sessionId)).toEqual(['one', 'two']);
    expect((await get(fork.sessionId)).messageCount).toBe(2);
    expect(await textsOf(id)).toEqual(['one', 'endless', 'so far']);
    expect((await c.client.call('tasks.get', { taskId })).status).toBe('running');
    await c.client.call('sessions.stop', { sessionId: id });
  });

  it('closes its conversation before it is ended, if it supports that, and continues it later', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'closing',
      initialPrompt: 'Hello',
    });
    await finished(id);
    await c.client.call('sessions.pause', { sessionId: id });
    expect(used.get('closing')).toEqual([
      ['session/new', undefined],
      ['session/prompt', 'closing'],
      ['session/close', 'closing'],
    ]);
    await c.client.call('sessions.prompt', { sessionId: id, prompt: 'Again' });
    await finished(id);
    expect(used.get('closing')?.slice(3)).toEqual([
      ['session/resume', 'closing'],
      ['session/prompt', 'closing'],
    ]);
  });

  it('is ended after a restart if the server stopped while its conversation was being closed', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'closing-slowly',
      initialPrompt: 'Hello',
    });
    await finished(id);
    const [agent] = (await c.client.call('sessions.workers', { sessionId: id })).data;
    const removed = c.client.call('workers.remove', { workerId: agent?.id ?? '' }).catch(() => undefined);
    const requests = () => used.get('closing-slowly')?.map((each) => (each as string[])[0]) ?? [];
    await c.until('the request', () => requests().includes('session/close'));
    await c.restart();
    await c.until('the end of the agent', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId: id });
      return data[0]?.state === 'exited';
    });
    await removed;
    await c.client.call('sessions.prompt', { sessionId: id, prompt: 'Again' });
    await finished(id);
    expect(requests().slice(3)).toEqual(['session/resume', 'session/prompt']);
  });

  it('is listed with the capabilities of its last start', async () => {
    const supports = async () => (await c.client.call('agents.get', { id: 'changing' })).supports;
    expect(await supports()).toMatchObject({ resume: true, fork: false });
    const run = async () => {
      const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'changing', initialPrompt: 'x' });
      await finished(id);
      return id;
    };
    const first = await run();
    expect(await supports()).toMatchObject({ resume: false, fork: false });
    changing.fork = {};
    await run();
    expect(await supports()).toMatchObject({ resume: false, fork: true });
    await prompt(first, 'again');
    await finished(first);
    await c.client.call('sessions.stop', { sessionId: first });
    await prompt(first, 'in a new process');
    await finished(first);
    expect((await get(first)).workers.at(-1)?.warnings).toEqual([
      'The agent cannot continue or copy a conversation, so it began a new one.',
    ]);
    await c.client.call('agents.update', { id: 'changing', name: 'Another' });
    expect(await supports()).toMatchObject({ resume: true, fork: false });
  });

  it('starts a new conversation, and says so, if it cannot continue the old one', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'forgetful',
      initialPrompt: 'one',
    });
    await finished(id);
    await c.client.call('sessions.stop', { sessionId: id });
    const { taskId } = await prompt(id, 'two');
    await finished(id);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed' });
    const warnings = (await get(id)).workers.flatMap((worker) => worker.warnings);
    expect(warnings).toEqual([expect.stringContaining('began a new one: Internal error: No such conversation')]);
  });

  it('stays idle when it sends a message between turns', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'talkative',
      initialPrompt: 'one',
    });
    await finished(id);
    await c.until('the last words', async () =>
      (await messagesOf(id)).some(({ parts }) => parts[0]?.text === 'by the way'),
    );
    expect(await get(id)).toMatchObject({ status: 'idle' });
    const { taskId } = await prompt(id, 'two');
    await finished(id);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed' });
  });
});

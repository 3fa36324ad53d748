import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACP_LINE_MAX_BYTES } from '@agent-console/shared/limits/acp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

/** An agent that introduces itself and refuses every conversation. */
function refusing(error: { code: number; message: string }): OpenProgram {
  return ({ print, ended }) => ({
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method } = JSON.parse(line) as { id: string; method: string };
        const answer = method === 'initialize' ? { result: { protocolVersion: 1, agentCapabilities: {} } } : { error };
        print(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  });
}

/** What agents of these names were offered. */
const offered = new Map<string, { name: string; type?: string; command?: string }[]>();
/** The instructions with which conversations were opened, and the blocks of each prompt, by the agents' names. */
const instructed = new Map<string, unknown[]>();
const prompted = new Map<string, string[][]>();
/** Requests about conversations, with their conversation. */
const used = new Map<string, unknown[]>();

const noted = <T>(map: Map<string, T[]>, name: string, value: T) => map.set(name, [...(map.get(name) ?? []), value]);

const BY_THE_WAY = JSON.stringify({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: 'talkative',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'by the way' } },
  },
});

const MODES = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'yolo', name: 'Never ask' },
  ],
};

/** An agent that supports these transports of MCP servers, and notes what it is offered. */
function noting(name: string, mcpCapabilities: object, sessionCapabilities: object = {}): OpenProgram {
  return ({ print, ended }) => ({
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        const answers: Record<string, object> = {
          initialize: {
            protocolVersion: 1,
            agentCapabilities: { mcpCapabilities, sessionCapabilities, loadSession: name === 'forgetful' },
          },
          'session/new': { sessionId: name, ...(name === 'moody' ? { modes: MODES } : {}) },
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
        const lost = name === 'forgetful' && method === 'session/load';
        const details = 'No such conversation';
        const answer = lost
          ? { error: { code: -32_603, message: 'Internal error', data: { details } } }
          : { result: answers[method] ?? {} };
        print(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
        if (name === 'talkative' && method === 'session/prompt') print(`${BY_THE_WAY}\n`);
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  });
}

/** An agent that answers a prompt with "flood" by a line without end, and any other one at once. */
const flooding: OpenProgram = ({ print, ended }) => ({
  input(data) {
    for (const line of data.toString().trim().split('\n')) {
      const { id, method, params } = JSON.parse(line);
      const answers: Record<string, object> = {
        initialize: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
        'session/new': { sessionId: 'flooding' },
        'session/prompt': { stopReason: 'end_turn' },
      };
      if (method === 'session/prompt' && params.prompt.at(-1).text.includes('flood')) {
        print('x'.repeat(ACP_LINE_MAX_BYTES + 1));
        return;
      }
      print(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} })}\n`);
    }
  },
  signal: (signal) => ended({ exitCode: null, signal }),
  stop() {},
});

/** Answers that an agent got, by the id of its request. */
const answers: unknown[] = [];

/** An agent that sends each of its requests twice, with the same id. It ends its turn when it may go on. */
const stuttering: OpenProgram = ({ print, ended }) => {
  const send = (message: object) => print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities: {} },
    'session/new': { sessionId: 'stuttering' },
  };
  let promptId = '';
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, result } = JSON.parse(line);
        if (method === 'session/prompt') {
          promptId = id;
          const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
          const asked = { sessionId: 'stuttering', toolCall: { toolCallId: 't', title: 'Write' }, options };
          const read = { sessionId: 'stuttering', path: '/etc/hostname' };
          for (const _ of [1, 2]) send({ id: 6, method: 'fs/read_text_file', params: read });
          for (const _ of [1, 2]) send({ id: 7, method: 'session/request_permission', params: asked });
        } else if (method !== undefined) send({ id, result: results[method] ?? {} });
        else answers.push(id);
        if (result?.outcome !== undefined) send({ id: promptId, result: { stopReason: 'end_turn' } });
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};

/** Speaks as the adapter of Codex does, whose turns that fail end as if they were completed. */
const codexLike: OpenProgram = ({ print, ended }) => {
  const send = (message: object) => print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const update = (fields: object) =>
    send({ method: 'session/update', params: { sessionId: 'codex-like', update: fields } });
  const status = (type: string) =>
    update({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } });
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        let result: object = method === 'initialize' ? { protocolVersion: 1, agentCapabilities: {} } : {};
        if (method === 'session/new') result = { sessionId: 'codex-like' };
        if (method === 'session/prompt') {
          status('active');
          const text = params.prompt.at(-1).text.includes('break') ? 'It is on fire.' : 'Done.';
          update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
          if (text !== 'Done.') status('systemError');
          const usage = { totalTokens: 70, inputTokens: 40, outputTokens: 20, cachedReadTokens: 10 };
          result = { stopReason: 'end_turn', usage };
        }
        send({ id, result });
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({
    programs: {
      'needs-login': refusing({ code: -32_000, message: 'Authentication required' }),
      broken: refusing({ code: -32_603, message: 'Disk full' }),
      'only-stdio': noting('only-stdio', {}),
      'with-http': noting('with-http', { http: true }),
      'with-both': noting('with-both', { http: true, sse: true }),
      flooding,
      stuttering,
      'codex-like': codexLike,
      forgetful: noting('forgetful', {}),
      talkative: noting('talkative', {}),
      moody: noting('moody', {}),
      forking: noting('forking', {}, { fork: {}, resume: {} }),
      plain: noting('plain', {}, { resume: {} }),
      'with-instructions': noting('with-instructions', {}, { resume: {}, systemPrompt: {} }),
    },
  });
  for (const id of [
    'flooding',
    'stuttering',
    'forgetful',
    'talkative',
    'moody',
    'forking',
    'needs-login',
    'broken',
    'only-stdio',
    'with-http',
    'with-both',
    'plain',
    'with-instructions',
  ]) {
    const path = join(c.folder, id);
    writeFileSync(path, '', { mode: 0o755 });
    await c.client.call('agents.create', { id, name: id, command: [path], driver: 'acp' });
  }
  const path = join(c.folder, 'codex-like');
  writeFileSync(path, '', { mode: 0o755 });
  await c.client.call('agents.create', { id: 'codex-like', name: 'Like Codex', command: [path], kind: 'codex-acp' });
});
afterAll(() => c.close());

const { get, prompt, taskOf, finished } = sessionsOf(() => c);
const start = (initialPrompt: string) =>
  c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted-acp', initialPrompt });
const texts = async (sessionId: string) =>
  (await messagesOf(sessionId)).flatMap(({ role, kind, parts }) =>
    role === 'agent' && kind === 'text' ? [parts[0]?.text] : [],
  );
const messagesOf = async (sessionId: string) => (await c.client.call('sessions.messages', { sessionId })).data;

describe('an agent over ACP', () => {
  it('answers a prompt with messages of each kind', async () => {
    const { id, taskId } = await start('@thought let me see\n@say hello\n@plan read + | write ~\n@edit a.txt made');
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed', outcomeSource: 'protocol' });
    expect(readFileSync(join(c.folder, 'a.txt'), 'utf8')).toBe('made\n');
    expect((await messagesOf(id)).map(({ role, kind, source }) => [role, kind, source])).toEqual([
      ['user', 'text', 'console'],
      ['agent', 'thought', 'acp'],
      ['agent', 'text', 'acp'],
      ['agent', 'plan', 'acp'],
      ['agent', 'toolCall', 'acp'],
    ]);
    expect(await get(id)).toMatchObject({ status: 'idle', workers: [{ activitySource: 'protocol' }] });
    await prompt(id, '@say again');
    await finished(id);
    expect((await messagesOf(id)).at(-1)?.parts).toEqual([{ type: 'text', text: 'again' }]);
  });

  it('asks for permission, and follows the answer', async () => {
    const { id, taskId } = await start('@permission Write a.txt\n@say after');
    await c.until('a question', async () => (await get(id)).status === 'awaiting_input');
    const [approval] = (await c.client.call('approvals.list', { sessionId: id })).data;
    expect(approval).toMatchObject({ text: 'Write: a.txt', source: 'protocol', taskId });
    expect(approval?.options.map(({ kind }) => kind)).toEqual(['allow', 'allow', 'deny']);
    await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'no' });
    await finished(id);
    expect(await texts(id)).toEqual(['Write denied']);
    const late = c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'yes' });
    expect(await refusal(late)).toMatchObject({ code: 'CONFLICT' });
  });

  it.each([
    ['@stop end_turn', { status: 'completed', certain: false }],
    [
      '@stop max_tokens',
      { status: 'failed', certain: true, error: { message: expect.stringContaining('token limit') } },
    ],
    ['@stop refusal', { status: 'failed', error: { message: expect.stringContaining('refused') } }],
    ['@fail no more credit', { status: 'failed', error: { message: expect.stringContaining('no more credit') } }],
    ['@exit 3', { status: 'failed', outcomeSource: 'exit' }],
    ['@crash', { status: 'failed', outcomeSource: 'exit' }],
  ])('ends a task by %s', async (text, outcome) => {
    const { id, taskId } = await start(`@say first\n${text}`);
    await c.until('its end', async () => (await taskOf(taskId ?? '')).endedAt !== null);
    expect(await taskOf(taskId ?? '')).toMatchObject(outcome);
    expect(await texts(id)).toEqual(['first']);
  });

  it('stops when its task is cancelled, also at a question, and takes the next prompt', async () => {
    for (const work of ['@sleep 60000', '@permission Write a.txt']) {
      const { id, taskId } = await start(`${work}\n@say too late`);
      await c.until(
        'its start',
        async () =>
          (await get(id)).workers[0]?.activityState !== 'unknown' && (await get(id)).task?.status !== 'queued',
      );
      await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
      await prompt(id, '@say next');
      await finished(id);
      expect(await texts(id)).toEqual(['next']);
      expect((await c.client.call('approvals.list', { sessionId: id, state: 'pending' })).data).toEqual([]);
    }
  });

  it('goes on in the middle of a prompt when the server is restarted', async () => {
    const { id } = await start('@say before\n@sleep 300\n@edit b.txt made\n@say after');
    await c.until('the first words', async () => (await texts(id)).length === 1);
    await c.restart();
    await finished(id);
    expect(await texts(id)).toEqual(['before', 'after']);
    expect(readFileSync(join(c.folder, 'b.txt'), 'utf8')).toBe('made\n');
  });

  it('resumes its conversation in a new process', async () => {
    const { id } = await start('@say one');
    await finished(id);
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, '@recall 1');
    await finished(id);
    expect(await texts(id)).toEqual(['one', 'message 1: @say one']);
  });

  it.each([
    ['a line that is not JSON', 'Loading…'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":99,"result":{}}'],
    [
      'an update of another session',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":[]}}}',
    ],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"_x/unknown","params":{}}'],
    ['an unknown request', '{"jsonrpc":"2.0","id":7,"method":"_x/unknown","params":{}}'],
  ])('is not harmed by %s', async (_, line) => {
    const { id, taskId } = await start(`@say before\n@raw ${line}\n@say after`);
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed' });
    expect(await texts(id)).toEqual(['before', 'after']);
  });

  it.each(['../outside.txt', '/etc/hostname', '.git/config'])('does not read %s', async (path) => {
    const { id } = await start(`@read ${path}`);
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Use another file in the session’s directory')]);
    const call = (await messagesOf(id)).find(({ kind }) => kind === 'toolCall');
    expect(call?.parts).toMatchObject([{ status: 'failed' }]);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    expect(data).toMatchObject([
      { operation: 'fs/read_text_file', surface: 'acp', outcome: 'PERMISSION_DENIED', actor: `session:${id}` },
    ]);
  });

  it('reads a part of a file that is too large for one answer', async () => {
    writeFileSync(join(c.folder, 'large.txt'), `first\n${'x'.repeat(300_000)}\n`);
    const { id } = await start('@read large.txt\n@read large.txt 1 1');
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Use line and limit')]);
    const calls = (await messagesOf(id)).filter(({ kind }) => kind === 'toolCall');
    expect(calls.at(-1)?.parts).toMatchObject([{ content: [{ content: { text: 'first' } }] }]);
  });

  it('stores the chunks of one message as one row, whole and in order', async () => {
    const { id } = await start('@chunks 500 word');
    await finished(id);
    const expected = Array.from({ length: 500 }, (_, at) => `word${at} `).join('');
    expect(await texts(id)).toEqual([expected]);
  });

  it('shows a reader what changed since its last read, each message in its current form', async () => {
    const { id } = await start('@say one\n@plan ~ | ~');
    await finished(id);
    const read = async (changedSince: number) =>
      (await c.client.call('sessions.messages', { sessionId: id, changedSince })).data;
    const seen = await read(0);
    expect(seen.map(({ id }) => id).sort()).toEqual((await messagesOf(id)).map(({ id }) => id).sort());
    const newest = seen.at(-1)?.revision ?? 0;
    expect(await read(newest)).toEqual([]);
    await prompt(id, '@chunks 20 word');
    await finished(id);
    const fresh = await read(newest);
    expect(fresh.map(({ role, kind }) => `${role} ${kind}`)).toEqual(['user text', 'agent text']);
    expect(fresh.at(-1)?.revision).toBeGreaterThan(newest);
  });

  it('delegates to another one, which commits and reports, and is told once', async () => {
    const child = {
      agentId: 'scripted-acp',
      branch: 'feature/acp',
      prompt: '@write hello.txt Hello\\n@commit Say hello\\n@report succeeded it is committed',
    };
    const [main] = (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data;
    const parent = await c.client.call('sessions.create', {
      worktreeId: main?.id ?? '',
      agentId: 'scripted-acp',
      initialPrompt: `@tool delegate_to_worktree ${JSON.stringify(child).replaceAll('\\\\n', '\\n')}`,
    });
    await c.until('the notice', async () =>
      (await texts(parent.id)).some((text) => String(text).startsWith('noticed 1')),
    );
    await finished(parent.id);
    expect(c.git(['show', 'feature/acp:hello.txt'])).toBe('Hello');
    const [row] = (await c.client.call('delegations.list', {})).data;
    const { task } = await get(row?.sessionId ?? '');
    expect(task).toMatchObject({
      status: 'completed',
      outcomeSource: 'report',
      certain: true,
      summary: 'it is committed',
    });
    expect((await texts(parent.id)).filter((text) => String(text).startsWith('noticed'))).toHaveLength(1);
  });

  it('works in the permission mode of its session', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted-acp',
      permissionMode: 'bypassPermissions',
      initialPrompt: '@permission Write a.txt',
    });
    await finished(id);
    expect(await texts(id)).toEqual(['Write allowed']);
  });

  const optionsOf = (sessionId: string) => c.client.call('sessions.options', { sessionId });
  const currentOf = async (sessionId: string) =>
    Object.fromEntries((await optionsOf(sessionId)).options.map(({ id, current }) => [id, current]));

  it('offers its options, and changes them while it works and again in its next process', async () => {
    const { id } = await start('@usage 1200 200000\n@permission Write a.txt');
    await c.until('a question', async () => (await get(id)).status === 'awaiting_input');
    expect(await optionsOf(id)).toMatchObject({
      options: [
        { id: 'mode', category: 'mode', current: 'acceptEdits' },
        { id: 'model', category: 'model', current: 'small', values: [{ id: 'small' }, { id: 'large' }] },
        { id: 'verbose', current: 'false' },
      ],
      usage: { used: 1200, size: 200_000 },
    });
    const set = (optionId: string, value: string) =>
      c.client.call('sessions.setOption', { sessionId: id, optionId, value });
    await set('model', 'large');
    await set('verbose', 'true');
    await set('mode', 'bypassPermissions');
    expect((await get(id)).permissionConfig).toMatchObject({ mode: 'bypassPermissions', applies: 'now' });
    const confirmed = { mode: 'bypassPermissions', model: 'large', verbose: 'true' };
    expect(await currentOf(id)).toEqual(confirmed);
    const [approval] = (await c.client.call('approvals.list', { sessionId: id })).data;
    await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'no' });
    await finished(id);
    await prompt(id, '@permission Write b.txt');
    await finished(id);
    expect(await texts(id)).toEqual(['Write denied', 'Write allowed']);
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, '@permission Write c.txt');
    await finished(id);
    expect(await currentOf(id)).toEqual(confirmed);
  });

  it('refuses unknown options and values, naming the ones it has', async () => {
    const { id } = await start('@say ready');
    await finished(id);
    const set = (optionId: string, value: string) =>
      refusal(c.client.call('sessions.setOption', { sessionId: id, optionId, value }));
    expect(await set('speed', 'fast')).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('mode, model'),
    });
    expect(await set('model', 'huge')).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('small, large'),
    });
  });

  it('tells the session which mode it has chosen by itself, but stays below the ceiling', async () => {
    const { id } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted-acp',
      permissionMode: 'plan',
      permissionCeiling: 'acceptEdits',
      initialPrompt: '@mode acceptEdits\n@say first',
    });
    await finished(id);
    expect((await get(id)).permissionConfig).toMatchObject({ mode: 'acceptEdits', applies: 'now' });
    await prompt(id, '@mode bypassPermissions');
    await finished(id);
    await c.until('its mode', async () => (await currentOf(id)).mode === 'acceptEdits');
    const session = await get(id);
    expect(session.permissionConfig).toMatchObject({ mode: 'acceptEdits' });
    expect(session.workers[0]?.warnings.join()).toMatch(/above the ceiling acceptEdits/);
  });

  it.each([
    ['needs-login', /not logged in/],
    ['broken', /could not open the conversation: Disk full/],
  ])('fails its task when it is %s', async (agentId, message) => {
    const { id, taskId } = await c.client.call('sessions.create', { cwd: c.folder, agentId, initialPrompt: 'Hello' });
    await c.until('its end', async () => (await taskOf(taskId ?? '')).endedAt !== null);
    expect(await taskOf(taskId ?? '')).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(message) },
    });
    await c.until('the end of the process', async () =>
      (await get(id)).workers.every(({ state }) => state === 'exited'),
    );
  });

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
    // Created one after the other, because they are offered in that order.
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

  it('is read by messages, each once and whole', async () => {
    const { id } = await start('@say one\n@edit c.txt made\n@chunks 50 word');
    await finished(id);
    const newest = await c.client.call('sessions.output', { sessionId: id });
    expect(newest).toMatchObject({ rendered: 'messages', truncated: false });
    expect(newest.text.split('\n')).toEqual([
      'one',
      'Edit c.txt · completed',
      expect.stringMatching(/^word0 .*word49 $/),
    ]);
    const pages: string[] = [];
    for (let sinceOffset = 0, more = true; more; ) {
      const page = await c.client.call('sessions.output', { sessionId: id, sinceOffset, maxBytes: 100 });
      if (page.text !== '') pages.push(page.text.slice(0, 3));
      more = page.truncated;
      sinceOffset = page.nextOffset;
    }
    expect(pages).toEqual(['one', 'wor']);
    const rest = await c.client.call('sessions.output', { sessionId: id, sinceOffset: newest.nextOffset });
    expect(rest.text).toBe('');
  });

  it('is answered and goes on whatever it asks of files', async () => {
    execFileSync('mkfifo', [join(c.folder, 'pipe')]);
    writeFileSync(join(c.folder, 'plain.txt'), '');
    const lines = [
      '@read pipe',
      '@edit pipe x',
      '@edit plain.txt/below x',
      '@read .',
      '@edit .GIT/hook x',
      '@say after',
    ];
    const { id } = await start(lines.join('\n'));
    await finished(id);
    const said = await texts(id);
    expect(said).toHaveLength(6);
    for (const text of said.slice(0, 5)) expect(text).toMatch(/^error: /);
    expect(said.at(-1)).toBe('after');
  });

  it('ends a turn only once, however often it answers', async () => {
    const { id } = await start('@say one');
    await finished(id);
    const [first] = (await c.client.call('sessions.events', { sessionId: id, limit: 500 })).data.flatMap((event) =>
      event.type === 'input.accepted' ? [String(event.data.inputId)] : [],
    );
    const again = JSON.stringify({ jsonrpc: '2.0', id: `prompt:${first}`, result: { stopReason: 'end_turn' } });
    const { taskId } = await prompt(id, `@raw ${again}\n@sleep 200\n@say two`);
    await finished(id);
    expect(await texts(id)).toEqual(['one', 'two']);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed' });
  });

  it('gets its instructions with the first prompt of each process that is no command, unless it takes them before', async () => {
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
      // The conversation shows only what people and agents wrote.
      const shown = (await messagesOf(id)).map(({ parts }) => parts[0]?.text);
      expect(shown).toEqual(['/status', 'first', 'second', 'third']);
    }
  });

  it('is ended at a line without end: its task fails, its parent is told, and its queue goes on', async () => {
    const [main] = (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data;
    const child = { agentId: 'flooding', branch: 'feature/flood', prompt: 'flood' };
    const parent = await c.client.call('sessions.create', {
      worktreeId: main?.id ?? '',
      agentId: 'scripted-acp',
      initialPrompt: `@tool delegate_to_worktree ${JSON.stringify(child)}`,
    });
    const row = await c.until(
      'the delegation',
      async () => (await c.client.call('delegations.list', { parentSessionId: parent.id })).data[0],
    );
    const { taskId: next } = await c.client.call('sessions.prompt', { sessionId: row.sessionId, prompt: 'next' });
    await c.until('the end of the next task', async () => (await taskOf(next)).endedAt !== null);
    expect(await taskOf(row.taskId)).toMatchObject({
      status: 'failed',
      error: { code: 'AGENT_UNAVAILABLE', message: expect.stringContaining('a line of more than 16 MiB') },
    });
    expect(await taskOf(next)).toMatchObject({ status: 'completed' });
    const { workers } = await get(row.sessionId);
    expect(workers.map(({ state, signal }) => [state, signal])).toEqual([
      ['exited', 'SIGHUP'],
      ['running', null],
    ]);
    await finished(parent.id);
    await c.until('the notice', async () =>
      (await texts(parent.id)).some((text) => String(text).startsWith('noticed 1')),
    );
  });

  it('is answered although it uses the ids of its requests twice, and is asked about once', async () => {
    const { id, taskId } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'stuttering',
      initialPrompt: 'Hello',
    });
    await c.until('a question', async () => (await get(id)).status === 'awaiting_input');
    const { data } = await c.client.call('approvals.list', { sessionId: id });
    expect(data).toHaveLength(1);
    await c.client.call('approvals.answer', { approvalId: data[0]?.id ?? '', optionId: 'y' });
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed' });
    expect(answers).toEqual([6, 6, 7]);
  });

  it('fails a task whose agent reports the failure in its own way, and counts the tokens of each turn', async () => {
    const { id, taskId } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'codex-like',
      initialPrompt: 'please break',
    });
    await c.until('its end', async () => (await taskOf(taskId ?? '')).endedAt !== null);
    const usage = { inputTokens: 40, outputTokens: 20, cacheReadTokens: 10, costUsd: null, source: 'protocol' };
    expect(await taskOf(taskId ?? '')).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('It is on fire.') },
      usage,
    });
    const { taskId: next } = await prompt(id, 'once more');
    await finished(id);
    expect(await taskOf(next)).toMatchObject({ status: 'completed', usage });
  });

  it.each([
    ['plan', 'plain', [expect.stringContaining('has no mode that corresponds to plan')]],
    ['acceptEdits', 'plain', []],
    ['plan', 'moody', [expect.stringContaining('has no mode (ask, yolo) that corresponds to plan')]],
    ['bypassPermissions', 'moody', []],
  ] as const)(
    'says if the mode %s is none of those of an agent that is %s',
    async (permissionMode, agentId, expected) => {
      const { id } = await c.client.call('sessions.create', {
        cwd: c.folder,
        agentId,
        permissionMode,
        initialPrompt: 'Hello',
      });
      await finished(id);
      expect((await get(id)).workers[0]?.warnings).toEqual(expected);
    },
  );

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

  it('names its session, until a person does', async () => {
    const title = (text: string) => `@update {"sessionUpdate":"session_info_update","title":"${text}"}`;
    const { id } = await start(`${title('First name')}\n${title('Second name')}`);
    await finished(id);
    expect((await get(id)).title).toBe('Second name');
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, title('Third name'));
    await finished(id);
    expect((await get(id)).title).toBe('Third name');
    await c.client.call('sessions.update', { sessionId: id, title: 'My own' });
    await prompt(id, title('Fourth name'));
    await finished(id);
    expect((await get(id)).title).toBe('My own');
  });

  it('begins a new conversation, and says so, if the agent cannot continue the old one', async () => {
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

  it('stays idle when its agent says something between turns', async () => {
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

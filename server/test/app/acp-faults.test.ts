import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACP_CANCEL_MS, ACP_LINE_MAX_BYTES } from '@agent-console/shared/limits/acp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf, answering, defineAcpAgents } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

/** Returns an agent that answers `initialize` with success, and any other request with the given error. */
const refusing = (error: { code: number; message: string }) =>
  answering((method) =>
    method === 'initialize' ? { result: { protocolVersion: 1, agentCapabilities: {} } } : { error },
  );

/** An agent that answers a prompt containing "flood" with an endless line, and any other prompt immediately. */
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

/** An agent that ends a turn only if its prompt is "next". Even a cancellation does not end any other turn. */
const deaf: OpenProgram = ({ print, ended }) => {
  const send = (message: object) => print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const content = { type: 'text', text: 'so far' };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1 },
    'session/new': { sessionId: 'deaf' },
    'session/prompt': { stopReason: 'end_turn' },
  };
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        const isEndless = method === 'session/prompt' && params.prompt.at(-1).text !== 'next';
        if (isEndless) send({ method: 'session/update', params: { sessionId: 'deaf', update } });
        else if (id !== undefined) send({ id, result: results[method] ?? {} });
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};
/** Milliseconds by which the clock of the server is ahead. */
let ahead = 0;

/** Ids of the requests for which the agent got an answer. */
const answers: unknown[] = [];

/** An agent that sends each request twice with the same id. It ends its turn when it gets the permission. */
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

/** An agent that ends failed turns like completed ones, as the adapter of Codex does. */
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
      flooding,
      stuttering,
      deaf,
      'codex-like': codexLike,
    },
    now: () => new Date(Date.now() + ahead),
  });
  await defineAcpAgents(c, ['needs-login', 'broken', 'flooding', 'stuttering', 'deaf']);
  const path = join(c.folder, 'codex-like');
  writeFileSync(path, '', { mode: 0o755 });
  await c.client.call('agents.create', { id: 'codex-like', name: 'Like Codex', command: [path], kind: 'codex-acp' });
});
afterAll(() => c.close());

const { get, prompt, taskOf, finished } = sessionsOf(() => c);
const { start, texts } = acpSessionsOf(() => c);

describe('an agent over ACP that breaks the rules', () => {
  it.each([
    ['a line that is not JSON', 'Loading…', 'not JSON: Loading…'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":99,"result":{}}', 'a response to request 99, which was never sent'],
    [
      'an update of another session',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":[]}}}',
      'an update of conversation x',
    ],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"_x/unknown","params":{}}', null],
    ['an unknown request', '{"jsonrpc":"2.0","id":7,"method":"_x/unknown","params":{}}', null],
  ])('continues after %s, and is reported once if that violates the protocol', async (_, line, fault) => {
    const { id, taskId } = await start(`@say before\n@raw ${line}\n@raw ${line}\n@say after`);
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed' });
    expect(await texts(id)).toEqual(['before', 'after']);
    const warning = `The console ignored a line of the agent that violates the protocol: ${fault}`;
    expect((await get(id)).workers[0]?.warnings).toEqual(fault === null ? [] : [expect.stringContaining(warning)]);
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

  it('is ended at an endless line: its task fails, its parent gets a notice, and its queue continues', async () => {
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

  it('gets answers although it uses request ids twice, and its question is asked once', async () => {
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

  it('is ended if it ignores that its task was cancelled and a person sends the next prompt at once', async () => {
    const { id, taskId } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'deaf',
      initialPrompt: 'endless',
    });
    await c.until('the first words', async () => (await texts(id)).length === 1);
    await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
    const { taskId: next } = await prompt(id, 'next');
    await c.until('the reason', async () => {
      ahead += ACP_CANCEL_MS;
      await c.client.call('sessions.update', { sessionId: id, title: `${ahead} ms later` });
      return (await taskOf(next)).blocked?.startsWith('the agent does not stop');
    });
    await c.client.call('tasks.sendNow', { taskId: next });
    await finished(id);
    expect(await taskOf(next)).toMatchObject({ status: 'completed', blocked: null });
    expect((await get(id)).workers.map(({ state }) => state)).toEqual(['exited', 'running']);
  });

  it('fails its task if it reports the failure in its own way, and the tokens of each turn are counted', async () => {
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

  it('ends a turn only once, even if it answers several times', async () => {
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
});

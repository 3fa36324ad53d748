import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { defineAcpAgents } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { type OpenProgram, scriptedAcpAgent } from '../support/memory-runner/programs.ts';

/** Requests and answers that the agents `guarded` and `crossing` received, in order. */
const received: { id?: string | number; method?: string; params?: object; result?: object }[] = [];

/** The scripted agent over ACP, configured to require a login. Its transcripts are in a folder beside its program. */
const guarded: OpenProgram = (place) => {
  const folder = join(place.spec.file, '..', 'transcripts');
  const env = { ...place.spec.env, SCRIPTED_AGENT_LOGIN: 'required' };
  const program = scriptedAcpAgent({ ...place, spec: { ...place.spec, args: ['', '', folder], env } });
  return {
    ...program,
    input(data) {
      for (const line of data.toString().trim().split('\n')) received.push(JSON.parse(line));
      return program.input(data);
    },
  };
};

/** The texts of each prompt that the agent `slow` completed or refused. */
const answered: string[][] = [];
/** The token with which the agent `slow` calls the console. */
let token = '';

/**
 * An agent that refuses prompts until somebody logs in, and refuses them again after the prompt "log out". It can get
 * the console's instructions only in a prompt. It reads a file before it answers a prompt, so that the console has
 * stored that the prompt was sent.
 */
const slow: OpenProgram = ({ spec, print, ended }) => {
  const send = (message: object) => print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, authMethods: [{ id: 'key', name: 'Use a key' }] },
    'session/new': { sessionId: 'slow' },
  };
  let isLoggedIn = false;
  let prompt: { id: string; texts: string[] } | undefined;
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, params } = JSON.parse(line);
        if (method === 'authenticate') isLoggedIn = true;
        if (method === 'session/new') token = params.mcpServers[0].env.at(-1).value;
        if (method === 'session/prompt') {
          prompt = { id, texts: params.prompt.map(({ text }: { text: string }) => text) };
          send({ id: 1, method: 'fs/read_text_file', params: { sessionId: 'slow', path: join(spec.cwd, 'none') } });
        } else if (method !== undefined) send({ id, result: results[method] ?? {} });
        else if (prompt !== undefined) {
          answered.push(prompt.texts);
          const answer = isLoggedIn
            ? { result: { stopReason: 'end_turn' } }
            : { error: { code: -32_000, message: 'No' } };
          if (prompt.texts.includes('log out')) isLoggedIn = false;
          send({ id: prompt.id, ...answer });
        }
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};

/** An agent that asks a person as soon as its prompt is cancelled, and ends the turn once it has all answers. */
const crossing: OpenProgram = ({ print, ended }) => {
  const send = (message: object) => print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const sessionId = 'crossing';
  const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
  const form = { mode: 'form', message: 'Fill this in.', requestedSchema: { type: 'object', properties: {} } };
  const link = { mode: 'url', message: 'Open this page.', url: 'https://example.com/', elicitationId: 'E' };
  const questions = [
    ['session/request_permission', { sessionId, toolCall: { toolCallId: 't', title: 'Write' }, options }],
    ['elicitation/create', { sessionId, ...form }],
    ['elicitation/create', { sessionId, ...link }],
  ] as const;
  const results: Record<string, object> = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId } };
  let promptId = '';
  let open = 0;
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const message = JSON.parse(line);
        received.push(message);
        const { id, method, params } = message;
        if (method === undefined) {
          open -= 1;
          if (open === 0) send({ id: promptId, result: { stopReason: 'cancelled' } });
        } else if (method === 'session/cancel') {
          open = questions.length;
          for (const [at, [name, asked]] of questions.entries()) send({ id: at, method: name, params: asked });
        } else if (method !== 'session/prompt') send({ id, result: results[method] ?? {} });
        else if (params.prompt.at(-1).text === 'next') send({ id, result: { stopReason: 'end_turn' } });
        else promptId = id;
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { guarded, slow, crossing } });
  await defineAcpAgents(c, ['guarded', 'slow', 'crossing']);
});
afterAll(() => c.close());

const { get, prompt, taskOf, finished, agentOf } = sessionsOf(() => c);
const start = (agentId: string, initialPrompt: string) =>
  c.client.call('sessions.create', { cwd: c.folder, agentId, initialPrompt });
const texts = async (sessionId: string) =>
  (await c.client.call('sessions.messages', { sessionId })).data.flatMap(({ role, kind, parts }) =>
    role === 'agent' && kind === 'text' ? [parts[0]?.text] : [],
  );
const question = (sessionId: string) =>
  c.until('a question', async () => (await c.client.call('approvals.list', { sessionId })).data[0]);
const answer = (approvalId: string, optionId: string, values?: Record<string, string | number | boolean | string[]>) =>
  c.client.call('approvals.answer', { approvalId, optionId, ...(values === undefined ? {} : { values }) });
const methodsOf = () => received.map(({ id, method }) => `${method} ${id}`);

describe('an agent that needs a log-in', () => {
  it('asks for a method, names the terminal command of each, and continues after the log-in', async () => {
    received.length = 0;
    const { id, taskId } = await start('guarded', '@say in');
    const asked = await question(id);
    expect(asked).toMatchObject({ kind: 'login', taskId, source: 'protocol', fields: [], url: null });
    expect(asked.text).toContain('guarded needs a log-in: Authentication required');
    expect(asked.text).toContain(`LOGIN='a b' ${join(c.folder, 'guarded')} --login`);
    expect(asked.options.map(({ id: option, kind }) => `${option} ${kind}`)).toEqual([
      'login:once other',
      'login:code other',
      'login:expired other',
      'retry other',
      'cancel deny',
    ]);
    expect(await get(id)).toMatchObject({ status: 'awaiting_input', workers: [{ activityState: 'asking' }] });
    await answer(asked.id, 'login:once');
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed' });
    expect(await texts(id)).toEqual(['in']);
    expect(methodsOf().slice(0, 4)).toEqual([
      'initialize initialize',
      'session/new open',
      'authenticate authenticate:1',
      'session/new open:1',
    ]);
    expect(await refusal(answer(asked.id, 'retry'))).toMatchObject({ code: 'CONFLICT' });
  });

  it('asks again with the error of the agent, also for a code, even after a restart', async () => {
    const { id } = await start('guarded', '@say in');
    await answer((await question(id)).id, 'login:expired');
    expect((await question(id)).text).toContain('the code has expired');
    await answer((await question(id)).id, 'login:code');
    const form = await question(id);
    await c.restart();
    expect(form).toMatchObject({ kind: 'form', text: 'Enter the code.', fields: [{ id: 'code', type: 'text' }] });
    await answer(form.id, 'accept', { code: '000000' });
    expect((await question(id)).text).toContain('wrong code');
    await answer((await question(id)).id, 'login:code');
    await answer((await question(id)).id, 'accept', { code: '123456' });
    await finished(id);
    expect(await texts(id)).toEqual(['in']);
  });

  it('tries again after a log-in elsewhere', async () => {
    const { id } = await start('guarded', '@say in');
    await answer((await question(id)).id, 'retry');
    const again = await question(id);
    const marker = join(c.folder, 'transcripts', 'logged-in');
    writeFileSync(marker, '');
    await answer(again.id, 'retry');
    await finished(id);
    expect(await texts(id)).toEqual(['in']);
    rmSync(marker);
  });

  it('notifies the parent that it waits and that the log-in was cancelled; the next prompt asks again', async () => {
    const child = { agentId: 'guarded', prompt: '@say in', branch: 'guarded' };
    const parent = await c.client.call('sessions.create', {
      worktreeId: (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data[0]?.id ?? '',
      agentId: 'scripted-acp',
      initialPrompt: `@tool delegate_to_worktree ${JSON.stringify(child)}`,
    });
    const { sessionId: id, taskId } = await c.until('the child', async () => {
      return (await c.client.call('delegations.list', {})).data.find(({ branch }) => branch === 'guarded');
    });
    const asked = await question(id);
    const noticed = async (count: number) =>
      c.until(
        'a notice',
        async () => (await texts(parent.id)).filter((text) => String(text).startsWith('noticed')).length === count,
      );
    await noticed(1);
    await answer(asked.id, 'cancel');
    await noticed(2);
    expect(await taskOf(taskId)).toMatchObject({
      status: 'failed',
      error: { code: 'AGENT_UNAVAILABLE', message: expect.stringContaining('log-in was cancelled') },
    });
    await c.until('the end of the agent', async () => (await agentOf(id)).state === 'exited');
    await prompt(id, '@say later');
    await answer((await question(id)).id, 'login:once');
    await finished(id);
    expect(await texts(id)).toContain('later');
  });

  it('sends a refused prompt again after the log-in', async () => {
    const { id } = await start('guarded', '@logout');
    await answer((await question(id)).id, 'login:once');
    await finished(id);
    const { taskId } = await prompt(id, '@say once');
    const asked = await question(id);
    expect(asked).toMatchObject({ kind: 'login', taskId });
    await answer(asked.id, 'login:once');
    await finished(id);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed' });
    expect(await texts(id)).toEqual(['once']);
    const users = (await c.client.call('sessions.messages', { sessionId: id })).data.filter(
      ({ role }) => role === 'user',
    );
    expect(users).toHaveLength(2);
  });

  it('gets its instructions again with a refused prompt', async () => {
    answered.length = 0;
    const { id } = await start('slow', 'first');
    await answer((await question(id)).id, 'login:key');
    await finished(id);
    await prompt(id, 'second');
    await finished(id);
    const own = expect.stringContaining(`session ${id}`);
    expect(answered).toEqual([[own, 'first'], [own, 'first'], ['second']]);
  });

  it('gets a refused notice in its next process', async () => {
    const [main] = (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data;
    const { id } = await c.client.call('sessions.create', { worktreeId: main?.id ?? '', agentId: 'slow' });
    await prompt(id, 'first');
    await answer((await question(id)).id, 'login:key');
    await finished(id);
    await prompt(id, 'log out');
    await finished(id);
    answered.length = 0;
    const parent = createClient({ baseUrl: c.baseUrl, token, insideWorker: true });
    await parent.call('delegations.create', { agentId: 'scripted', prompt: '@report succeeded built' });
    await question(id);
    await c.client.call('sessions.stop', { sessionId: id });
    await c.client.call('sessions.resume', { sessionId: id });
    await answer((await question(id)).id, 'login:key');
    await finished(id);
    const notice = expect.stringContaining('built');
    expect(answered.map((texts) => texts.at(-1))).toEqual([notice, notice, notice]);
  });

  it('does not pass a check, which says why', async () => {
    const { ok, checks } = await c.client.call('agents.check', { id: 'guarded' });
    expect(ok).toBe(false);
    expect(checks).toContainEqual({
      name: 'start',
      result: 'no',
      detail: expect.stringContaining('The agent needs a log-in.'),
    });
  });

  it('withdraws its question when it ends', async () => {
    const { id } = await start('guarded', '@say in');
    const asked = await question(id);
    c.runner.kill((await agentOf(id)).id);
    await c.until('the withdrawal', async () => {
      return (await c.client.call('approvals.get', { approvalId: asked.id })).state === 'withdrawn';
    });
  });
});

const FORM = JSON.stringify({
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    count: { type: 'integer', default: 3 },
    color: { type: 'string', enum: ['red', 'blue'] },
    password: { type: 'string', title: 'Password' },
  },
  required: ['name'],
});
const SECRET = 'correct-horse-battery';

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

describe('questions that cross the cancellation of their prompt', () => {
  it('are answered as cancelled without a person, and the queue continues', async () => {
    received.length = 0;
    const { id, taskId } = await start('crossing', 'Hello');
    await c.until('the prompt', async () => received.some(({ method }) => method === 'session/prompt'));
    await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
    const next = await prompt(id, 'next');
    await finished(id);
    expect(await taskOf(next.taskId)).toMatchObject({ status: 'completed' });
    expect(received.filter(({ method }) => method === undefined).map(({ id, result }) => [id, result])).toEqual([
      [0, { outcome: { outcome: 'cancelled' } }],
      [1, { action: 'cancel' }],
      [2, { action: 'cancel' }],
    ]);
    for (const state of ['pending', 'withdrawn'] as const) {
      expect((await c.client.call('approvals.list', { sessionId: id, state })).total).toBe(0);
    }
  });
});

it('a question is answered before a person may correct the activity of its agent', async () => {
  const { id, taskId } = await start('scripted-acp', '@ask Now?');
  const asked = await question(id);
  const worker = await agentOf(id);
  for (const activityState of ['active', 'idle'] as const) {
    const refused = await refusal(c.client.call('workers.correctActivity', { workerId: worker.id, activityState }));
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { approvalId: asked.id } });
  }
  expect(await question(id)).toEqual(asked);
  await answer(asked.id, 'yes');
  await finished(id);
  expect(await taskOf(taskId ?? '')).toMatchObject({ status: 'completed' });
});

describe('a form', () => {
  it('is filled in, checked, and sent with its defaults', async () => {
    const { id, taskId } = await start('scripted-acp', `@form ${FORM}`);
    const form = await question(id);
    expect(form).toMatchObject({ kind: 'form', text: 'Fill this in.', taskId, options: [{ id: 'accept' }, {}, {}] });
    expect(form.fields.map(({ id: field, type, required }) => [field, type, required])).toEqual([
      ['name', 'text', true],
      ['count', 'integer', false],
      ['color', 'choice', false],
      ['password', 'text', false],
    ]);
    const wrong = await refusal(answer(form.id, 'accept', { name: 'x', color: 'green', password: SECRET }));
    expect(wrong).toMatchObject({
      code: 'VALIDATION',
      details: { issues: [{ path: 'values.name' }, { path: 'values.color' }] },
    });
    expect(JSON.stringify(wrong)).not.toContain(SECRET);
    expect(await refusal(answer(form.id, 'decline', { name: 'ab' }))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(answer(form.id, 'accept'))).toMatchObject({ message: expect.stringContaining('values.name') });
    await answer(form.id, 'accept', { name: 'ab', color: 'blue' });
    await finished(id);
    expect(await texts(id)).toEqual(['form accept {"name":"ab","count":3,"color":"blue"}']);
    expect(await c.client.call('approvals.get', { approvalId: form.id })).toMatchObject({ state: 'answered' });
  });

  it.each(['decline', 'cancel'])('can be answered with %s', async (option) => {
    const { id } = await start('scripted-acp', `@form ${FORM}`);
    await answer((await question(id)).id, option);
    await finished(id);
    expect(await texts(id)).toEqual([`form ${option} null`]);
  });

  it('leaves no secret in the console', async () => {
    const { id } = await start('guarded', '@sleep 60000');
    await answer((await question(id)).id, 'login:code');
    const form = await question(id);
    await answer(form.id, 'accept', { code: '654321' });
    await question(id);
    expect(filesWith(c.home, '654321')).toEqual([]);
    expect(received.some(({ result }) => JSON.stringify(result ?? {}).includes('654321'))).toBe(true);
  });

  /** Sets an approval back to the state in which the console has claimed its answer, but has not yet sent it. */
  function claim(approvalId: string): void {
    const db = new LibSql(join(c.home, 'console.db'));
    const claimed =
      "update approvals set state = 'pending', optionId = 'accept', answeredBy = 'user:x', endedAt = null";
    db.prepare(`${claimed} where id = ?`).run(approvalId);
    db.close();
  }

  it('whose answer was claimed when the server died is sent once, with its values', async () => {
    const { id } = await start('guarded', '@say in');
    await answer((await question(id)).id, 'login:code');
    const form = await question(id);
    const file = join(c.home, 'workers', form.workerId ?? '', 'process', `answer-${form.id}.json`);
    writeFileSync(file, '{"code":"123456"}', { mode: 0o600 });
    claim(form.id);
    received.length = 0;
    await c.restart();
    await finished(id);
    expect(await texts(id)).toEqual(['in']);
    const sent = received.filter(({ method }) => method === undefined);
    expect(sent).toMatchObject([{ result: { action: 'accept', content: { code: '123456' } } }]);
    expect(existsSync(file)).toBe(false);
    // Simulates a server that died after it had sent the answer, but before it had stored this fact.
    claim(form.id);
    await c.restart();
    await c.until('the answer', async () => {
      return (await c.client.call('approvals.get', { approvalId: form.id })).state === 'answered';
    });
    expect(received.filter(({ method }) => method === undefined)).toEqual(sent);
  });

  it('is withdrawn and answered when its prompt is cancelled', async () => {
    const { id, taskId } = await start('scripted-acp', `@form ${FORM}`);
    const form = await question(id);
    await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
    await prompt(id, '@say next');
    await finished(id);
    expect((await texts(id)).at(-1)).toBe('next');
    expect(await c.client.call('approvals.get', { approvalId: form.id })).toMatchObject({ state: 'withdrawn' });
  });

  it('that cannot be filled in is refused, and the agent continues', async () => {
    const { id } = await start(
      'scripted-acp',
      '@form {"properties":{"x":{"type":"hologram"}},"required":["x"]}\n@say on',
    );
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('error: '), 'on']);
  });
});

describe('a link', () => {
  it.each(['accept', 'decline', 'cancel'])('is answered with %s', async (option) => {
    const { id } = await start('scripted-acp', '@link https://example.com/login?code=1');
    const link = await question(id);
    expect(link).toMatchObject({ kind: 'link', text: 'Open this page.', url: 'https://example.com/login?code=1' });
    await answer(link.id, option);
    await finished(id);
    expect(await texts(id)).toEqual([`link ${option}`]);
  });

  it('is closed by the agent when the person has finished on the page', async () => {
    const link = { mode: 'url', message: 'Open', url: 'https://example.com/', elicitationId: 'E', requestId: 'any' };
    const raw = (message: object) => `@raw ${JSON.stringify({ jsonrpc: '2.0', ...message })}`;
    const { id } = await start(
      'guarded',
      [
        raw({ id: 'link', method: 'elicitation/create', params: link }),
        '@permission Write a.txt',
        raw({ method: 'elicitation/complete', params: { elicitationId: 'E' } }),
        '@say on',
      ].join('\n'),
    );
    await answer((await question(id)).id, 'login:once');
    const asked = await c.until('two questions', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId: id });
      return data.length === 2 ? data : undefined;
    });
    const permission = asked.find(({ kind }) => kind === 'question');
    await answer(permission?.id ?? '', 'yes');
    await finished(id);
    expect((await texts(id)).at(-1)).toBe('on');
    const { data } = await c.client.call('approvals.list', { sessionId: id, state: 'withdrawn' });
    expect(data).toMatchObject([{ kind: 'link', optionId: null }]);
    expect(received.filter((frame) => frame.id === 'link')).toEqual([
      { jsonrpc: '2.0', id: 'link', result: { action: 'accept' } },
    ]);
  });

  it('is not shown if the agent closes it immediately', async () => {
    const { id } = await start('scripted-acp', '@link https://example.com/ done');
    await finished(id);
    expect(await texts(id)).toEqual(['link accept']);
  });

  it('that is not a web address is refused', async () => {
    const { id } = await start('scripted-acp', '@link javascript:alert(1)\n@say on');
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('only http and https'), 'on']);
  });
});

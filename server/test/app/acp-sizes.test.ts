import {
  ACP_MESSAGE_MAX_CHARS,
  ACP_MESSAGE_PARTS_MAX,
  ACP_PLAN_ENTRIES_MAX,
  ACP_QUESTIONS_MAX,
  ACP_REQUESTS_MAX,
  ACP_REQUESTS_WAITING_MAX,
  ACP_VALUE_MAX_CHARS,
} from '@agent-console/shared/limits/acp';
import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { defineAcpAgents } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

/**
 * Messages that the agent sends at its next prompt: first the updates (objects or JSON text), then the requests. The
 * agent ends its turn when all requests are answered.
 */
let updates: (object | string)[] = [];
let requests: { method: string; params: object }[] = [];
/** The answers that the agent gets to its requests, in the order of their arrival. */
let answers: { id: number; error?: { message: string }; result?: object }[] = [];

/** An agent that answers each prompt with the messages in `updates` and `requests`. */
const obedient: OpenProgram = ({ print, ended }) => {
  const send = (...messages: object[]) =>
    print(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
    'session/new': { sessionId: 'obedient' },
  };
  let promptId = '';
  const endTurn = () => send({ id: promptId, result: { stopReason: 'end_turn' } });
  return {
    input(data) {
      for (const line of data.toString().trim().split('\n')) {
        const { id, method, ...rest } = JSON.parse(line);
        if (method === 'session/prompt') {
          promptId = id;
          for (const update of updates) {
            const json = typeof update === 'string' ? update : JSON.stringify(update);
            const params = `{"sessionId":"obedient","update":${json}}`;
            print(`{"jsonrpc":"2.0","method":"session/update","params":${params}}\n`);
          }
          send(...requests.map((request, at) => ({ id: at, ...request })));
          if (requests.length === 0) endTurn();
        } else if (method !== undefined) send({ id, result: results[method] ?? {} });
        else if (answers.push({ id, ...rest }) === requests.length) endTurn();
      }
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  };
};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { obedient } });
  await defineAcpAgents(c, ['obedient']);
});
afterAll(() => c.close());

const { prompt, taskOf, finished } = sessionsOf(() => c);

async function start(todo: { updates?: typeof updates; requests?: typeof requests }) {
  updates = todo.updates ?? [];
  requests = todo.requests ?? [];
  answers = [];
  return c.client.call('sessions.create', { cwd: c.folder, agentId: 'obedient', initialPrompt: 'go' });
}

async function messagesAfter(todo: Parameters<typeof start>[0]) {
  const { id } = await start(todo);
  await finished(id);
  const { data } = await c.client.call('sessions.messages', { sessionId: id });
  return data.filter(({ role }) => role === 'agent');
}

const chunk = (text: string, messageId = 'm') => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});

describe('a message of an agent', () => {
  it('that is too long for one row continues in the next, with nothing lost', async () => {
    // The first chunk is too long for two database rows. Its first row would end in the middle of 😀, a surrogate pair.
    const long = `${'x'.repeat(ACP_MESSAGE_MAX_CHARS - 1)}😀${'y'.repeat(ACP_MESSAGE_MAX_CHARS)}`;
    const small = Array.from({ length: 30 }, (_, at) => `${at} ${'z'.repeat(5_000)}`);
    const rows = await messagesAfter({ updates: [chunk(long), ...small.map((text) => chunk(text))] });
    expect(rows.map(({ parts }) => parts[0]?.text).join('')).toBe(long + small.join(''));
    expect(rows.map(({ parts }) => parts[0]?.continues)).toEqual([undefined, true, true, true]);
    for (const { parts } of rows) expect(String(parts[0]?.text).length).toBeLessThanOrEqual(ACP_MESSAGE_MAX_CHARS);
    expect(new Set(rows.map(({ logOffset }) => logOffset)).size).toBe(rows.length);
  });

  it('that is too long for a summary is truncated to its beginning, with a mark', async () => {
    const long = `begin${'x'.repeat(ACP_MESSAGE_MAX_CHARS)}`;
    const { id, taskId } = await start({ updates: [chunk(long), chunk('end')] });
    await finished(id);
    const { summary } = await taskOf(taskId ?? '');
    expect(summary).toMatch(/^begin.*… \[cut; the session's conversation contains the whole text\]$/);
    expect(summary?.length).toBeLessThanOrEqual(TEXT_MAX_CHARS);
  });

  it('can be read completely in pages, and a page that is too small for a message says so', async () => {
    const { id } = await start({ updates: [chunk('a'.repeat(250_000)), chunk('b', 'n')] });
    await finished(id);
    const pages: string[] = [];
    for (let sinceOffset = 0; ; ) {
      const page = await c.client.call('sessions.output', { sessionId: id, sinceOffset, maxBytes: 1_000 });
      pages.push(page.text);
      if (!page.truncated) break;
      sinceOffset = page.nextOffset;
    }
    const cut = /^a+… \[cut; the session's messages contain the full text\]$/;
    expect(pages).toEqual([expect.stringMatching(cut), expect.stringMatching(cut), expect.stringMatching(cut), 'b']);
  });

  it('with very many parts continues in the next row', async () => {
    const link = (at: number) => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'resource_link', uri: `file:///${at}`, name: `${at}` },
    });
    const rows = await messagesAfter({
      updates: Array.from({ length: ACP_MESSAGE_PARTS_MAX + 5 }, (_, at) => link(at)),
    });
    expect(rows.map(({ parts }) => parts.length)).toEqual([ACP_MESSAGE_PARTS_MAX, 5]);
    expect(rows.flatMap(({ parts }) => parts.map(({ name }) => Number(name)))).toEqual(
      Array.from({ length: ACP_MESSAGE_PARTS_MAX + 5 }, (_, at) => at),
    );
  });
});

describe('a part that is too large to be stored', () => {
  const huge = 'x'.repeat(ACP_VALUE_MAX_CHARS + 1);
  const call = (fields: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });

  it('is named in its tool call until it is replaced', async () => {
    const diff = { type: 'diff', path: '/a', oldText: 'old', newText: huge };
    const text = { type: 'content', content: { type: 'text', text: 'fine' } };
    const first = call({ title: 'Write', content: [text, diff], rawInput: { path: '/a', text: huge } });
    const [row] = await messagesAfter({ updates: [first] });
    expect(row?.parts[0]).toMatchObject({ truncated: ['content', 'input'], content: [text, { truncated: true }] });
    expect((row?.parts[0]?.content as unknown[] | undefined)?.[1]).toEqual({
      type: 'diff',
      path: '/a',
      oldText: 'old',
      truncated: true,
    });
    const input = row?.parts[0]?.input as { path: string; text: string };
    expect(input.path).toBe('/a');
    expect(input.text).toHaveLength(ACP_VALUE_MAX_CHARS - '/a'.length);

    const [later] = await messagesAfter({ updates: [first, call({ content: [text] })] });
    expect(later?.parts[0]).toMatchObject({ truncated: ['input'], content: [text] });
    const [last] = await messagesAfter({ updates: [first, call({ content: [text] }), call({ rawInput: 1 })] });
    expect(last?.parts[0]).not.toHaveProperty('truncated');
  });

  it('is handled at any depth and width', async () => {
    const nested = (value: string) =>
      `{"sessionUpdate":"tool_call","toolCallId":"${value.length}","title":"Nested","rawInput":${value}}`;
    const deep = nested(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const wide = nested(`[${Array.from({ length: 20_000 }, () => '{}').join(',')}]`);
    const rows = await messagesAfter({ updates: [deep, wide, chunk('still here')] });
    expect(rows.map(({ parts }) => parts[0]?.text ?? parts[0]?.truncated)).toEqual([
      ['input'],
      ['input'],
      'still here',
    ]);
  });

  it('is counted in a plan', async () => {
    const entries = Array.from({ length: ACP_PLAN_ENTRIES_MAX + 3 }, (_, at) => ({
      content: `step ${at}`,
      priority: 'low',
      status: 'pending',
    }));
    const [row] = await messagesAfter({ updates: [{ sessionUpdate: 'plan', entries }] });
    expect(row?.parts).toHaveLength(ACP_PLAN_ENTRIES_MAX + 1);
    expect(row?.parts.at(-1)).toEqual({ type: 'omitted', count: 3 });
  });
});

describe('an agent that asks too much at once', () => {
  const read = { method: 'fs/read_text_file', params: { sessionId: 'obedient', path: '/nowhere' } };

  it('gets an error for each request above the limit, and an answer to each other request', async () => {
    const extra = 10;
    const { id } = await start({ requests: Array.from({ length: ACP_REQUESTS_MAX + extra }, () => read) });
    await finished(id);
    expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual(requests.map((_, at) => at));
    const refused = answers.filter(({ error }) => error?.message.includes('Wait for an answer first'));
    expect(refused).toHaveLength(extra);
  });

  it('is ended if it does not stop, and its next prompt is answered', async () => {
    const many = Array.from({ length: ACP_REQUESTS_WAITING_MAX + 1 }, () => read);
    const { id, taskId } = await start({ requests: many });
    await finished(id);
    const task = await taskOf(taskId ?? '');
    expect(task).toMatchObject({ status: 'failed' });
    expect(task.error?.message).toContain(`more than ${ACP_REQUESTS_WAITING_MAX} requests`);
    requests = [];
    updates = [chunk('well again')];
    const next = await prompt(id, 'go on');
    await finished(id);
    expect(await taskOf(next.taskId)).toMatchObject({ status: 'completed', summary: 'well again' });
  });

  it('asks a person no more questions than the limit allows', async () => {
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
    const ask = (at: number) => ({
      method: 'session/request_permission',
      params: { sessionId: 'obedient', toolCall: { toolCallId: `${at}`, title: `Write ${at}` }, options },
    });
    const { id } = await start({ requests: Array.from({ length: ACP_QUESTIONS_MAX + 2 }, (_, at) => ask(at)) });
    await c.until('two answers', async () => answers.length === 2);
    expect(answers.map(({ id }) => id)).toEqual([ACP_QUESTIONS_MAX, ACP_QUESTIONS_MAX + 1]);
    const { total } = await c.client.call('approvals.list', { sessionId: id, state: 'pending' });
    expect(total).toBe(ACP_QUESTIONS_MAX);
    await c.client.call('sessions.stop', { sessionId: id });
  });
});

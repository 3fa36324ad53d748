import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { get, prompt, taskOf, finished } = sessionsOf(() => c);
const { start, texts, messagesOf } = acpSessionsOf(() => c);

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

  it('has no terminal to type into: keys of a person would corrupt its messages', async () => {
    const { id } = await start('@say ready');
    await finished(id);
    const workerId = (await get(id)).workers[0]?.id ?? '';
    const typed = c.client.call('workers.input', { workerId, data: 'hello' });
    expect(await refusal(typed)).toMatchObject({ code: 'UNSUPPORTED', details: { workerId } });
    const socket = new WebSocket(`${c.baseUrl.replace('http', 'ws')}/ws/session/${id}/worker/${workerId}`);
    const frames: { type: string; code?: string }[] = [];
    socket.on('message', (data, isBinary) => {
      if (!isBinary) frames.push(JSON.parse(data.toString()));
    });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'input', data: 'hello' })));
    await c.until('the refusal', () => frames.some(({ type }) => type === 'error'));
    expect(frames.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
    socket.terminate();
    await prompt(id, '@say understood');
    await finished(id);
    expect((await messagesOf(id)).at(-1)?.parts).toEqual([{ type: 'text', text: 'understood' }]);
  });

  it('asks for permission, and follows the answer', async () => {
    const { id, taskId } = await start('@permission Write a.txt\n@say after');
    await c.until('a question', async () => (await get(id)).status === 'awaiting_input');
    const [approval] = (await c.client.call('approvals.list', { sessionId: id })).data;
    expect(approval).toMatchObject({ text: 'Write: a.txt', source: 'protocol', taskId });
    expect(approval?.options.map(({ kind, effect }) => [kind, effect])).toEqual([
      ['allow', 'allow_once'],
      ['allow', 'allow_always'],
      ['deny', 'reject_once'],
    ]);
    const [call] = (await messagesOf(id)).flatMap(({ kind, parts }) => (kind === 'toolCall' ? parts : []));
    expect(approval?.callId).toBe(call?.callId);
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

  it('stops when its task is cancelled, even at a question, and runs the next prompt', async () => {
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

  it('continues its prompt when the server restarts meanwhile', async () => {
    const { id } = await start('@say before\n@sleep 300\n@edit b.txt made\n@say after');
    await c.until('the first words', async () => (await texts(id)).length > 0);
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

  it('stores the chunks of one message as one row, whole and in order', async () => {
    const { id } = await start('@chunks 500 word');
    await finished(id);
    const expected = Array.from({ length: 500 }, (_, at) => `word${at} `).join('');
    expect(await texts(id)).toEqual([expected]);
  });

  it.each([
    ['its context used', '@usage 10 100'],
    ['another mode', '@mode plan'],
    ['its slash commands', '@update {"sessionUpdate":"available_commands_update","availableCommands":[]}'],
    ['a title', '@update {"sessionUpdate":"session_info_update","title":"Title"}'],
    ['a line that is not JSON', '@raw Loading…'],
    ['a request', '@raw {"jsonrpc":"2.0","id":"r","method":"_x/unknown","params":{}}'],
  ])('stores one message as one row although %s arrives between its chunks', async (_, line) => {
    const chunk = (text: string) =>
      `@update ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text } })}`;
    const { id } = await start(`${chunk('one ')}\n${line}\n${chunk('two')}`);
    await finished(id);
    expect(await texts(id)).toEqual(['one two']);
  });

  it('stores chunks as another message after a tool call, a plan, another id, or the end of the turn', async () => {
    const chunk = (text: string, messageId?: string) =>
      `@update ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } })}`;
    const call = '@update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}';
    const lines = [chunk('one'), call, chunk('two'), '@plan x', chunk('three'), chunk('four', 'm'), chunk('five', 'n')];
    const { id } = await start(lines.join('\n'));
    await finished(id);
    await prompt(id, chunk('six', 'n'));
    await finished(id);
    expect(await texts(id)).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
  });

  it('stores updates of a tool call that arrive after its turn with that tool call', async () => {
    const update = (kind: string, fields: object) => `@update ${JSON.stringify({ sessionUpdate: kind, ...fields })}`;
    const begun = (toolCallId: string, title: string) =>
      update('tool_call', { toolCallId, title, status: 'in_progress' });
    const { id } = await start(`${begun('slow', 'Build')}\n${begun('again', 'Test')}`);
    await finished(id);
    await prompt(
      id,
      [
        update('tool_call_update', { toolCallId: 'slow', status: 'completed' }),
        begun('again', 'Test again'),
        update('tool_call_update', { toolCallId: 'again', status: 'failed' }),
      ].join('\n'),
    );
    await finished(id);
    const calls = (await messagesOf(id)).flatMap(({ kind, parts }) => (kind === 'toolCall' ? parts : []));
    expect(calls.map(({ title, status }) => [title, status])).toEqual([
      ['Build', 'completed'],
      ['Test', 'in_progress'],
      ['Test again', 'failed'],
    ]);
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

  it('delegates to another agent, which commits and reports, and gets one notice', async () => {
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

  it('has its messages as its output, each once and complete', async () => {
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

  it('sets the title of its session, until a person does', async () => {
    const title = (text: string) => `@update {"sessionUpdate":"session_info_update","title":"${text}"}`;
    const cut = `@say ${'x'.repeat(74)}😀`;
    const { id } = await start(`${cut}\n${title('First name')}\n${title('\\u001b[1mSecond\\r\\n\\tname ')}`);
    await finished(id);
    expect((await get(id)).title).toBe('[1mSecond name');
    await prompt(id, title(`${'x'.repeat(499)}😀`));
    await finished(id);
    expect((await get(id)).title).toBe('x'.repeat(499));
    await c.client.call('sessions.stop', { sessionId: id });
    await prompt(id, title('Third name'));
    await finished(id);
    expect((await get(id)).title).toBe('Third name');
    await c.client.call('sessions.update', { sessionId: id, title: 'My own' });
    await prompt(id, title('Fourth name'));
    await finished(id);
    expect((await get(id)).title).toBe('My own');
  });
});

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate, SetSessionConfigOptionResponse } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import { tokenOf } from '../../support/calling.ts';
import { type Editor, textPrompt } from '../../support/editor.ts';
import { editorsOf, failure, kinds } from './editors.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { get, finished } = sessionsOf(() => c);
const { open, newSession, prompt, load } = editorsOf(() => c);

describe('an editor', () => {
  it('is told the capabilities', async () => {
    const { agent } = await open();
    const told = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(told).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'agent-console' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
    });
  });

  it('is refused before it sends `initialize`', async () => {
    const { agent } = await open({ isSilent: true });
    const session = { cwd: c.folder, mcpServers: [] };
    expect(await failure(agent.request('session/new', session))).toMatchObject({ code: -32_600 });
    expect(await failure(agent.request('session/list', {}))).toMatchObject({ code: -32_600 });
  });

  it('can send `initialize` again after the console has refused it', async () => {
    let token: string | undefined = 'wrong';
    const editor = await open({ token: () => token, isSilent: true });
    const { agent } = editor;
    const initialize = () => agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(await failure(initialize())).toMatchObject({ code: -32_000 });
    token = undefined;
    await initialize();
    const sessionId = await newSession(editor);
    await prompt(editor, sessionId, '@say once');
    expect(editor.said(sessionId)).toBe('once');
  });

  it('is told what is wrong with a request', async () => {
    const { agent } = await open();
    const cwd = c.folder;
    const unknown = '01900000-0000-7000-8000-000000000000';
    const sessionId = await newSession(await open());
    for (const [call, code, message] of [
      [agent.request('session/new', { cwd: 'shop', mcpServers: [] }), -32_602, 'absolute'],
      [agent.request('session/new', { cwd: join(cwd, 'missing'), mcpServers: [] }), -32_602, 'not a directory'],
      [agent.request('session/load', { sessionId: unknown, cwd, mcpServers: [] }), -32_002, 'not found'],
      [agent.request('session/load', { sessionId, cwd: 'shop', mcpServers: [] }), -32_602, 'absolute'],
      [agent.request('session/list', { cwd: 'shop' }), -32_602, 'absolute'],
      [agent.request('session/list', { cursor: 'x' }), -32_602, 'cursor'],
      [agent.request('session/prompt', { sessionId, prompt: textPrompt('Hello') }), -32_602, 'not open'],
      [agent.request('_x/unknown', {}), -32_601, 'not found'],
    ] as const) {
      expect(await failure(call)).toMatchObject({ code, message: expect.stringContaining(message) });
    }
    await load({ agent } as Editor, sessionId);
    expect(await failure(prompt({ agent } as Editor, sessionId, ' '))).toMatchObject({ code: -32_602 });
  });
});

describe('a session of an editor', () => {
  it.each(['scripted-acp', 'scripted'])('streams the turn of a prompt by agent %s', async (agentId) => {
    const editor = await open({ agentId });
    const sessionId = await newSession(editor);
    expect(await prompt(editor, sessionId, '@say hello')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe('hello');
    expect(kinds(editor, sessionId)).not.toContain('user_message_chunk');
  });

  it('streams each kind of message, and messages that grow in parts', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const lines = ['@thought hm', '@plan read + | write ~', '@edit e.txt made', '@chunks 300 word', '@plan write +'];
    await prompt(editor, sessionId, lines.join('\n'));
    const expected = Array.from({ length: 300 }, (_, at) => `word${at} `).join('');
    expect(editor.said(sessionId)).toBe(expected);
    const updates = editor.of(sessionId);
    const of = (kind: string) => updates.filter((each) => each.sessionUpdate === kind);
    expect(of('agent_thought_chunk')).toMatchObject([{ content: { text: 'hm' } }]);
    expect(of('plan').at(-1)).toMatchObject({ entries: [{ content: 'write', status: 'completed' }] });
    const [call] = of('tool_call');
    expect(call).toMatchObject({ title: 'Edit e.txt', kind: 'edit' });
    expect([call, ...of('tool_call_update')].at(-1)).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path: join(c.folder, 'e.txt'), newText: 'made\n' }],
    });
    const ids = new Set(of('agent_message_chunk').map((each) => 'messageId' in each && each.messageId));
    expect(ids.size).toBe(1);
  });

  it.each([
    ['@stop max_tokens', { stopReason: 'max_tokens' }],
    ['@stop refusal', { stopReason: 'refusal' }],
    ['@stop max_turn_requests', { stopReason: 'max_turn_requests' }],
  ])('answers a prompt that ends by %s', async (text, answer) => {
    const editor = await open();
    expect(await prompt(editor, await newSession(editor), text)).toEqual(answer);
  });

  it.each([
    ['@fail no more credit', 'no more credit'],
    ['@crash', 'terminated by SIGKILL'],
  ])('reports why a prompt failed by %s', async (text, message) => {
    const editor = await open();
    const failed = await failure(prompt(editor, await newSession(editor), text));
    expect(failed).toMatchObject({ code: -32_603, message: expect.stringContaining(message) });
  });

  it.each(['@sleep 60000', '@permission Write a.txt'])('ends a cancelled prompt as cancelled at %s', async (text) => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, `@say first\n${text}`);
    await c.until('the first words', () => editor.said(sessionId) === 'first');
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await ended).toEqual({ stopReason: 'cancelled' });
    for (const { withdrawn } of editor.asked) await c.until('the withdrawal', () => withdrawn.aborted);
    expect(await prompt(editor, sessionId, '@say next')).toEqual({ stopReason: 'end_turn' });
    expect((await get(sessionId)).task).toMatchObject({ status: 'completed' });
  });

  it('cancels a prompt that waits in the queue', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say busy\n@sleep 600000' });
    await c.until('the first words', () => editor.said(sessionId) === 'busy');
    const ended = prompt(editor, sessionId, '@say never');
    await c.until('its task', async () => (await get(sessionId)).queued === 1);
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await ended).toEqual({ stopReason: 'cancelled' });
    await c.client.call('tasks.cancel', { taskId });
    await finished(sessionId);
    expect(editor.said(sessionId)).toBe('busy');
  });

  it('receives links and embedded files as text', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    await editor.agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: '@say Look at ' },
        { type: 'resource_link', name: 'a b.ts', uri: 'file:///shop/a%20b.ts#L3' },
        { type: 'resource_link', name: 'remote', uri: 'file://host/shop/a.ts' },
        { type: 'resource_link', name: 'odd', uri: 'file:///shop/%zz' },
        { type: 'resource', resource: { uri: 'file:///shop/c.md', text: '```\ncode\n```\n' } },
        { type: 'resource', resource: { uri: 'file:///shop/long.txt', text: 'x'.repeat(200_000) } },
        { type: 'resource', resource: { uri: 'file:///shop/binary', text: '\0' } },
      ],
    });
    const [message] = (await c.client.call('sessions.messages', { sessionId })).data;
    expect(message?.parts[0]?.text).toBe(
      '@say Look at [a b.ts](/shop/a b.ts#L3)[remote](file://host/shop/a.ts)[odd](file:///shop/%zz)[c.md](/shop/c.md)[long.txt](/shop/long.txt)[binary](/shop/binary)\n\n/shop/c.md:\n````\n```\ncode\n```\n````',
    );
  });

  it('shares one process with other sessions', async () => {
    const editor = await open();
    const [one, two] = [await newSession(editor), await newSession(editor)];
    await Promise.all([
      prompt(editor, one, '@say 1a\n@sleep 100\n@say 1b'),
      prompt(editor, two, '@say 2a\n@sleep 100\n@say 2b'),
    ]);
    expect(editor.said(one)).toBe('1a1b');
    expect(editor.said(two)).toBe('2a2b');
  });

  it('continues when the server restarts', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, '@say before\n@sleep 300\n@edit r.txt made\n@say after');
    await c.until('the first words', () => editor.said(sessionId) === 'before');
    await c.restart();
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe('beforeafter');
  });

  it('streams prompts and changes that others make in it', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    await prompt(editor, sessionId, '@say mine');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say theirs' });
    await c.client.call('sessions.update', { sessionId, title: 'Renamed' });
    await c.until("the others' words", () => editor.said(sessionId) === 'minetheirs');
    const renamed = { sessionUpdate: 'session_info_update', title: 'Renamed' };
    await c.until('the title', () => editor.of(sessionId).some((each) => isDeepStrictEqual(each, renamed)));
    expect(editor.of(sessionId)).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: '@say theirs' } }),
    );
    const another = await open();
    await load(another, sessionId);
    expect(another.said(sessionId)).toBe('minetheirs');
  });
});

describe('the options of an agent', () => {
  it.each(['scripted-acp', 'scripted'])('are shown and can be set, for agent %s', async (agentId) => {
    const editor = await open({ agentId });
    const opened = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] });
    const { sessionId, modes, configOptions } = opened;
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(expect.arrayContaining(['default', 'plan']));
    const mode = configOptions?.find(({ category }) => category === 'mode');
    expect(mode).toMatchObject({ type: 'select', currentValue: modes?.currentModeId });

    await editor.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    expect((await get(sessionId)).permissionConfig.mode).toBe('plan');
    const configId = mode?.id ?? '';
    const chosen = { sessionId, configId, value: 'default' };
    const { configOptions: after } = await editor.agent.request<SetSessionConfigOptionResponse>(
      'session/set_config_option',
      chosen,
    );
    expect(after.find(({ id }) => id === configId)).toMatchObject({ currentValue: 'default' });
    for (const wrong of [
      { ...chosen, value: 'none' },
      { ...chosen, configId: 'none' },
    ]) {
      expect(await failure(editor.agent.request('session/set_config_option', wrong))).toMatchObject({ code: -32_602 });
    }

    // A client other than the editor changes the permission mode.
    await c.client.call('sessions.update', { sessionId, permissionMode: 'plan' });
    const isPlan = (each: SessionUpdate) =>
      each.sessionUpdate === 'current_mode_update' && each.currentModeId === 'plan';
    await c.until('the mode', () => editor.of(sessionId).some(isPlan));
    expect(kinds(editor, sessionId)).toContain('config_option_update');
    const loaded = await load(await open(), sessionId);
    expect(loaded).toMatchObject({ modes: { currentModeId: 'plan' } });
  });

  it('are sent when the agent changes them, as are its commands and the use of its context', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const commands = [{ name: 'review', description: 'Review the changes', input: { hint: 'what to look at' } }];
    const update = JSON.stringify({ sessionUpdate: 'available_commands_update', availableCommands: commands });
    await prompt(editor, sessionId, `@mode plan\n@usage 10 100\n@update ${update}`);
    const find = (kind: string) => editor.of(sessionId).find(({ sessionUpdate }) => sessionUpdate === kind);
    await c.until('the commands', () => find('available_commands_update'));
    expect(find('available_commands_update')).toMatchObject({ availableCommands: commands });
    expect(find('current_mode_update')).toMatchObject({ currentModeId: 'plan' });
    expect(find('usage_update')).toMatchObject({ used: 10, size: 100 });
  });
});

describe('a question of the agent', () => {
  const ask = async (editor: Editor) => {
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, '@permission Write a.txt\n@say after');
    const asked = await c.until('the question', () => editor.asked[0]);
    return { sessionId, ended, ...asked };
  };

  it.each(['scripted-acp', 'scripted'])('is answered in the editor, by agent %s', async (agentId) => {
    const editor = await open({ agentId });
    const { sessionId, ended, request, answer } = await ask(editor);
    // The screen of a terminal agent does not say how long an option applies, so the console marks each option as valid
    // only once.
    const lasting = agentId === 'scripted' ? 'allow_once' : expect.stringMatching(/^allow_/);
    expect(request.options.map(({ kind }) => kind)).toEqual(['allow_once', lasting, 'reject_once']);
    answer(request.options[0]?.optionId ?? '');
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toContain('Write allowed');
    const calls = editor.of(sessionId).filter((each) => 'toolCallId' in each);
    expect(new Set(calls.map((each) => 'toolCallId' in each && each.toolCallId))).toContain(
      request.toolCall.toolCallId,
    );
    expect((await c.client.call('approvals.list', { sessionId, state: 'answered' })).total).toBe(1);
  });

  it('names its own tool call, also if another open one has the same title', async () => {
    const editor = await open();
    const sessionId = await newSession(editor);
    const other = { sessionUpdate: 'tool_call', toolCallId: 'other', title: 'Write: a.txt', status: 'in_progress' };
    const ended = prompt(editor, sessionId, `@update ${JSON.stringify(other)}\n@permission Write a.txt`);
    const { request, answer } = await c.until('the question', () => editor.asked[0]);
    const calls = editor.of(sessionId).flatMap((each) => (each.sessionUpdate === 'tool_call' ? [each] : []));
    expect(calls.map(({ title }) => title)).toEqual(['Write: a.txt', 'Write: a.txt']);
    expect(request.toolCall.toolCallId).toBe(calls[1]?.toolCallId);
    answer('no');
    await ended;
  });

  it('takes one of several answers at the same time, and is withdrawn where it was not answered', async () => {
    for (const late of [false, true]) {
      const [first, second] = [await open(), await open()];
      const { sessionId, ended, answer } = await ask(first);
      await load(second, sessionId);
      const other = await c.until('the question in the other editor', () => second.asked[0]);
      const [approval] = (await c.client.call('approvals.list', { sessionId })).data;
      const approvalId = approval?.id ?? '';
      if (late) answer('yes');
      const dashboard = failure(c.client.call('approvals.answer', { approvalId, optionId: 'no' }));
      if (!late) answer('yes');
      const refused = await dashboard;
      expect(await ended).toEqual({ stopReason: 'end_turn' });
      const { state, optionId } = await c.client.call('approvals.get', { approvalId });
      expect({ state, optionId }).toEqual({ state: 'answered', optionId: refused === undefined ? 'no' : 'yes' });
      if (refused !== undefined) expect(refused).toMatchObject({ code: 'CONFLICT' });
      expect(first.said(sessionId)).toBe(refused === undefined ? 'Write denied' : 'Write allowedafter');
      await c.until('the withdrawal', () => other.withdrawn.aborted);
    }
  });

  it('is withdrawn from the editor when somebody else answers', async () => {
    const editor = await open();
    const { sessionId, ended, answer, withdrawn } = await ask(editor);
    const [approval] = (await c.client.call('approvals.list', { sessionId })).data;
    await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'no' });
    await c.until('the withdrawal', () => withdrawn.aborted);
    answer('yes');
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe('Write denied');
  });

  it('is asked again in an editor that loads the session', async () => {
    const first = await open();
    const { sessionId } = await ask(first);
    first.close();
    const second = await open();
    await load(second, sessionId);
    const { answer } = await c.until('the question', () => second.asked[0]);
    answer('yes');
    await c.until('the answer', () => second.said(sessionId).includes('after'));
  });
});

describe('an editor inside a worker', () => {
  it('acts as that worker: its sessions are child sessions, and it is never asked for permission', async () => {
    const root = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'feature/editor',
      prompt: '@say here',
    });
    const editor = await open({ token: () => tokenOf(c, root.workerId) });
    const cwd = root.worktreePath;
    const sessionId = await newSession(editor, cwd);
    expect(await get(sessionId)).toMatchObject({ depth: 1, genealogy: { parentSessionId: root.sessionId } });
    const ended = prompt(editor, sessionId, '@permission Write a.txt\n@say after');
    const [approval] = await c.until('the question', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId });
      return data.length > 0 && data;
    });
    await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'yes' });
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    expect(editor.asked).toEqual([]);
    expect(await failure(newSession(editor, c.folder))).toMatchObject({
      message: expect.stringContaining('in a worktree'),
    });
    const server = { name: 'x', command: '/bin/x', args: [], env: [] };
    const withServers = editor.agent.request('session/new', { cwd, mcpServers: [server] });
    expect(await failure(withServers)).toMatchObject({ message: expect.stringContaining('only people') });
  });
});

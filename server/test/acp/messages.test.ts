import { describe, expect, it } from 'vitest';
import { readLine } from '../../src/acp/incoming.ts';
import { createLineReader } from '../../src/acp/lines.ts';
import * as outgoing from '../../src/acp/outgoing.ts';
import { createAcp } from '../../src/acp/protocol.ts';
import { schemaErrors } from '../support/acp-schema.ts';

const servers = [
  { name: 'files', command: '/bin/files', args: ['--stdio'], env: [{ name: 'KEY', value: 'v' }] },
  { type: 'http' as const, name: 'console', url: 'http://127.0.0.1:1/mcp', headers: [{ name: 'a', value: 'b' }] },
];

describe('messages to an agent', () => {
  it.each([
    ['initialize', outgoing.initialize('1.0.0', { fs: { readTextFile: true, writeTextFile: true }, terminal: true })],
    [
      'session/new',
      outgoing.newSession('open', { cwd: '/code', mcpServers: servers, additionalDirectories: ['/git'] }),
    ],
    ['session/load', outgoing.openSession('open', 'load', 's', { cwd: '/code', mcpServers: servers })],
    [
      'session/resume',
      outgoing.openSession('open:1', 'resume', 's', { cwd: '/code', mcpServers: [], _meta: { vendor: 1 } }),
    ],
    ['session/prompt', outgoing.prompt('input', 's', 'two\nlines')],
    ['session/prompt', outgoing.prompt('input', 's', 'text', { instructions: 'instructions' })],
    [
      'session/prompt',
      outgoing.prompt('input', 's', 'text', { images: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw==' }] }),
    ],
    ['session/cancel', outgoing.cancel('s')],
    ['session/set_mode', outgoing.setMode('m', 's', 'plan')],
    ['session/set_config_option', outgoing.setConfigOption('c', 's', 'model', 'small')],
    ['session/request_permission', outgoing.permission(7, 'yes')],
    ['session/request_permission', outgoing.permission('seven', null)],
    ['initialize', createAcp('1.0.0').frames.initialize()],
    ['authenticate', outgoing.authenticate('authenticate:1', 'once')],
    ['elicitation/create', outgoing.elicitation(1, 'accept', { a: 'x', b: 1, c: true, d: ['y'] })],
    ['elicitation/create', outgoing.elicitation(1, 'accept', null)],
    ['elicitation/create', outgoing.elicitation('one', 'decline', null)],
    ['elicitation/create', outgoing.elicitation('one', 'cancel', null)],
    ['fs/read_text_file', outgoing.result(1, { content: 'text' })],
    ['an error', outgoing.failure(2, 'notFound', 'no such file')],
  ])('are valid: %s', (method, line) => {
    expect(schemaErrors(line, method)).toEqual([]);
  });

  it('are found invalid by the same check', () => {
    expect(
      schemaErrors(outgoing.newSession('open', { cwd: '/code', mcpServers: [{ name: 'x' } as never] })),
    ).not.toEqual([]);
    expect(schemaErrors(outgoing.result(1, { text: 'no content' }), 'fs/read_text_file')).not.toEqual([]);
  });
});

const update = (kind: string, fields: object, sessionId = 's') =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: kind, ...fields } },
  });
const answer = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });

describe('messages of an agent', () => {
  it.each<[string, string, object]>([
    [
      'the answer to initialize',
      answer('initialize', {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
      }),
      {
        type: 'initialized',
        capabilities: {
          loadSession: true,
          resumeSession: false,
          forkSession: false,
          closeSession: false,
          image: false,
          embeddedContext: false,
          mcpHttp: true,
          mcpSse: false,
          systemPrompt: false,
          additionalDirectories: false,
        },
        logins: [],
      },
    ],
    [
      'a new conversation with modes',
      answer('open', { sessionId: 's', modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] } }),
      {
        type: 'opened',
        nativeId: 's',
        options: [
          {
            id: 'mode',
            name: 'Mode',
            category: 'mode',
            current: 'ask',
            request: 'mode',
            values: [{ id: 'ask', name: 'Ask', description: null }],
          },
        ],
      },
    ],
    ['a loaded conversation', answer('open', null), { type: 'opened', nativeId: null, options: [] }],
    [
      'the end of a prompt',
      answer('prompt:i', { stopReason: 'refusal' }),
      { type: 'promptEnded', inputId: 'i', reason: 'refusal', usage: null },
    ],
    [
      'the end of a prompt with the tokens of its turn',
      answer('prompt:i', { stopReason: 'end_turn', usage: { totalTokens: 9, inputTokens: 5, outputTokens: 4 } }),
      {
        type: 'promptEnded',
        inputId: 'i',
        reason: 'end_turn',
        usage: { inputTokens: 5, outputTokens: 4, cacheReadTokens: 0 },
      },
    ],
    [
      'the end of a prompt with tokens of another form',
      answer('prompt:i', { stopReason: 'end_turn', usage: { inputTokens: 'many' } }),
      { type: 'promptEnded', inputId: 'i', reason: 'end_turn', usage: null },
    ],
    [
      'a title',
      update('session_info_update', { title: 'Fix it', _meta: { vendor: { a: 1 } } }),
      { type: 'info', title: 'Fix it', extra: { vendor: { a: 1 } } },
    ],
    [
      'a chunk',
      update('agent_message_chunk', { content: { type: 'text', text: 'Hi' }, messageId: 'm' }),
      { type: 'chunk', role: 'agent', kind: 'text', messageId: 'm', part: { type: 'text', text: 'Hi' } },
    ],
    [
      'a thought',
      update('agent_thought_chunk', { content: { type: 'text', text: 'Hm' } }),
      { type: 'chunk', role: 'agent', kind: 'thought', messageId: null, part: { type: 'text', text: 'Hm' } },
    ],
    [
      'a tool call',
      update('tool_call', {
        toolCallId: 't',
        title: 'Read',
        kind: 'read',
        locations: [{ path: '/a' }],
        rawInput: { a: 1 },
      }),
      {
        type: 'toolCall',
        callId: 't',
        isUpdate: false,
        fields: { title: 'Read', kind: 'read', locations: [{ path: '/a', line: null }], input: { a: 1 } },
      },
    ],
    [
      'its change',
      update('tool_call_update', { toolCallId: 't', status: 'completed' }),
      { type: 'toolCall', callId: 't', isUpdate: true, fields: { status: 'completed' } },
    ],
    [
      'a question',
      JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        method: 'session/request_permission',
        params: {
          sessionId: 's',
          toolCall: { toolCallId: 't', title: 'Write' },
          options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
        },
      }),
      {
        type: 'permission',
        requestId: 0,
        callId: 't',
        fields: { title: 'Write' },
        options: [{ id: 'y', label: 'Yes', effect: 'allow_once' }],
      },
    ],
    [
      'a refused request',
      JSON.stringify({ jsonrpc: '2.0', id: 'open', error: { code: -32000, message: 'Authentication required' } }),
      { type: 'refused', requestId: 'open', inputId: null, code: -32000, message: 'Authentication required' },
    ],
    ['an update from the future', update('hologram', {}), { type: 'unknown', what: 'hologram' }],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"_x/y"}', { type: 'unknown', what: '_x/y' }],
  ])('are understood: %s', (_, line, event) => {
    expect(readLine(line, 's')).toEqual(event);
  });

  it.each([
    ['no JSON', 'Loading…', /not JSON/],
    ['another protocol', '{"hello":1}', /JSON-RPC/],
    ['an answer to nothing', answer(3, {}), /never sent/],
    ['another conversation', update('plan', { entries: [] }, 'other'), /conversation other, but/],
    ['a wrong type', update('plan', { entries: 'all' }), /entries/],
    ['a request with the id null', '{"jsonrpc":"2.0","id":null,"method":"x/y"}', /with the id null/],
  ])('are faults: %s', (_, line, what) => {
    expect(readLine(line, 's')).toMatchObject({ type: 'fault', what: expect.stringMatching(what) });
  });

  it('are requests to answer even if a permission request is invalid, or has no option to choose', () => {
    for (const params of [{}, { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] }]) {
      const line = JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'session/request_permission', params });
      expect(readLine(line, 's')).toMatchObject({ type: 'request', requestId: 4 });
    }
  });

  it.each([
    ['prompt:i', { stopReason: 'bored' }, 'i', /stopReason/],
    ['initialize', { protocolVersion: 2 }, null, /version 2/],
    ['open', { sessionId: 7 }, null, /sessionId/],
  ])('are refusals when the answer to %s is invalid', (id, result, inputId, message) => {
    expect(readLine(answer(id, result), 's')).toMatchObject({
      type: 'refused',
      requestId: id,
      inputId,
      message: expect.stringMatching(message),
    });
  });
});

describe('lines of a log', () => {
  it('are the same however the bytes are cut, with their offsets', () => {
    const bytes = Buffer.from('{"ä":1}\n\n{"b":2}\nhalf');
    const whole = createLineReader(100, 1_000).push(bytes);
    expect(whole).toEqual([
      { offset: 100, next: 109, text: '{"ä":1}' },
      { offset: 109, next: 110, text: '' },
      { offset: 110, next: 118, text: '{"b":2}' },
    ]);
    const reader = createLineReader(100, 1_000);
    const single = Buffer.alloc(1);
    const cut = [...bytes].flatMap((byte) => {
      single[0] = byte;
      return reader.push(single);
    });
    expect(cut).toEqual(whole);
  });

  it('end at a line above the limit, before its end is read', () => {
    const reader = createLineReader(0, 4);
    expect(reader.push(Buffer.from('1234\n123'))).toEqual([{ offset: 0, next: 5, text: '1234' }]);
    expect(reader.push(Buffer.from('45'))).toEqual([{ offset: 5, next: 10, text: null }]);
    expect(reader.push(Buffer.from('6\n1234\n'))).toEqual([]);
  });
});

describe('the output of an agent', () => {
  it('cannot be read beyond a gap', () => {
    const reader = createAcp('1.0.0').createReader(5);
    const plan = Buffer.from(`${update('plan', { entries: [] })}\n`);
    expect(reader.push(5, plan, 's')).toMatchObject([{ offset: 5, event: { type: 'plan' } }]);
    const position = 5 + plan.length;
    expect(reader.push(position + 1, plan, 's')).toMatchObject([
      { offset: position, next: position + 1, event: { type: 'broken', why: expect.stringContaining('lost') } },
    ]);
    expect(reader.push(position + 1 + plan.length, plan, 's')).toEqual([]);
  });
});

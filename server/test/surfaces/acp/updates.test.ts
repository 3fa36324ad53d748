import type { Message } from '@agent-console/shared/models/message';
import { afterEach, describe, expect, it } from 'vitest';
import { imagesOf, terminalsOf, updatesFor } from '../../../src/surfaces/acp/updates.ts';
import { schemaErrors } from '../../support/acp-schema.ts';

const message = (fields: Partial<Message>): Message => ({
  id: 'm1',
  sessionId: 's1',
  taskId: null,
  seq: 1,
  role: 'agent',
  kind: 'text',
  parts: [],
  source: 'acp',
  logOffset: null,
  revision: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...fields,
});

const seen: unknown[] = [];
const updates = (...args: Parameters<typeof updatesFor>) => {
  const result = updatesFor(...args);
  seen.push(...result.updates);
  return result;
};
afterEach(() => {
  for (const update of seen.splice(0)) {
    const frame = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } };
    expect(schemaErrors(`${JSON.stringify(frame)}\n`)).toEqual([]);
  }
});

describe('the updates for a message', () => {
  it('contain only what is new', () => {
    const text = (words: string) => ({ type: 'text', text: words });
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const first = updates(message({ parts: [text('one')] }));
    expect(first.updates).toEqual([{ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('one') }]);
    const grown = message({ parts: [text('one two'), image, text('three')], revision: 2 });
    const second = updates(grown, first.shown);
    expect(second.updates.map((each) => 'content' in each && each.content)).toEqual([
      text(' two'),
      image,
      text('three'),
    ]);
    expect(updates(grown, second.shown).updates).toEqual([]);
  });

  it.each([
    ['user', 'text', 'user_message_chunk'],
    ['agent', 'thought', 'agent_thought_chunk'],
    ['system', 'notice', 'agent_message_chunk'],
  ] as const)('by %s of kind %s are of kind %s', (role, kind, sessionUpdate) => {
    expect(updates(message({ role, kind, parts: [{ type: 'text', text: 'x' }] })).updates).toMatchObject([
      { sessionUpdate },
    ]);
  });

  it('say what was too large to be stored', () => {
    const parts = [{ type: 'image', mimeType: 'image/png', truncated: true }];
    expect(updates(message({ parts })).updates).toMatchObject([
      { content: { type: 'text', text: '[image, too large to be shown]' } },
    ]);
    const content = [{ type: 'diff', path: '/a', oldText: 'a', truncated: true }];
    const call = message({ kind: 'toolCall', parts: [{ type: 'toolCall', title: 'Edit', content }] });
    expect(updates(call).updates).toMatchObject([
      { content: [{ content: { text: 'The change to /a is too large to be shown.' } }] },
    ]);
    const entries = [
      { type: 'planEntry', content: 'read', priority: 'high', status: 'pending' },
      { type: 'omitted', count: 7 },
    ];
    expect(updates(message({ kind: 'plan', parts: entries })).updates).toMatchObject([
      { entries: [{ content: 'read' }, { content: '7 more plan entries, not shown' }] },
    ]);
  });

  it('contain the images of a prompt once', () => {
    const named = { type: 'image', imageId: 'i1', mimeType: 'image/png', bytes: 1, width: 1, height: 1 };
    const prompt = message({ role: 'user', parts: [{ type: 'text', text: 'x' }, named] });
    expect(imagesOf(prompt)).toEqual(['i1']);
    const first = updates(prompt, undefined, { outputs: new Map(), images: new Map([['i1', 'AA==']]) });
    expect(first.updates.map((each) => 'content' in each && each.content)).toEqual([
      { type: 'text', text: 'x' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ]);
    expect(imagesOf(prompt, first.shown)).toEqual([]);
  });

  it('show a part of unknown form as text', () => {
    const part = { type: 'image', uri: 'x' };
    const [update] = updates(message({ parts: [part] })).updates;
    expect(update).toMatchObject({ content: { type: 'text', text: JSON.stringify(part) } });
  });

  it('announce a tool call once, and then send it completely when it changes', () => {
    const diff = { type: 'diff', path: '/a', newText: 'x' };
    const call = {
      type: 'toolCall',
      callId: 'c',
      title: 'Edit',
      kind: 'unheard-of',
      status: 'pending',
      content: [diff],
    };
    const first = updates(message({ kind: 'toolCall', parts: [call] }));
    expect(first.updates).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'm1', kind: 'other', status: 'pending', content: [diff] },
    ]);
    const ended = message({
      kind: 'toolCall',
      parts: [{ ...call, status: 'completed', output: { ok: 1 } }],
      revision: 2,
    });
    expect(updates(ended, first.shown).updates).toMatchObject([
      { sessionUpdate: 'tool_call_update', toolCallId: 'm1', status: 'completed', rawOutput: { ok: 1 } },
    ]);
  });

  it('show what a terminal of a tool call printed', () => {
    const content = [{ type: 'terminal', terminalId: 't1' }];
    const call = message({ kind: 'toolCall', parts: [{ type: 'toolCall', title: 'Run', content }] });
    const shown = (outputs: Map<string, string>) => {
      const [update] = updates(call, undefined, { outputs, images: new Map() }).updates;
      return update !== undefined && 'content' in update && update.content;
    };
    const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];
    expect(shown(new Map([['t1', 'printed']]))).toEqual(text('printed'));
    expect(shown(new Map())).toEqual(text('The command runs in a terminal.'));
    const released = message({
      kind: 'toolCall',
      parts: [{ type: 'toolCall', title: 'Run', content: [{ ...content[0], output: 'at last' }] }],
    });
    expect(terminalsOf(call)).toEqual(['t1']);
    expect(terminalsOf(released)).toEqual([]);
    expect(updates(released).updates).toMatchObject([{ content: text('at last') }]);
  });

  it('show a tool call from a transcript, which is only text', () => {
    const call = message({ kind: 'toolCall', parts: [{ type: 'text', text: 'Bash\nls -l' }] });
    expect(updates(call).updates).toMatchObject([
      { sessionUpdate: 'tool_call', title: 'Bash', content: [{ content: { text: 'Bash\nls -l' } }] },
    ]);
  });
});

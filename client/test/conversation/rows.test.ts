import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { formatNoticeBlock } from '@agent-console/shared/notice-block';
import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/features/conversation/rows.ts';
import { message, task } from './message.ts';

const agent = { role: 'agent', source: 'acp' } as const;
const shown = (messages: readonly Message[], tasks: readonly Task[] = []) =>
  rowsOf(messages, tasks).map((row) => ('text' in row ? `${row.kind}: ${row.text}` : row.kind));

describe('the rows of a conversation', () => {
  it('are its messages, and the outcome of each task after its last message', () => {
    const messages = [
      message(1, 't1', 'do it'),
      message(2, 't1', 'did it', agent),
      message(3, null, 'hello', agent),
      message(4, 't2', 'more'),
      message(5, 't1', 'late', agent),
    ];
    expect(
      shown(messages, [task('t1', { summary: 'did it' }), task('t2', { endedAt: null, status: 'running' })]),
    ).toEqual(['prompt: do it', 'report: did it', 'text: hello', 'prompt: more', 'text: late', 'end']);
  });

  it('are the same objects while their messages do not change', () => {
    const [first, second] = [message(1, null, 'a', agent), message(2, null, 'b', agent)];
    const before = rowsOf([first, second], []);
    const after = rowsOf([first, message(2, null, 'bc', agent)], []);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it('contain thoughts, tool calls and the steps of a plan', () => {
    const parts = [
      { type: 'planEntry', content: 'read', status: 'completed', priority: 'high' },
      { type: 'planEntry', content: 'write', status: 'anything' },
    ];
    const rows = rowsOf(
      [
        message(1, 't', 'hm', { ...agent, kind: 'thought' }),
        message(2, 't', 'ls', { ...agent, kind: 'toolCall' }),
        message(3, 't', '', { ...agent, kind: 'plan', parts }),
      ],
      [],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['thought', 'tool', 'plan']);
    expect(rows[2]).toMatchObject({
      steps: [
        { text: 'read', status: 'completed' },
        { text: 'write', status: 'pending' },
      ],
    });
  });

  it('show a block of notices, and other text as it is', () => {
    const block = formatNoticeBlock([
      {
        kind: 'ended',
        about: { sessionId: '01a200ff-af06-7c26', title: 'fix tests' },
        status: 'failed',
        outcomeSource: 'report',
        certain: true,
        summary: 'It\ndid not work.',
      },
    ]);
    const notice = { role: 'system', kind: 'notice' } as const;
    expect(rowsOf([message(1, 't', block, notice)], [])[0]).toMatchObject({
      kind: 'notices',
      items: [{ title: 'fix tests', status: 'failed', summary: 'It\ndid not work.' }],
    });
    expect(rowsOf([message(1, 't', `${block}\nand more`, notice)], [])[0]?.kind).toBe('prompt');
    // A message of another kind is a prompt, even if a person typed the text of a notice.
    expect(rowsOf([message(1, 't', block)], [])[0]?.kind).toBe('prompt');
  });

  it('name parts that are not text', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' },
      { type: 'x', size: 3 },
      { type: 'y' },
    ];
    expect(shown([message(1, null, '', { ...agent, parts })])).toEqual([
      'text: a\n[image, image/png]\na.ts: file:///a.ts\n{"size":3}',
    ]);
  });

  it('say what was too large to be stored', () => {
    const cut = [{ type: 'text', text: 'a', truncated: true }];
    const plan = [
      { type: 'planEntry', content: 'read', status: 'pending' },
      { type: 'omitted', count: 3 },
    ];
    const rows = rowsOf(
      [
        message(1, 't', '', { ...agent, parts: cut }),
        message(2, 't', 'b', agent),
        message(3, 't', '', { ...agent, kind: 'plan', parts: plan }),
      ],
      [],
    );
    expect(rows).toMatchObject([{ isCut: true }, { isCut: false }, { omitted: 3, steps: [{ text: 'read' }] }]);
  });
});

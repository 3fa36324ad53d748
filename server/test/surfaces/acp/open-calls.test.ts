import type { Message } from '@agent-console/shared/models/message';
import { expect, it } from 'vitest';
import { createOpenCalls } from '../../../src/surfaces/acp/open-calls.ts';

const call = (id: string, part: object): Message => ({
  id,
  sessionId: 's1',
  taskId: null,
  seq: 1,
  role: 'agent',
  kind: 'toolCall',
  parts: [{ type: 'toolCall', status: 'pending', title: 'Write a.txt', ...part }],
  source: 'acp',
  logOffset: null,
  revision: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const text = 'Write a.txt';

it("finds the tool call of a question by the agent's id, also among calls with the same title", () => {
  const calls = createOpenCalls();
  for (const callId of ['a', 'b', 'c']) calls.note(call(`m-${callId}`, { callId }));
  expect(calls.find({ text, callId: 'b' })).toBe('m-b');
  expect(calls.find({ text, callId: 'unknown' })).toBeUndefined();
});

it('finds the newest open tool call with the title of a question without such an id', () => {
  const calls = createOpenCalls();
  for (const callId of ['a', 'b', 'c']) calls.note(call(`m-${callId}`, { callId }));
  calls.note(call('m-other', { title: 'Read a.txt' }));
  calls.note(call('m-c', { callId: 'c', status: 'completed' }));
  expect(calls.find({ text, callId: null })).toBe('m-b');
  expect(calls.find({ text: 'Another', callId: null })).toBeUndefined();
});

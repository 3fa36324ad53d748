import { parseNoticeBlock } from '@agent-console/shared/notice-block';
import { expect, it } from 'vitest';
import { describeNotice } from '../../src/features/notices/describe-notice.ts';

it.each([
  ['ended session 0192 "A" completed (report, certain): Done', 'completed · reported by the agent, certain'],
  ['waiting session 0192 "A" awaiting_input: Which?', 'awaiting input'],
  ['waiting orchestration 0192 "A": Its budget is used up', 'waiting'],
  ['message session 0192 "A": Hello', 'message'],
  ['conflict session 0192 "A": In a.txt', 'conflict'],
])('the notice "%s" is described by its status or kind', (line, text) => {
  const block = `[agent-console notices: 1]\n- ${line}\n[end of agent-console notices]`;
  expect(parseNoticeBlock(block)?.map(describeNotice)).toEqual([text]);
});

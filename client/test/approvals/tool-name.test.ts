import { expect, it } from 'vitest';
import { toolHeading } from '../../src/features/approvals/tool-name.ts';

it.each<[string, string | null, string, string | undefined]>([
  ['a kind of tool in words', 'execute', 'npm test', 'Run a command'],
  ['nothing for a kind that says nothing', 'other', 'npm test', undefined],
  ["the name of an agent's tool", 'WebFetch', 'https://example.com', 'WebFetch'],
  ['nothing for a name in the text', 'Bash', 'Allow Bash: npm test', undefined],
  ['nothing for a question without a tool', null, 'Continue?', undefined],
])('the heading of a question is %s', (_, tool, text, heading) => {
  expect(toolHeading({ tool, text })).toBe(heading);
});

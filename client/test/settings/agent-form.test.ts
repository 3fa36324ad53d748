import { expect, it, test } from 'vitest';
import { byFormField, commandLine, idFromName, parseEntry } from '../../src/features/settings/agent-form.ts';
import { issuesOf } from '../../src/ui/Problem.tsx';

test.each([
  ['Claude Code (fast)', 'claude-code-fast'],
  ['  Écho ', 'echo'],
  ['日本', ''],
  ['x'.repeat(80), 'x'.repeat(63)],
])('the id of the agent %j is %j', (name, id) => {
  expect(idFromName(name)).toBe(id);
});

it('makes a command line of the executable and one argument per line', () => {
  expect(commandLine({ command: ' node ', args: '-e\n\nprint "a b"\n' })).toEqual(['node', '-e', 'print "a b"']);
  expect(commandLine({ command: '', args: '' })).toEqual([]);
});

it('shows each message at the field of the form that it is about', () => {
  const issues = [
    { path: 'command.0', message: 'too long' },
    { path: 'command.2', message: 'must not contain the NUL character' },
    { path: 'newId', message: 'an agent id may only contain lower-case letters' },
  ];
  expect(issuesOf(byFormField({ message: 'no', details: { issues } }))).toEqual({
    command: 'Too long',
    args: 'Must not contain the NUL character',
    id: 'An agent id may only contain lower-case letters',
  });
  const refused = { message: 'registryEntry: name: Invalid', details: { field: 'registryEntry' } };
  expect(issuesOf(byFormField(refused))).toEqual({ registryEntry: 'Name: Invalid' });
  expect(byFormField({ message: 'Agent is busy' })).toEqual({ message: 'Agent is busy' });
});

it('accepts one JSON object as an entry', () => {
  expect(parseEntry('{"id": "a"}')).toEqual({ entry: { id: 'a' } });
  expect(parseEntry('[]')).toEqual({ problem: expect.stringContaining('JSON object') });
  expect(parseEntry('{')).toEqual({ problem: expect.stringMatching(/^This is not valid JSON: /) });
});

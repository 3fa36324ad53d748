import type { AgentKindName } from '@agent-console/shared/models/agent';
import { describe, expect, it } from 'vitest';
import { registrableAgents } from '../../../../src/registrations.ts';
import { parseJsonc } from '../../../../src/surfaces/cli/setup/json-edit.ts';
import { planRegistration, planUndo } from '../../../../src/surfaces/cli/setup/registrations.ts';

const URL = 'http://127.0.0.1:3457/mcp';
const JSON_FILES: Record<string, string> = {
  absent: '',
  'only blanks': ' \n\n',
  'an empty object': '{}',
  'an empty object over lines': '{\n}\n',
  'one line': '{"a":1,"b":{"c":[1,2]}}',
  'tabs and CRLF': '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"x": {"url": "http://a//b"}\r\n\t}\r\n}\r\n',
  'comments everywhere':
    '// mine\n{ // "mcpServers": {}\n    /* } */ "a": "}//{", // c\n    "mcpServers": { /* none */ },\n    "mcp": {\n        // x\n    },\n}\n',
  'odd formatting': '\ufeff{\n"a"\n:\n1\n,"mcpServers":{"x":{}\n,"y":[{"z":"\\"}"}]}   }',
  'the same key deeper down':
    '{\n  "projects": {"/p": {"mcpServers": {"agent-other": {}}, "mcp": {}}},\n  "n": null\n}',
};
const TOML_FILES: Record<string, string> = {
  absent: '',
  'no last line end': 'model = "x" # y',
  comments: '# mine\n[a]\nb = 1\n\n\n',
  CRLF: '[a]\r\nb = """\r\n[mcp_servers.x]\r\n"""\r\n',
  'other servers': '[mcp_servers.other]\nurl = "http://x"\n',
};
const cases = (['claude-code', 'gemini', 'opencode'] as const).flatMap((agent) =>
  Object.entries(JSON_FILES).map(([name, text]) => ({ agent: agent as AgentKindName, name, text })),
);
for (const [name, text] of Object.entries(TOML_FILES)) cases.push({ agent: 'codex', name, text });

function entryOf(agent: AgentKindName) {
  const found = registrableAgents().find(({ kind }) => kind === agent);
  if (found === undefined) throw new Error(`setup does not know ${agent}`);
  return found.entry;
}

function added(agent: AgentKindName, text: string) {
  const step = planRegistration(entryOf(agent), text, URL);
  if (step.action !== 'add') throw new Error(`${step.action}: ${step.why}`);
  const { after, inserted, ownContainer } = step;
  return { after, done: { agent, file: 'f', url: URL, inserted, created: false, folders: [], ownContainer } };
}

describe('a registration', () => {
  it.each(cases)('of $agent in a file with $name adds one piece, and undo restores every byte', ({ agent, text }) => {
    const { after, done } = added(agent, text);
    expect(after.replace(done.inserted, '')).toBe(text);
    expect(after).toContain('agent-console');
    expect(planUndo(entryOf(agent), done, after)).toBe(text);
    expect(planRegistration(entryOf(agent), after, URL).action).toBe('none');
  });

  it.each(cases.filter(({ agent }) => agent !== 'codex'))(
    'of $agent in a file with $name adds the server, and nothing else, to the parsed JSON',
    ({ agent, text }) => {
      const { after } = added(agent, text);
      const container = agent === 'opencode' ? 'mcp' : 'mcpServers';
      const read = (words: string) => (parseJsonc(words) ?? {}) as Record<string, Record<string, unknown>>;
      const { [container]: servers, ...rest } = read(after);
      const { [container]: before, ...restBefore } = read(text);
      expect(rest).toEqual(restBefore);
      const { 'agent-console': ours, ...others } = servers ?? {};
      expect(others).toEqual(before ?? {});
      expect(JSON.stringify(ours)).toContain(URL);
    },
  );

  it.each(cases.filter(({ agent }) => agent !== 'codex'))(
    'of $agent in a file with $name is found again after the agent has rewritten the file',
    ({ agent, text }) => {
      const { after, done } = added(agent, text);
      const rewritten = JSON.stringify(parseJsonc(after), null, 3);
      const undone = planUndo(entryOf(agent), done, rewritten);
      expect(parseJsonc(undone ?? '')).toEqual(parseJsonc(text) ?? {});
    },
  );

  it.each([
    ['claude-code', '{"mcpServers": {"agent-console": {"type": "http", "url": "http://elsewhere"}}}'],
    ['opencode', '{"mcp": {"agent-console": {}}}'],
    ['codex', '[mcp_servers."agent-console"]\nurl = "http://elsewhere"\n'],
    ['codex', 'mcp_servers.agent-console.url = "http://elsewhere"\n'],
  ] as const)('of %s does not replace one that a person wrote: %s', (agent, text) => {
    expect(planRegistration(entryOf(agent), text, URL).action).toBe('none');
  });

  it.each([
    ['claude-code', '{"broken'],
    ['claude-code', '[]'],
    ['gemini', '{"mcpServers": []}'],
    ['gemini', '{"mcpServers": "none"}'],
    ['opencode', '{"a": 1} trailing'],
    ['codex', 'mcp_servers = { x = { url = "http://x" } }\n'],
  ] as const)('of %s is refused if it cannot be added to the file: %s', (agent, text) => {
    expect(planRegistration(entryOf(agent), text, URL).action).toBe('refuse');
  });

  it('is not undone when a person has edited or removed it', () => {
    const { after, done } = added('codex', '');
    expect(planUndo(entryOf('codex'), done, after.replace('180', '30'))).toBeUndefined();
    expect(planUndo(entryOf('codex'), done, 'model = "x"\n')).toBeNull();
  });
});

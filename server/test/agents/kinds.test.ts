import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/agents/kind.ts';
import { createAgentKinds } from '../../src/agents/kinds.ts';

const kinds = createAgentKinds({ scriptedAgent: '/programs/scripted-agent.js' });
const request = (conversation: Conversation, command: string[] = []) => ({
  definition: { id: 'mine', command },
  conversation,
  transcriptDir: '/home/transcripts',
  mcp: { url: 'http://127.0.0.1:3457/mcp', tokenFile: null },
});
const node = { file: process.execPath, env: { AGENT_CONSOLE_MCP_URL: 'http://127.0.0.1:3457/mcp' } };

describe('starting an agent of each kind', () => {
  it('starts a scripted agent with a conversation of its own, an old one, or a copy', () => {
    const scripted = kinds('scripted');
    const own = ['/programs/scripted-agent.js', '--transcript', '/home/transcripts/abc-1.jsonl'];
    expect(scripted.start(request({ mode: 'new', nativeId: 'abc-1' }))).toEqual({ ...node, args: own });
    expect(scripted.start(request({ mode: 'resume', nativeId: 'abc-1' }))).toEqual({
      ...node,
      args: [...own, '--resume'],
    });
    expect(scripted.start(request({ mode: 'fork', nativeId: 'abc-1', from: 'old' }))).toEqual({
      ...node,
      args: [...own, '--fork-from', '/home/transcripts/old.jsonl'],
    });
  });

  it('names the token file and never the token', () => {
    const plain = request({ mode: 'new', nativeId: 'a' });
    const { args } = kinds('scripted').start({ ...plain, mcp: { ...plain.mcp, tokenFile: '/run/token' } });
    expect(args.slice(-2)).toEqual(['--mcp-token-file', '/run/token']);
  });

  it.each([null, '', '../x', 'a/b', '.hidden', '--resume'])(
    'does not let the conversation id %j choose another file',
    (nativeId) => {
      expect(() => kinds('scripted').start(request({ mode: 'new', nativeId }))).toThrow(
        expect.objectContaining({ code: 'VALIDATION' }),
      );
    },
  );

  it('starts a custom command exactly as it was given', () => {
    const command = ['/bin/my agent', '--flag', '$(id)', ''];
    expect(kinds('custom').start(request({ mode: 'new', nativeId: null }, command))).toEqual({
      file: '/bin/my agent',
      args: ['--flag', '$(id)', ''],
      env: {},
    });
  });

  it('refuses what a custom command cannot do, and says what to do instead', () => {
    const custom = kinds('custom');
    expect(() => custom.start(request({ mode: 'resume', nativeId: 'x' }, ['a']))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED',
        message: 'A custom agent cannot resume a conversation; start a new session and tell it what it needs to know',
      }),
    );
    expect(() => custom.start(request({ mode: 'fork', nativeId: 'x', from: 'y' }, ['a']))).toThrow(/use a subsession/);
    expect(() => custom.start(request({ mode: 'new', nativeId: null }))).toThrow(
      expect.objectContaining({ code: 'VALIDATION' }),
    );
  });
});

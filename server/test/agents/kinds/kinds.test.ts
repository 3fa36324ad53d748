import { PermissionMode } from '@agent-console/shared/models/session';
import { describe, expect, it } from 'vitest';
import { exceeds } from '../../../src/domain/permission-mode.ts';
import type { Conversation } from '../../../src/ports/agents.ts';
import {
  ALL_POLICIES,
  fresh,
  INSTALLED_KINDS,
  type InstalledKind,
  kinds,
  request,
  TOKEN,
  TWO_POLICIES,
} from './request.ts';

describe('starting our own and custom agents', () => {
  const env = { AGENT_CONSOLE_MCP_URL: 'http://127.0.0.1:3457/mcp' };

  it('starts a scripted agent with a new, resumed or copied conversation, and its token in a file', () => {
    const own = ['/programs/scripted-agent.js', '--transcript', '/console/transcripts/abc-1.jsonl'];
    const token = ['--mcp-token-file', '/console/workers/w/process/token'];
    const config = ['--mcp-config', '/console/workers/w/process/mcp.json'];
    const plan = (args: string[]) => ({
      file: process.execPath,
      args: [...args, ...token, ...config],
      env,
      files: { token: TOKEN, 'mcp.json': '{"mcpServers":{}}' },
      overlay: null,
    });
    const scripted = kinds('scripted');
    expect(scripted.start(request({ mode: 'new', nativeId: 'abc-1' }))).toEqual(plan(own));
    expect(scripted.start(request({ mode: 'resume', nativeId: 'abc-1' }))).toEqual(plan([...own, '--resume']));
    expect(scripted.start(request({ mode: 'fork', nativeId: 'abc-1', from: 'old' }))).toEqual(
      plan([...own, '--fork-from', '/console/transcripts/old.jsonl']),
    );
  });

  it('starts a custom command exactly as it was given', () => {
    const definition = { id: 'mine', command: ['/bin/my agent', '--flag', '$(id)', ''] };
    expect(kinds('custom').start(request({ mode: 'new', nativeId: null }, { definition }))).toEqual({
      file: '/bin/my agent',
      args: ['--flag', '$(id)', ''],
      env: {},
      files: {},
      overlay: null,
    });
  });

  it('refuses what a custom command cannot do, and says what to do instead', () => {
    const custom = kinds('custom');
    expect(() => custom.start(request({ mode: 'resume', nativeId: 'x' }))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED',
        message:
          'A custom agent cannot resume a conversation; start a new session instead, with all necessary context in its prompt',
      }),
    );
    expect(() => custom.start(request({ mode: 'fork', nativeId: 'x', from: 'y' }))).toThrow(/use a subsession/);
    expect(() => custom.start(request({ mode: 'new', nativeId: null }))).toThrow(
      expect.objectContaining({ code: 'VALIDATION' }),
    );
  });
});

describe('every kind', () => {
  it.each([...INSTALLED_KINDS, 'scripted' as const])('%s keeps the token out of its arguments', (name) => {
    expect(kinds(name).start(request(fresh)).args.join('\n')).not.toContain(TOKEN);
  });

  it.each(['claude-code', 'gemini', 'opencode', 'scripted'] as const)('%s has no token in variables', (name) => {
    expect(JSON.stringify(kinds(name).start(request(fresh)).env)).not.toContain(TOKEN);
  });

  it.each(INSTALLED_KINDS)('%s runs the command of a definition with its own arguments first', (name) => {
    const definition = { id: 'mine', command: ['/opt/wrapper', '--model', 'small one'] };
    const plan = kinds(name).start(request(fresh, { definition }));
    expect([plan.file, ...plan.args.slice(0, 2)]).toEqual(['/opt/wrapper', '--model', 'small one']);
  });

  const bad = ['', '../x', '--resume', 'a b', "x'; id", 'ses_../../x'];
  it.each(INSTALLED_KINDS.flatMap((name) => bad.map((nativeId) => ({ name, nativeId }))))(
    '$name rejects $nativeId as the id of a conversation',
    ({ name, nativeId }) => {
      const conversation: Conversation = { mode: 'resume', nativeId };
      expect(() => kinds(name).start(request(conversation))).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
    },
  );

  it.each([null, '', '../x', 'a/b', '.hidden', '--resume'])(
    'scripted does not let the conversation id %j choose another file',
    (nativeId) => {
      expect(() => kinds('scripted').start(request({ mode: 'new', nativeId }))).toThrow(
        expect.objectContaining({ code: 'VALIDATION' }),
      );
    },
  );

  it('chooses conversation ids that start differently even for sessions of the same minute', () => {
    const [one, two] = ['01a20124-4b25-75d3-a540-1c428c0b9da4', '01a20124-4d14-7cec-86e2-6d9a8b9f18d8'];
    const ids = [one, two].map((id) => kinds('gemini').conversationId(id));
    expect(ids).toEqual(['8c0b9da4-4b25-75d3-a540-1c4201a20124', '8b9f18d8-4d14-7cec-86e2-6d9a01a20124']);
    expect(kinds('claude-code').conversationId(one)).toBe(one);
  });

  it('has a prefix that keeps the agent from running a prompt as a command', () => {
    for (const name of INSTALLED_KINDS) {
      const { commandCharacters, safePrefix } = kinds(name);
      expect(commandCharacters).toEqual(expect.arrayContaining(['/', '!', '@']));
      expect(commandCharacters).not.toContain(safePrefix?.at(0));
    }
  });
});

describe('a fork of opencode', () => {
  const shows = (title: string | null, ...lines: string[]) =>
    kinds('opencode').showsConversation?.({ title, lines, alternateScreen: true });

  it('is ready for text once its screen or its title shows the copy', () => {
    expect(shows('OpenCode', '  ┃  Ask anything...', '  ╹▀▀▀▀▀▀▀▀▀▀')).toBe(false);
    expect(shows(null)).toBe(false);
    expect(shows('OC | Done. (fork #1)')).toBe(true);
    expect(shows(null, '     Done.', '', '     ▣  Build · Scripted · 8.2s')).toBe(true);
  });
});

describe('permission modes', () => {
  const none = { version: null, help: null };
  const tables: Record<InstalledKind, Record<PermissionMode, PermissionMode>> = {
    'claude-code': {
      default: 'default',
      acceptEdits: 'acceptEdits',
      bypassPermissions: 'bypassPermissions',
      plan: 'plan',
      ask: 'default',
      auto: 'acceptEdits',
      'on-failure': 'acceptEdits',
      'allow-all': 'bypassPermissions',
    },
    codex: {
      default: 'ask',
      acceptEdits: 'auto',
      bypassPermissions: 'allow-all',
      plan: 'ask',
      ask: 'ask',
      auto: 'auto',
      'on-failure': 'on-failure',
      'allow-all': 'allow-all',
    },
    gemini: {
      default: 'default',
      acceptEdits: 'acceptEdits',
      bypassPermissions: 'bypassPermissions',
      plan: 'default',
      ask: 'default',
      auto: 'acceptEdits',
      'on-failure': 'acceptEdits',
      'allow-all': 'bypassPermissions',
    },
    opencode: {
      default: 'default',
      acceptEdits: 'acceptEdits',
      bypassPermissions: 'bypassPermissions',
      plan: 'default',
      ask: 'default',
      auto: 'acceptEdits',
      'on-failure': 'acceptEdits',
      'allow-all': 'bypassPermissions',
    },
  };

  it.each(INSTALLED_KINDS.flatMap((name) => PermissionMode.options.map((mode) => ({ name, mode }))))(
    '$name asked for $mode',
    ({ name, mode }) => {
      const kind = kinds(name);
      const effective = kind.permission(mode, none);
      expect(effective.mode).toBe(tables[name][mode]);
      expect(effective.note === null).toBe(effective.mode === mode);
      expect(kind.permission(effective.mode, none).mode).toBe(effective.mode);
    },
  );

  it.each([...INSTALLED_KINDS, 'scripted' as const, 'custom' as const])(
    '%s never gets more than was asked for',
    (name) => {
      for (const help of [null, ALL_POLICIES, TWO_POLICIES, 'nothing of use']) {
        for (const mode of PermissionMode.options) {
          expect(exceeds(kinds(name).permission(mode, { version: null, help }).mode, mode)).toBe(false);
        }
      }
    },
  );

  it('has a default mode', () => {
    const defaults = INSTALLED_KINDS.map((name) => kinds(name).defaultMode);
    expect(defaults).toEqual(['acceptEdits', 'auto', 'acceptEdits', 'acceptEdits']);
  });
});

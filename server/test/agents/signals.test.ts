import { describe, expect, it } from 'vitest';
import { createActivityWatchers } from '../../src/activity/watcher.ts';
import { claudeCodeReading } from '../../src/agents/claude-code/reading.ts';
import { codexReading } from '../../src/agents/codex/reading.ts';
import { geminiReading } from '../../src/agents/gemini/reading.ts';
import { opencodeReading } from '../../src/agents/opencode/reading.ts';

/** These functions return a hook report or an event as an agent sends it, with only the fields that the tests use. */
const claude = (event: string, more: object = {}) => ({ session_id: 'c-1', hook_event_name: event, ...more });
const opencode = (type: string, more: object = {}) => ({
  directory: '/tmp/demo-app',
  payload: { id: 'evt_1', type, properties: { sessionID: 'ses_1', ...more } },
});

describe('reports of agents', () => {
  it.each([
    [claude('SessionStart', { source: 'startup' }), { type: 'conversationStarted', nativeId: 'c-1' }],
    [claude('UserPromptSubmit', { prompt: 'go' }), { type: 'turnStarted', nativeId: 'c-1', prompt: 'go' }],
    [
      claude('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'npm test' } }),
      { type: 'asking', nativeId: 'c-1', tool: 'Bash', text: 'Bash: npm test' },
    ],
    [claude('PostToolUse', { tool_name: 'Bash' }), { type: 'answered', nativeId: 'c-1' }],
    [claude('Stop', { last_assistant_message: 'Done.' }), { type: 'turnEnded', nativeId: 'c-1', lastMessage: 'Done.' }],
    [
      claude('StopFailure', { error: 'server_error', last_assistant_message: 'API Error: 500' }),
      { type: 'turnEnded', nativeId: 'c-1', lastMessage: 'API Error: 500', failed: true },
    ],
    [
      claude('StopFailure', { error: 'rate_limit' }),
      { type: 'turnEnded', nativeId: 'c-1', lastMessage: 'rate_limit', failed: true },
    ],
    [claude('SessionStart', { source: 'clear' }), { type: 'conversationStarted', nativeId: 'c-1', switched: true }],
    [claude('SessionEnd', { reason: 'other' }), { type: 'ended', nativeId: 'c-1' }],
    [
      { pid: 7, sessionId: 'c-1', status: 'waiting', waitingFor: 'permission prompt' },
      { type: 'asking', nativeId: 'c-1', tool: null, text: 'permission prompt' },
    ],
    [
      { pid: 7, sessionId: 'c-1', status: 'idle' },
      { type: 'turnEnded', nativeId: 'c-1', lastMessage: null },
    ],
  ])("reads Claude's %j", (line, signal) => {
    expect(claudeCodeReading.readSignal(line)).toEqual([signal]);
  });

  it.each([
    [
      { session_id: 'x', hook_event_name: 'Interrupt' },
      { type: 'turnEnded', nativeId: 'x', lastMessage: null },
    ],
    [
      { type: 'agent-turn-complete', 'thread-id': 'x', 'last-assistant-message': 'Done.' },
      { type: 'turnEnded', nativeId: 'x', lastMessage: 'Done.' },
    ],
    [
      { type: 'agent-turn-complete', 'thread-id': 'x', 'input-messages': ['before', 'go'] },
      { type: 'turnEnded', nativeId: 'x', lastMessage: null, prompt: 'go' },
    ],
    [
      { session_id: 'x', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } },
      { type: 'asking', nativeId: 'x', tool: 'Bash', text: 'Bash: ls' },
    ],
  ])("reads Codex's %j", (line, signal) => {
    expect(codexReading.readSignal(line)).toEqual([signal]);
  });

  it.each([
    [
      { session_id: 'g', hook_event_name: 'BeforeAgent', prompt: 'go' },
      { type: 'turnStarted', nativeId: 'g', prompt: 'go' },
    ],
    [
      {
        session_id: 'g',
        hook_event_name: 'Notification',
        notification_type: 'ToolPermission',
        details: { type: 'exec', title: 'Confirm Shell Command', command: 'ls' },
      },
      { type: 'asking', nativeId: 'g', tool: 'exec', text: 'Confirm Shell Command: ls' },
    ],
    [
      { session_id: 'g', hook_event_name: 'AfterAgent' },
      { type: 'turnEnded', nativeId: 'g', lastMessage: null },
    ],
  ])("reads Gemini's %j", (line, signal) => {
    expect(geminiReading.readSignal(line)).toEqual([signal]);
  });

  it.each([
    [
      opencode('session.status', { status: { type: 'busy' } }),
      { type: 'turnStarted', nativeId: 'ses_1', prompt: null },
    ],
    [opencode('session.idle'), { type: 'turnEnded', nativeId: 'ses_1', lastMessage: null }],
    [
      opencode('permission.asked', { permission: 'bash', patterns: ['ls'] }),
      { type: 'asking', nativeId: 'ses_1', tool: 'bash', text: 'bash: ls' },
    ],
    [opencode('permission.replied', { reply: 'once' }), { type: 'answered', nativeId: 'ses_1' }],
    [opencode('session.created', { info: { id: 'ses_1' } }), { type: 'conversationStarted', nativeId: 'ses_1' }],
  ])("reads opencode's %j", (line, signal) => {
    expect(opencodeReading.readSignal(line)).toEqual([signal]);
  });

  it.each([null, 'text', 7, [], {}, { hook_event_name: 'Unheard' }, { hook_event_name: 7 }, { payload: 'x' }])(
    'ignores %j',
    (line) => {
      for (const kind of [claudeCodeReading, codexReading, geminiReading, opencodeReading]) {
        expect(kind.readSignal(line)).toEqual([]);
      }
    },
  );

  it('ignores the end of a turn in a side conversation', () => {
    const watcher = createActivityWatchers(() => codexReading)('custom', {
      offset: 0,
      state: 'idle',
      confidence: 'likely',
      nativeId: 'x',
    });
    expect(
      watcher.signal({ session_id: 'x', hook_event_name: 'UserPromptSubmit', prompt: 'go' }).changes,
    ).toMatchObject([{ state: 'active', confidence: 'certain', source: 'hook' }]);
    const side = watcher.signal({ type: 'agent-turn-complete', 'thread-id': 'title-thread' });
    expect(side).toEqual({ changes: [], signals: [], other: 'title-thread' });
    expect(watcher.signal({ session_id: 'x', hook_event_name: 'Stop' }).changes).toMatchObject([{ state: 'idle' }]);
  });
});

import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKind, Programs } from './kind.ts';
import { serversAsJson, starters } from './other-servers.ts';
import { scriptedReading } from './reading/scripted.ts';

const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Our own program, which obeys the lines of its prompt and needs no account. A conversation is its transcript file. */
export function scriptedKind(programs: Programs): AgentKind {
  return {
    ...scriptedReading,
    id: 'scripted',
    name: 'Scripted agent',
    program: null,
    commandCharacters: [],
    safePrefix: null,
    blankBehind: false,
    environment: [],
    nativeId: 'ours',
    conversationId: (sessionId) => sessionId,
    switchesConversation: false,
    supportsResume: true,
    supportsFork: true,
    bracketedPaste: true,
    defaultMode: 'acceptEdits',
    permission: (requested) => ({ mode: requested, note: null }),
    readsHelp: false,
    reports: 'never',
    recordsEnds: false,
    connects: 'use',
    mcpTransports: ['stdio', 'http', 'sse'],
    trustFolder: () => ({ args: [], env: {} }),
    note: null,
    userFiles: [],
    namedVariables: () => [],
    login: null,
    keys: { interrupt: '\x03', clearLine: '\x15' },
    start(request) {
      const { conversation, transcriptDir, folder, mcp } = request;
      const args = [programs.scriptedAgent, '--transcript', transcript(transcriptDir, conversation.nativeId)];
      if (conversation.mode === 'resume') args.push('--resume');
      if (conversation.mode === 'fork') args.push('--fork-from', transcript(transcriptDir, conversation.from));
      args.push('--mcp-token-file', join(folder, 'token'), '--mcp-config', join(folder, 'mcp.json'));
      const env = { AGENT_CONSOLE_MCP_URL: mcp.url };
      const files = {
        token: mcp.token,
        'mcp.json': JSON.stringify({ mcpServers: serversAsJson(request) }),
        ...starters(request),
      };
      return { file: process.execPath, args, env, files, overlay: null };
    },
    oneShot: null,
  };
}

function transcript(folder: string, nativeId: string | null): string {
  if (nativeId === null || !NATIVE_ID.test(nativeId)) {
    const message = `A scripted conversation needs an id of letters, digits, "-" and "_", not ${JSON.stringify(nativeId)}`;
    throw new ConsoleError('VALIDATION', message, { nativeId });
  }
  return join(folder, `${nativeId}.jsonl`);
}

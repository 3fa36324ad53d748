import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKind, Programs, Reading } from './kind.ts';

const TITLES = new Map<string, Reading>([
  ['scripted: working', { state: 'active', confidence: 'likely' }],
  ['scripted: asking', { state: 'asking', confidence: 'likely' }],
  ['scripted: idle', { state: 'idle', confidence: 'likely' }],
]);
const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Our own program, which obeys the lines of its prompt and needs no account. A conversation is its transcript file. */
export function scriptedKind(programs: Programs): AgentKind {
  return {
    id: 'scripted',
    commandCharacters: [],
    safePrefix: null,
    environment: [],
    nativeId: 'ours',
    supportsResume: true,
    supportsFork: true,
    bracketedPaste: true,
    start({ conversation, transcriptDir, mcp }) {
      const args = [programs.scriptedAgent, '--transcript', transcript(transcriptDir, conversation.nativeId)];
      if (conversation.mode === 'resume') args.push('--resume');
      if (conversation.mode === 'fork') args.push('--fork-from', transcript(transcriptDir, conversation.from));
      if (mcp.tokenFile !== null) args.push('--mcp-token-file', mcp.tokenFile);
      return { file: process.execPath, args, env: { AGENT_CONSOLE_MCP_URL: mcp.url } };
    },
    readTitle: (title) => TITLES.get(title) ?? null,
    readProgress: { 4: { state: 'asking', confidence: 'likely' } },
  };
}

function transcript(folder: string, nativeId: string | null): string {
  if (nativeId === null || !NATIVE_ID.test(nativeId)) {
    const message = `A scripted conversation needs an id of letters, digits, "-" and "_", not ${JSON.stringify(nativeId)}`;
    throw new ConsoleError('VALIDATION', message, { nativeId });
  }
  return join(folder, `${nativeId}.jsonl`);
}

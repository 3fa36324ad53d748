import { join } from 'node:path';
import { type AgentKind, KIND_DEFAULTS, type Programs } from '../common/kind.ts';
import { serversAsJson, stdioScripts } from '../common/mcp-servers.ts';
import { requireNativeId } from '../common/start.ts';
import { scriptedReading } from './reading.ts';
import { openScriptedConversations } from './transcript.ts';

const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Creates the kind of the console's own agent, which runs the commands in its prompt and needs no account. */
export function scriptedKind(programs: Programs): AgentKind {
  return {
    ...KIND_DEFAULTS,
    ...scriptedReading,
    id: 'scripted',
    name: 'Scripted agent',
    nativeId: 'console',
    connects: 'use',
    readsImages: true,
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
        ...stdioScripts(request),
      };
      return { file: process.execPath, args, env, files, overlay: null };
    },
    openConversations: openScriptedConversations,
  };
}

function transcript(folder: string, nativeId: string | null): string {
  const id = requireNativeId(nativeId, 'The scripted agent', NATIVE_ID, 'letters, digits, "-" and "_"');
  return join(folder, `${id}.jsonl`);
}

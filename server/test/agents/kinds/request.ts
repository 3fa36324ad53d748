import { AgentKindName } from '@agent-console/shared/models/agent';
import { createAgentKinds } from '../../../src/agents/kinds.ts';
import type { Conversation, StartRequest } from '../../../src/ports/agents.ts';

/** Kinds of agents that people install and that run in a terminal. A new kind is included automatically. */
export type InstalledKind = Exclude<AgentKindName, 'scripted' | 'custom' | 'acp' | `${string}-acp`>;
export const INSTALLED_KINDS = AgentKindName.options.filter(
  (name): name is InstalledKind => !/^(scripted|custom|acp)$|-acp$/.test(name),
);

export const kinds = createAgentKinds({ scriptedAgent: '/programs/scripted-agent.js', cli: '/programs/cli.js' });
export const SESSION = '01a20123-b9a8-75e4-a89f-548faba88966';
export const OTHER = '01a20124-c3f9-7a70-938f-449f3f675cda';
export const TOKEN = 'acw_secret-of-this-worker';
/** Help texts of Codex with all approval policies, and with only two. */
export const ALL_POLICIES = 'untrusted, on-failure, on-request, never --no-daemon';
export const TWO_POLICIES = '- on-request: ... - never: ... --no-daemon';

export function request(conversation: Conversation, changes: Partial<StartRequest> = {}): StartRequest {
  return {
    definition: { id: 'mine', command: [] },
    installed: { version: null, help: null },
    conversation,
    cwd: '/work/tree',
    repository: { path: '/work/repo', commonDir: '/work/repo/.git', gitDir: '/work/repo/.git/worktrees/tree1' },
    mode: 'default',
    instructions: 'You run in session "s".\nSecond line.',
    folder: '/console/workers/w/process',
    addedFolders: [],
    readFolders: [],
    transcriptDir: '/console/transcripts',
    signalsFile: "/console/it's/signals.ndjson",
    mcp: { url: 'http://127.0.0.1:3457/mcp', token: TOKEN, timeoutMs: 180_000 },
    servers: [],
    userFiles: {},
    userPaths: { '.gemini/trustedFolders.json': '/home/me/.gemini/trustedFolders.json' },
    ...changes,
  };
}

export const fresh: Conversation = { mode: 'new', nativeId: SESSION };
export const resumed: Conversation = { mode: 'resume', nativeId: SESSION };
export const forked: Conversation = { mode: 'fork', nativeId: SESSION, from: OTHER };

/** Returns the argument after each occurrence of an option. */
export function after(args: readonly string[], option: string): string[] {
  return args.flatMap((arg, index) => (arg === option ? [args[index + 1] ?? ''] : []));
}

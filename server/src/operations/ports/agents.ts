import type { Agent } from '@agent-console/shared/models/agent';
import type { ActivitySource, ActivityState, Confidence } from '@agent-console/shared/models/worker';

/** What the application layer asks of a kind of agent; `start` plans, the runner acts. */
interface AgentKind {
  commandCharacters: readonly string[];
  safePrefix: string | null;
  environment: readonly string[];
  nativeId: 'ours' | 'none';
  supportsResume: boolean;
  bracketedPaste: boolean;
  start(request: {
    definition: Pick<Agent, 'id' | 'command'>;
    conversation: { mode: 'new'; nativeId: string | null } | { mode: 'resume'; nativeId: string };
    transcriptDir: string;
    mcp: { url: string; tokenFile: string | null };
  }): { file: string; args: string[]; env: Record<string, string> };
}

export type AgentKinds = (name: Agent['kind']) => AgentKind;

/** A change in what an agent is seen to do; `offset` is the log offset behind the sign. */
export interface Transition {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  offset: number;
}

/** Reads an agent's output for signs of what it does. */
interface ActivityWatcher {
  push(offset: number, data: Buffer): Transition[];
  /** Reading may go on from here after a restart: never inside an escape sequence. */
  safeOffset(): number;
}

export type ActivityWatchers = (
  kind: Agent['kind'],
  from: { offset: number; state: ActivityState; confidence: Confidence },
) => ActivityWatcher;

import type { WorkerRow } from '../../ports/rows.ts';

/** A command that an agent runs in a terminal of its session. */
export interface TerminalCommand {
  file: string;
  args: string[];
  cwd: string;
  /** Variables that are added to the environment of the terminal. */
  env: Record<string, string>;
}

/** Exit code or Unix signal of a terminal's process. Both are null if the end of the process is unknown. */
export interface TerminalExit {
  exitCode: number | null;
  signal: string | null;
}

/**
 * Terminals that agents open over their protocol. Each is a worker of the session until the agent releases it or ends.
 * Every method can be repeated after a crash.
 */
export interface AgentTerminals {
  /**
   * Runs a command in a new terminal with this id. A repeated call finds the process of the first call.
   * @param outputLimit maximum number of bytes of output that the agent wants to read
   * @throws LIMIT_EXCEEDED if the agent has too many terminals. CONFLICT if the agent has ended, or if its session is
   * archived or not ready. NOT_FOUND if the session was removed. AGENT_UNAVAILABLE if the program cannot be started.
   * RUNNER_UNAVAILABLE.
   */
  start(agent: WorkerRow, terminalId: string, command: TerminalCommand & { outputLimit: number | null }): Promise<void>;
  /**
   * Returns the newest output, within the terminal's limit. `truncated` is true if earlier output was left out. `exit`
   * is null while the process runs. @throws NOT_FOUND if there is no such terminal, for example because it was released
   */
  output(terminalId: string): Promise<{ text: string; truncated: boolean; exit: TerminalExit | null }>;
  /** Waits until the process has ended. */
  exited(terminalId: string): Promise<TerminalExit>;
  /** Ends the process. Its output can still be read. */
  kill(terminalId: string): Promise<void>;
  /**
   * Ends the process and removes the terminal. The tool call that showed the terminal then contains the newest output.
   */
  release(terminalId: string): Promise<void>;
  /** Releases all terminals of an agent that has ended. Problems with individual terminals are reported, not thrown. */
  releaseAll(agent: Pick<WorkerRow, 'id' | 'sessionId'>): Promise<void>;
  /** Releases the terminals of ended agents that were not released because the server or the runner was not running. */
  releaseAbandoned(): Promise<void>;
}

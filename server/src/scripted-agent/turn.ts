import type { Git } from './git.ts';
import type { ToolCaller } from './mcp.ts';
import type { Permission } from './question.ts';

/** What the commands of a prompt may use. */
export interface Turn {
  cwd: string;
  /** Aborted when a person interrupts. */
  signal: AbortSignal;
  git: Git;
  tools: ToolCaller;
  /** File that lists the further MCP servers; undefined without any. */
  mcpConfig: string | undefined;
  /** Records and shows a message of the agent. */
  say(text: string): void;
  /** Shows text outside the conversation, byte for byte, and waits until the terminal accepted it. */
  output(text: string): Promise<void>;
  ask(question: string): Promise<boolean>;
  /** Asks whether a tool may be used for something. */
  permit(tool: string, what: string): Promise<Permission>;
  recall(number: number): Promise<string | null>;
  /** Ends the turn with an error, as a model's provider would. */
  fail(words: string): void;
  /** Restores the terminal and ends the program. */
  exit(code: number): Promise<never>;
  /** Ends the program as SIGKILL does. */
  crash(): Promise<never>;
}

import type { Git } from './git.ts';
import type { ToolCaller } from './mcp.ts';
import type { Permission } from './question.ts';

/** Functions and data available to the commands of a prompt. */
export interface Turn {
  cwd: string;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  git: Git;
  tools: ToolCaller;
  /** File that lists the other MCP servers, or undefined if there are none. */
  mcpConfig: string | undefined;
  /** Records and shows an agent message. */
  say(text: string): void;
  /** Shows text outside the conversation, byte for byte, and waits until the terminal accepted it. */
  output(text: string): Promise<void>;
  ask(question: string): Promise<boolean>;
  /** Asks whether a tool may be used for a purpose. */
  permit(tool: string, what: string): Promise<Permission>;
  recall(number: number): Promise<string | null>;
  /** Ends the turn with an error, like an error from a model provider. */
  fail(words: string): void;
  /** Restores the terminal and ends the program. */
  exit(code: number): Promise<never>;
  /** Ends the program as SIGKILL does. */
  crash(): Promise<never>;
}

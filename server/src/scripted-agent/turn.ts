import type { Git } from './git.ts';
import type { ToolCaller } from './mcp.ts';
import type { Permission } from './permission.ts';

/** What a command of a prompt may use. */
export interface Turn {
  cwd: string;
  /** Aborted when the person interrupts. */
  signal: AbortSignal;
  git: Git;
  tools: ToolCaller;
  /** File that names the other MCP servers it was given; undefined where it was given none. */
  mcpConfig: string | undefined;
  /** Records and shows one thing the agent says. */
  say(text: string): void;
  /** Shows text that is no part of the conversation, byte for byte, and waits until the terminal took it. */
  output(text: string): Promise<void>;
  ask(question: string): Promise<boolean>;
  /** Asks whether a tool may be used for something. */
  permit(tool: string, what: string): Promise<Permission>;
  recall(number: number): Promise<string | null>;
  /** Has the turn end with an error, as one of a model's provider would end it. */
  fail(words: string): void;
  /** Gives the terminal back and ends the program. */
  exit(code: number): Promise<never>;
  /** Ends the program as SIGKILL does. */
  crash(): Promise<never>;
}

import type {
  CreateElicitationResponse,
  CreateTerminalRequest,
  ElicitationSchema,
  SessionUpdate,
  StopReason,
  TerminalHandle,
  ToolCall,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import type { Git } from './git.ts';
import type { ToolCaller } from './mcp.ts';
import type { Permission } from './question.ts';

/** Functions and data available to the commands of a prompt. */
export interface Turn {
  cwd: string;
  /** Aborted when the user interrupts the turn. */
  signal: AbortSignal;
  git: Git;
  tools: ToolCaller;
  /** Lists the MCP servers besides the console's own, as `<name> (<transport>)`. */
  otherServers(): Promise<readonly string[]>;
  /** Lists the images of the prompt, as `<type>, <bytes> bytes, <beginning of the SHA-256>`. */
  images(): Promise<readonly string[]>;
  /** Records and shows an agent message. */
  say(text: string): void;
  /**
   * Writes text byte for byte to the terminal, or sends it to the client as an agent message, without recording it in
   * the transcript. Resolves when the terminal or client has accepted the text.
   */
  output(text: string): Promise<void>;
  /** Resolves when the terminal or client has accepted all output so far. */
  sent(): Promise<void>;
  ask(question: string): Promise<boolean>;
  /** Asks the user whether a tool may be used for a purpose. */
  permit(tool: string, what: string): Promise<Permission>;
  recall(number: number): Promise<string | null>;
  toolAnswer(number: number): Promise<string | null>;
  /** Ends the turn with an error, as if a request to a model provider had failed. */
  fail(words: string): void;
  /** Restores the terminal and ends the program. */
  exit(code: number): Promise<never>;
  /** Ends the program without any cleanup, as SIGKILL does. */
  crash(): Promise<never>;
  /** Additional functions of an agent that is driven over ACP; null for an agent in a terminal. */
  protocol: ProtocolTurn | null;
}

type TerminalRequest = Omit<CreateTerminalRequest, 'sessionId'>;

interface FormRequest {
  mode: 'form';
  message: string;
  requestedSchema: ElicitationSchema;
}

interface LinkRequest {
  mode: 'url';
  message: string;
  url: string;
  elicitationId: string;
}

export interface ProtocolTurn {
  /**
   * Returns the absolute path of a path relative to the session's directory. The path may lead outside that directory.
   */
  resolve(path: string): string;
  update(update: SessionUpdate): Promise<void>;
  /**
   * Runs `work`, and reports it to the client as a tool call, with the content that `work` passes to `show` and finally
   * returns. The tool call fails if `work` rejects.
   */
  call(
    call: Omit<ToolCall, 'toolCallId' | 'status'>,
    work: (show: (content: ToolCallContent[]) => Promise<void>) => Promise<ToolCallContent[]>,
  ): Promise<void>;
  readFile(path: string, part?: { line: number; limit: number }): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
  /** Asks the client to open a terminal that runs this command. */
  terminal(command: TerminalRequest): Promise<TerminalHandle>;
  /** Terminals that `@terminal start` has opened in this conversation, by the names that prompts use for them. */
  terminals: Map<string, TerminalHandle>;
  setMode(modeId: string): Promise<void>;
  stopWith(reason: StopReason): void;
  /** Logs the agent out, so that it refuses the next prompt until a person logs in. */
  logOut(): void;
  /** Asks a person to fill in a form or to open a page. */
  elicit(request: FormRequest | LinkRequest): Promise<CreateElicitationResponse>;
  /** Tells the client that the person has finished on the page that `elicit` asked the person to open. */
  linkDone(elicitationId: string): Promise<void>;
  /** Writes a line to standard output unchanged, so that a test can send messages that break the protocol. */
  raw(line: string): Promise<void>;
}

/**
 * Runs a command with the text after its name. Throws an Error with a message for the user if the command fails. The
 * result `end` skips the rest of the turn.
 */
export type Command = (rest: string, turn: Turn) => Promise<'end' | undefined>;

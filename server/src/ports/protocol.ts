import type { ConfigOption, FormValues, ProtocolCapabilities, ProtocolEvent, RequestId } from '../domain/protocol.ts';

/** A protocol event, and the position of its line in the worker's log. */
export interface ProtocolLine {
  /** Log offset of the first byte of the line. */
  offset: number;
  /** Log offset directly after the line. */
  next: number;
  event: ProtocolEvent;
}

/** Reads and writes the messages of an agent's protocol. */
export interface AgentProtocol {
  /** Returns a reader of the agent's output, beginning at the log offset `offset`. */
  createReader(offset: number): {
    /**
     * Returns the lines that end in these bytes. `nativeId` is the agent's id of the open conversation; null if it is
     * not known yet. The event `broken` means that no further lines are returned, for example because a line was too
     * long or output was lost.
     */
    push(offset: number, data: Buffer, nativeId: string | null): ProtocolLine[];
  };
  frames: ProtocolFrames;
}

/** An image in a prompt. `data` is base64. */
export interface PromptBlock {
  type: 'image';
  mimeType: string;
  data: string;
}

/** Formats messages to an agent, each as one line of JSON. */
interface ProtocolFrames {
  initialize(): string;
  /** Requests a log-in by a method that the agent itself performs. */
  authenticate(requestId: string, methodId: string): string;
  /**
   * Opens a new conversation (`new`), a copy of the stored conversation `nativeId` (`fork`), or that conversation
   * itself: with a replay of its messages (`load`) or without (`resume`).
   */
  open(
    requestId: string,
    mode: 'new' | 'load' | 'resume' | 'fork',
    target: {
      nativeId: string | null;
      cwd: string;
      /**
       * Content of the worker's file `OPENING_FILE`: MCP servers, instructions and settings. Only the parts that the
       * agent supports are sent to it.
       */
      opening: string;
      capabilities: ProtocolCapabilities | null;
    },
  ): string;
  /** Returns the names of the MCP servers that `open` leaves out, because the agent does not support their transport. */
  unsupportedServers(opening: string, capabilities: ProtocolCapabilities | null): string[];
  /**
   * Returns the instructions that could not be given when the conversation was opened, and that must therefore precede
   * the first prompt; null if there are none.
   */
  promptInstructions(opening: string, capabilities: ProtocolCapabilities | null): string | null;
  /** `instructions` are sent as a block before the text, `images` as blocks after it. */
  prompt(
    inputId: string,
    nativeId: string,
    text: string,
    more?: { instructions?: string | null; images?: readonly PromptBlock[] },
  ): string;
  cancel(nativeId: string): string;
  /** Asks the agent to close the conversation, which can be opened again later. */
  close(requestId: string, nativeId: string): string;
  /** Sets an option of the conversation to a value, with the request that `option.request` names. */
  choose(requestId: string, nativeId: string, option: ConfigOption, value: string): string;
  /** Answers a permission request with the chosen option; null means that the prompt was cancelled. */
  permission(requestId: RequestId, optionId: string | null): string;
  /** Answers a request to fill in a form or to open a page. `content` contains the values of an accepted form. */
  elicitation(requestId: RequestId, action: 'accept' | 'decline' | 'cancel', content: FormValues | null): string;
  result(requestId: RequestId, value: object): string;
  failure(requestId: RequestId, reason: 'unsupported' | 'invalid' | 'notFound' | 'internal', message: string): string;
}

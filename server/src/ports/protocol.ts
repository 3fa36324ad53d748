import type { ConfigOption, ProtocolCapabilities, ProtocolEvent, RequestId } from '../domain/protocol.ts';

/** An event with the position of its line in the worker's log. */
export interface ProtocolLine {
  /** Offset of the first byte of the line. */
  offset: number;
  /** Offset behind the line's end. */
  next: number;
  event: ProtocolEvent;
}

/** Reads and writes the protocol of an agent. */
export interface AgentProtocol {
  /** Returns a reader of the agent's output from this offset on. */
  createReader(offset: number): { push(data: Buffer, nativeId: string | null): ProtocolLine[] };
  frames: ProtocolFrames;
}

/** Messages to an agent, each as one line. */
interface ProtocolFrames {
  initialize(): string;
  /** Opens a new conversation, or the stored one named by `nativeId`: with its replay, or without. */
  open(
    how: 'new' | 'load' | 'resume',
    place: {
      nativeId: string | null;
      cwd: string;
      /** The file of servers that the agent's kind wrote. Only those that the agent supports are offered to it. */
      servers: string;
      capabilities: ProtocolCapabilities | null;
    },
  ): string;
  prompt(inputId: string, nativeId: string, text: string): string;
  cancel(nativeId: string): string;
  /** Chooses a value of an option, by the request that this agent knows for it. */
  choose(requestId: string, nativeId: string, option: ConfigOption, value: string): string;
  /** Answers a permission request; null if the prompt was cancelled. */
  permission(requestId: RequestId, optionId: string | null): string;
  result(requestId: RequestId, value: object): string;
  failure(requestId: RequestId, reason: 'unsupported' | 'invalid' | 'notFound' | 'internal', message: string): string;
}

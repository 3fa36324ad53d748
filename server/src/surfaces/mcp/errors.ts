import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';

/**
 * Creates a protocol error for a request whose result cannot contain an error. The protocol error contains the message,
 * and the console's error body as data. For a missing resource, creates the error that the protocol defines instead.
 */
function protocolError(error: ConsoleError, uri?: string): ProtocolError {
  const text = `${error.code}: ${error.message}`;
  if (error.code === 'NOT_FOUND' && uri !== undefined) return new ResourceNotFoundError(uri, text);
  const code = ERRORS[error.code].http >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, text, error.toBody());
}

/** Runs the work of a request and converts a ConsoleError to a protocol error. */
export async function withProtocolErrors<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConsoleError ? protocolError(error, uri) : error;
  }
}

/** Code for a missing resource in revisions before 2026-07-28. */
const RESOURCE_NOT_FOUND = -32002;

/**
 * Returns the message with the code that the 2025 revisions define for a missing resource. The SDK sends the code of
 * the 2026 revision to every client. An error about a missing resource is recognized by its data, whose only key is
 * `uri`.
 */
export function withEarlierCodes(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InvalidParams) return message;
  const { data } = message.error;
  const missing = typeof data === 'object' && data !== null && Object.keys(data).join() === 'uri';
  return missing ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
}

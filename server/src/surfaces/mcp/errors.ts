import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';

/**
 * A refusal where the protocol has no result to carry it: our words as the message, our body as the data. A missing
 * resource is named as the protocol wants it.
 */
function protocolError(error: ConsoleError, uri?: string): ProtocolError {
  const text = `${error.code}: ${error.message}`;
  if (error.code === 'NOT_FOUND' && uri !== undefined) return new ResourceNotFoundError(uri, text);
  const code = ERRORS[error.code].http >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, text, error.toBody());
}

/** Runs one request's work and turns what our own code refuses into the protocol's error. */
export async function refusing<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConsoleError ? protocolError(error, uri) : error;
  }
}

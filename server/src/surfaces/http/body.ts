import type { IncomingMessage } from 'node:http';
import { ConsoleError } from '@agent-console/shared/errors';
import { BODY_MAX_BYTES, UNIDENTIFIED_BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import type { Caller } from '../../domain/caller.ts';

function tooLarge(limitBytes: number): ConsoleError {
  const advice =
    limitBytes === BODY_MAX_BYTES ? 'Put long text into a file and pass its path.' : 'Send a smaller body.';
  return new ConsoleError('TOO_LARGE', `The request body is larger than ${limitBytes} bytes. ${advice}`, {
    limitBytes,
  });
}

/**
 * Reads a request's body as UTF-8, up to `maxBytes`.
 * @throws TOO_LARGE as soon as a larger size is announced or received, VALIDATION if the body is incomplete or not
 * UTF-8.
 */
async function readBody(incoming: IncomingMessage, maxBytes = BODY_MAX_BYTES): Promise<string> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const part = chunk as Buffer;
      bytes += part.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(part);
    }
  } catch (error) {
    if (error instanceof ConsoleError) throw error;
    throw new ConsoleError(
      'VALIDATION',
      'The request ended before its body was complete. Send it again.',
      {},
      { cause: error },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new ConsoleError('VALIDATION', 'The request body is not valid UTF-8.', {}, { cause: error });
  }
}

/**
 * Reads a caller's request body, up to `maxBytes`. Unidentified callers may send only small bodies, because all of them
 * together would otherwise take hundreds of megabytes.
 * @throws what `readBody` throws; UNAUTHENTICATED if the body of an unidentified caller exceeds
 * UNIDENTIFIED_BODY_MAX_BYTES.
 */
export async function readBodyOf(caller: Caller, incoming: IncomingMessage, maxBytes?: number): Promise<string> {
  if (caller.kind !== 'nobody') return readBody(incoming, maxBytes);
  return readBody(incoming, UNIDENTIFIED_BODY_MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof ConsoleError) || error.code !== 'TOO_LARGE') throw error;
    throw new ConsoleError('UNAUTHENTICATED', caller.reason, {}, { cause: error });
  });
}

/** Parses JSON. @throws VALIDATION with the position of the error, if the parser names it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where =
      error instanceof SyntaxError ? /at position \d+.*|Unexpected end.*/.exec(error.message)?.[0] : undefined;
    throw new ConsoleError(
      'VALIDATION',
      `The request body is not valid JSON${where === undefined ? '' : ` (${where})`}.`,
      {},
      { cause: error },
    );
  }
}

/**
 * Whether the body is declared as JSON. Other content types are rejected, because web pages of other origins can send
 * them without a CORS preflight.
 */
export function isJson(incoming: IncomingMessage): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(incoming.headers['content-type'] ?? '');
}

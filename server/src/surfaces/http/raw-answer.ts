import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ConsoleError, ERRORS } from '@agent-console/shared/errors';

/**
 * Writes an error response directly to a socket, for a request without a response object, and closes the connection.
 * `status` overrides the status of the error's code.
 */
export function answerRaw(socket: Duplex, error: ConsoleError, status: number = ERRORS[error.code].http): void {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify(error.toBody());
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS } from '@agent-console/shared/errors';
import { asConsoleError } from './connection.ts';

/** Answers an upgrade request with an error, as the REST surface would, and ends its connection. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (socket.destroyed || !socket.writable) return;
  const failure = asConsoleError(error);
  const status = ERRORS[failure.code].http;
  const body = JSON.stringify(failure.toBody());
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

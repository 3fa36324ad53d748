import type { Duplex } from 'node:stream';
import { answerRaw } from '../http/raw-answer.ts';
import { asConsoleError } from './connection.ts';

/** Answers an upgrade request with an error, like the REST surface, and ends its connection. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  answerRaw(socket, asConsoleError(error));
}

import type { Duplex } from 'node:stream';
import { answerRaw } from '../http/raw-answer.ts';
import { asConsoleError } from './connection.ts';

/** Answers an upgrade request with an error, as the REST surface would, and ends its connection. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  answerRaw(socket, asConsoleError(error));
}

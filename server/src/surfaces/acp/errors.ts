import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { RequestError } from '@agentclientprotocol/sdk';

const CODES: Partial<Record<ErrorCode, number>> = {
  VALIDATION: -32_602,
  UNSUPPORTED: -32_602,
  UNAUTHENTICATED: -32_000,
  NOT_FOUND: -32_002,
};
const INTERNAL = -32_603;

/** Returns a ConsoleError as an error response of the protocol, and any other error unchanged. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof ConsoleError)) return error;
  const { code, message, details } = error;
  return new RequestError(CODES[code] ?? INTERNAL, message, { ...details, code });
}

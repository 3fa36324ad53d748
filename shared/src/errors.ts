/**
 * All error codes, each with its HTTP status, the exit status of the command line, and whether a retry may succeed.
 * REST, MCP, WebSockets and the JSON output of the command line report an error as
 * `{"error":{"code","message","details","retryable"}}`.
 */
export const ERRORS = {
  VALIDATION: { http: 400, exit: 2, retryable: false },
  UNAUTHENTICATED: { http: 401, exit: 3, retryable: false },
  PERMISSION_DENIED: { http: 403, exit: 4, retryable: false },
  NOT_FOUND: { http: 404, exit: 5, retryable: false },
  CONFLICT: { http: 409, exit: 6, retryable: false },
  AMBIGUOUS_ID: { http: 409, exit: 7, retryable: false },
  TOO_LARGE: { http: 413, exit: 8, retryable: false },
  UNSUPPORTED: { http: 422, exit: 9, retryable: false },
  AGENT_UNAVAILABLE: { http: 424, exit: 10, retryable: false },
  GIT_FAILED: { http: 424, exit: 11, retryable: false },
  LIMIT_EXCEEDED: { http: 429, exit: 12, retryable: true },
  INTERNAL: { http: 500, exit: 13, retryable: false },
  BUSY: { http: 503, exit: 14, retryable: true },
  RUNNER_UNAVAILABLE: { http: 503, exit: 15, retryable: true },
  TIMEOUT: { http: 504, exit: 16, retryable: true },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorDetails = Record<string, unknown>;

/** Body of the response to a failed call, which is the same on all surfaces of the console. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails; retryable: boolean };
}

/** An error to report to the caller. Its message says what to do next. Any other thrown error is a bug. */
export class ConsoleError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Whether the same call may succeed if repeated a little later. Defaults to the value of the error code. */
  readonly retryable: boolean;

  /** @param options `retryable` overrides the default of the error code. */
  constructor(
    code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
    options: { cause?: unknown; retryable?: boolean } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ConsoleError';
    this.code = code;
    this.details = details;
    this.retryable = options.retryable ?? ERRORS[code].retryable;
  }

  toBody(): ErrorBody {
    const { code, message, details, retryable } = this;
    return { error: { code, message, details, retryable } };
  }

  /** Parses the body of a failed call. Returns undefined for any other body. */
  static fromBody(body: unknown): ConsoleError | undefined {
    if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
    const { error } = body as { error: unknown };
    if (typeof error !== 'object' || error === null) return undefined;
    const { code, message, details, retryable } = error as Record<string, unknown>;
    if (typeof code !== 'string' || !(code in ERRORS) || typeof message !== 'string') return undefined;
    const options = typeof retryable === 'boolean' ? { retryable } : {};
    return new ConsoleError(code as ErrorCode, message, (details ?? {}) as ErrorDetails, options);
  }
}

/**
 * Creates an error about an input field. Each surface replaces the field's name in the message with the name that it
 * uses, such as a command-line flag.
 */
export function fieldError(
  field: string,
  message: string,
  details: ErrorDetails = {},
  code: ErrorCode = 'VALIDATION',
): ConsoleError {
  return new ConsoleError(code, `${field}: ${message}`, { field, ...details });
}

/** Creates the NOT_FOUND error for an entity that does not exist. Its message is e.g. `Session 01a1b2c3 not found`. */
export function notFound(noun: string, id: string): ConsoleError {
  const plain = noun.replace(/^[A-Z]+/, (letters) => letters.toLowerCase());
  const key = `${plain.replace(/\s+(\w)/g, (_, letter: string) => letter.toUpperCase())}Id`;
  return new ConsoleError('NOT_FOUND', `${noun} ${id} not found`, { [key]: id });
}

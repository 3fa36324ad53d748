import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Maximum bytes of a request body: a prompt with its JSON escaping (up to 6x), and space for the other fields. */
export const BODY_MAX_BYTES = 1 * MIB;
/**
 * Maximum bytes of a request body of an unidentified caller, who can only log in or begin MCP. The request bodies of
 * UNIDENTIFIED_CONNECTIONS_OTHERS_MAX connections take at most 8 MB together.
 */
export const UNIDENTIFIED_BODY_MAX_BYTES = 16 * KIB;
/** Maximum duration of a call. MCP clients give up on a call that has sent nothing for 60 s. */
export const CALL_MAX_MS = 45 * SECOND;
/** Default timeout of `wait_for_session`, in seconds. */
export const WAIT_DEFAULT_SECONDS = 30;
/** Maximum timeout of `wait_for_session`, in seconds. */
export const WAIT_MAX_SECONDS = 45;
/** Maximum seconds that a call waits for the end of the job that it started: CALL_MAX_MS minus the time to answer. */
export const JOB_WAIT_SECONDS = 44;
/**
 * Maximum seconds that a fork or spawn with `sync` waits for the end of its task: CALL_MAX_MS minus the time to answer.
 */
export const BRANCH_SYNC_SECONDS = 44;
/**
 * Time in which a tool call that has waited until CALL_MAX_MS must return its current result. After this time, the call
 * fails with TIMEOUT.
 */
export const CALL_GRACE_MS = 2 * SECOND;
/** Maximum time that a stopping server waits until open calls are answered. */
export const DRAIN_MAX_MS = 2 * SECOND;

export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** Lifetime of an idempotency key. */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * MINUTE;
/**
 * If the response to a call without an idempotency key was lost, an identical call of the same worker within this time
 * counts as its retry.
 */
export const UNDELIVERED_RETRY_MS = 10 * MINUTE;

/**
 * Timeout of a call by the console's own clients. It exceeds CALL_MAX_MS, so that the server answers before the
 * timeout.
 */
export const CLIENT_CALL_MS = 60 * SECOND;
/** Time for which the console's own clients retry a refused connection. */
export const CLIENT_RETRY_MS = 60 * SECOND;
/** First pause between two attempts of the console's own clients; it doubles up to CLIENT_RETRY_PAUSE_MAX_MS. */
export const CLIENT_RETRY_PAUSE_MS = 100;
/** Longest pause between two attempts of the console's own clients. */
export const CLIENT_RETRY_PAUSE_MAX_MS = 2 * SECOND;

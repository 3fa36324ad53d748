/** Limits of one call: size, duration, idempotency, and retries by the console's own clients (CLI and MCP bridge). */
import { MIB, MINUTE, SECOND } from './units.ts';

/** Maximum bytes of a request body: a prompt, its JSON escaping (up to 6x) and space for the other fields. */
export const BODY_MAX_BYTES = 1 * MIB;
/** Maximum duration of a call. Real MCP clients abandon silent calls after 60 s. */
export const CALL_MAX_MS = 45 * SECOND;
/** Default timeout of `wait_for_session`, in seconds. */
export const WAIT_DEFAULT_SECONDS = 30;
/** Maximum timeout of `wait_for_session`, in seconds. */
export const WAIT_MAX_SECONDS = 45;
/** Maximum seconds that a call with `sync` waits for its task: CALL_MAX_MS minus the time to answer. */
export const BRANCH_SYNC_SECONDS = 44;
/** A tool call stops waiting after CALL_MAX_MS, and then has this time to return what it has so far. */
export const CALL_GRACE_MS = 2 * SECOND;
/** A server that is asked to stop waits this long until open calls are answered. */
export const DRAIN_MAX_MS = 2 * SECOND;

/** Maximum characters of an idempotency key. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** Lifetime of an idempotency key. */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * MINUTE;
/**
 * Without a key, an identical call of the same worker within this time counts as a retry if the first answer was lost.
 */
export const UNDELIVERED_RETRY_MS = 10 * MINUTE;

/** Timeout of a call by the console's own clients. It exceeds CALL_MAX_MS, so the server answers first. */
export const CLIENT_CALL_MS = 60 * SECOND;
/** The console's own clients retry a refused connection for this long. */
export const CLIENT_RETRY_MS = 60 * SECOND;
/** First pause between two attempts of the console's own clients; it doubles up to CLIENT_RETRY_PAUSE_MAX_MS. */
export const CLIENT_RETRY_PAUSE_MS = 100;
/** Longest pause between two attempts of the console's own clients. */
export const CLIENT_RETRY_PAUSE_MAX_MS = 2 * SECOND;

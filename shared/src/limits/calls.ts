/** One call: how large it is, how long it lasts, how long it may be repeated, and how our own clients try again. */
import { MIB, MINUTE, SECOND } from './units.ts';

/** Bytes of a request body: a prompt, its JSON escaping (up to 6x) and room for the other fields. */
export const BODY_MAX_BYTES = 1 * MIB;
/** No call lasts longer: real MCP clients give up silent calls at 60 s. */
export const CALL_MAX_MS = 45 * SECOND;
/** `wait_for_session` where the caller does not say, in seconds. */
export const WAIT_DEFAULT_SECONDS = 30;
/** `wait_for_session` at most, in seconds. */
export const WAIT_MAX_SECONDS = 45;
/** With `sync`, the call that began a session waits for its work this long, in seconds: a call's time less its answer's way. */
export const BRANCH_SYNC_SECONDS = 44;
/** After CALL_MAX_MS a tool call's wait is cut; what it knows by then must be answered within this time. */
export const CALL_GRACE_MS = 2 * SECOND;
/** Time a planned stop gives the answers to open calls to reach their callers. */
export const DRAIN_MAX_MS = 2 * SECOND;

/** Characters of an idempotency key. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** An idempotency key is remembered this long. */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * MINUTE;
/** Without a key, an identical call of the same worker is a retry of an undelivered answer this long. */
export const UNDELIVERED_RETRY_MS = 10 * MINUTE;

/** One tool call of our own clients; the server answers within CALL_MAX_MS. */
export const CLIENT_CALL_MS = 60 * SECOND;
/** Our own clients retry a refused connection this long. */
export const CLIENT_RETRY_MS = 60 * SECOND;
/** First pause of our own clients between two attempts; it doubles up to CLIENT_RETRY_PAUSE_MAX_MS. */
export const CLIENT_RETRY_PAUSE_MS = 100;
/** Longest pause of our own clients between two attempts. */
export const CLIENT_RETRY_PAUSE_MAX_MS = 2 * SECOND;

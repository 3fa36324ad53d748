/** Connections that stay open: WebSockets and event streams, and what waits in them. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** A request's headers must be whole within this time of its connection's or its own first byte: they fit in one packet. */
export const REQUEST_HEADERS_MS = 10 * SECOND;
/** A request must be whole within this time: 1 MiB of body over a slow line. Its answer may take longer. */
export const REQUEST_MAX_MS = 1 * MINUTE;
/** Requests that take too long are looked for this often. */
export const REQUEST_CHECK_MS = 2 * SECOND;
/** A connection may stay idle between two requests: a new one costs a look at its process. */
export const KEEP_ALIVE_MS = 75 * SECOND;
/** A planned stop gives callers this long to leave connections they keep open, each with its next answer. */
export const KEEP_ALIVE_LEAVE_MS = 100;
/**
 * Connections of other Unix users, or from elsewhere, on which nobody has been identified yet. Beyond, the oldest is closed.
 * It is more than all agents and pages of one person that connect anew at once.
 */
export const UNIDENTIFIED_CONNECTIONS_OTHERS_MAX = 500;
/** The same of our own Unix user; twice LIVE_CONNECTIONS_MAX, which may all connect anew at once. */
export const UNIDENTIFIED_CONNECTIONS_OWN_MAX = 2_000;
/** WebSockets of other Unix users, or from elsewhere, that have not sent their first frame. Beyond, the oldest is closed. */
export const UNIDENTIFIED_SOCKETS_OTHERS_MAX = 50;

/** Open WebSockets of callers we know, and open event streams: each holds a descriptor and at most its buffers. */
export const LIVE_CONNECTIONS_MAX = 1_000;
/** WebSocket heartbeat. */
export const HEARTBEAT_MS = 15 * SECOND;
/** The longest that a timer of Node can wait: 2^31 - 1 ms, 24.8 days. */
export const TIMER_MAX_MS = 2_147_483_647;
/** A new WebSocket must identify itself within this time. */
export const SOCKET_AUTH_MS = 10 * SECOND;
/** Bytes waiting in one socket before nothing more is put into it; a reader that is slower is served from the store. */
export const SOCKET_BUFFER_BYTES = 256 * KIB;
/** Input bytes of one WebSocket on their way to the runner before its socket is no longer read. */
export const SOCKET_INPUT_BYTES = 1 * MIB;
/** A closing WebSocket has this long to say goodbye. */
export const SOCKET_CLOSE_MS = 1 * SECOND;
/** Frames that make no sense from one WebSocket before it is closed. */
export const BAD_FRAMES_MAX = 20;

/** Events waiting for one slow subscriber before it has to start again from its cursor. */
export const EVENT_QUEUE_MAX = 10_000;
/** What clients of the event stream are told to wait before they connect again. */
export const EVENT_STREAM_RETRY_MS = 1 * SECOND;
/** An activity must last this long before viewers hear of it, else lists flicker. */
export const ACTIVITY_SETTLE_MS = 500;
/** Sessions in the snapshot of `/ws/app`; the rest by REST. */
export const APP_SNAPSHOT_SESSIONS = 1_000;

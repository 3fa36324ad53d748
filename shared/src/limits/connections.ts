/** Long-lived connections: WebSockets and event streams, and their buffers. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Timeout of a request's headers after the first byte of the connection or request: headers fit into one packet. */
export const REQUEST_HEADERS_MS = 10 * SECOND;
/** Timeout of a whole request: 1 MiB of body over a slow line. Its answer may take longer. */
export const REQUEST_MAX_MS = 1 * MINUTE;
/** Interval of the check for slow requests. */
export const REQUEST_CHECK_MS = 2 * SECOND;
/** Longest idle time between two requests of a connection: a new connection costs a lookup of its process. */
export const KEEP_ALIVE_MS = 75 * SECOND;
/** A planned stop gives callers this long to close their idle connections, each after its next answer. */
export const KEEP_ALIVE_LEAVE_MS = 100;
/**
 * Unidentified connections of other Unix users, or from elsewhere; beyond, the oldest is closed. More than all agents
 * and dashboards of one person that reconnect at once.
 */
export const UNIDENTIFIED_CONNECTIONS_OTHERS_MAX = 500;
/** Unidentified connections of our own Unix user; twice LIVE_CONNECTIONS_MAX, which may all reconnect at once. */
export const UNIDENTIFIED_CONNECTIONS_OWN_MAX = 2_000;
/** WebSockets of other Unix users, or from elsewhere, before their first frame; beyond, the oldest is closed. */
export const UNIDENTIFIED_SOCKETS_OTHERS_MAX = 50;

/** Open WebSockets of identified callers, and open event streams: each holds a descriptor and at most its buffers. */
export const LIVE_CONNECTIONS_MAX = 1_000;
/** WebSocket heartbeat. */
export const HEARTBEAT_MS = 15 * SECOND;
/** Longest delay of a Node timer: 2^31 - 1 ms, 24.8 days. */
export const TIMER_MAX_MS = 2_147_483_647;
/** A new WebSocket must identify itself within this time. */
export const SOCKET_AUTH_MS = 10 * SECOND;
/** Bytes waiting in one socket before nothing more is written to it; a slower reader is served from storage. */
export const SOCKET_BUFFER_BYTES = 256 * KIB;
/** Input bytes of one WebSocket on their way to the runner before its socket is paused. */
export const SOCKET_INPUT_BYTES = 1 * MIB;
/** Time for the closing handshake of a WebSocket. */
export const SOCKET_CLOSE_MS = 1 * SECOND;
/** Invalid frames of one WebSocket before it is closed. */
export const BAD_FRAMES_MAX = 20;

/** Events waiting for one slow subscriber before it has to restart from its cursor. */
export const EVENT_QUEUE_MAX = 10_000;
/** Reconnection delay that the event stream sends to its clients. */
export const EVENT_STREAM_RETRY_MS = 1 * SECOND;
/** An activity must last this long before viewers are notified, otherwise lists flicker. */
export const ACTIVITY_SETTLE_MS = 500;
/** Sessions in the snapshot of `/ws/app`; REST has the rest. */
export const APP_SNAPSHOT_SESSIONS = 1_000;

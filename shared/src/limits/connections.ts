import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Maximum time to receive the headers of a request, from the first byte on. Headers fit into one packet. */
export const REQUEST_HEADERS_MS = 10 * SECOND;
/** Maximum time to receive a whole request: 1 MiB of body over a slow line. The response may take longer. */
export const REQUEST_MAX_MS = 1 * MINUTE;
/** Interval between checks for slow requests. */
export const REQUEST_CHECK_MS = 2 * SECOND;
/**
 * Maximum idle time of a connection. It is long, because each new connection requires a look-up of the caller's
 * process.
 */
export const KEEP_ALIVE_MS = 75 * SECOND;
/**
 * Maximum time that a stopping server waits for callers to close idle connections. Busy connections close after their
 * response.
 */
export const KEEP_ALIVE_LEAVE_MS = 100;
/**
 * Maximum unidentified connections from other Unix users or other machines; when there are more, the oldest is closed.
 * One person's agents and dashboards need fewer, even when all of them reconnect at once.
 */
export const UNIDENTIFIED_CONNECTIONS_OTHERS_MAX = 500;
/** Maximum unidentified connections of the server's own Unix user: twice LIVE_CONNECTIONS_MAX. */
export const UNIDENTIFIED_CONNECTIONS_OWN_MAX = 2_000;
/**
 * Maximum WebSockets from other Unix users or other machines that have not sent their first frame; when there are more,
 * the oldest is closed.
 */
export const UNIDENTIFIED_SOCKETS_OTHERS_MAX = 50;

/**
 * Maximum open WebSockets of identified callers, and maximum open event streams. Each connection needs a descriptor and
 * limited buffers.
 */
export const LIVE_CONNECTIONS_MAX = 1_000;
/** Interval of WebSocket heartbeats. */
export const HEARTBEAT_MS = 15 * SECOND;
/** Maximum delay of a Node timer: 2^31 - 1 ms, 24.8 days. */
export const TIMER_MAX_MS = 2_147_483_647;
/** Maximum time to identify the caller of a new WebSocket. */
export const SOCKET_AUTH_MS = 10 * SECOND;
/**
 * Maximum bytes buffered in one socket. When the buffer is full, the server stops writing, and later sends the rest
 * from storage.
 */
export const SOCKET_BUFFER_BYTES = 256 * KIB;
/**
 * Maximum input bytes of one WebSocket that the runner has not accepted. At this limit, the server stops reading from
 * the socket.
 */
export const SOCKET_INPUT_BYTES = 1 * MIB;
/** Maximum time for the closing handshake of a WebSocket. */
export const SOCKET_CLOSE_MS = 1 * SECOND;
/** Number of invalid frames after which a WebSocket is closed. */
export const BAD_FRAMES_MAX = 20;

/**
 * Maximum events that wait in one subscriber's buffer behind an event that ACTIVITY_SETTLE_MS delays. While the buffer
 * is full, the server reads no more events for this subscriber.
 */
export const EVENT_QUEUE_MAX = 10_000;
/** Reconnection delay that the event stream sends to its clients. */
export const EVENT_STREAM_RETRY_MS = 1 * SECOND;
/**
 * Time that an activity must last before viewers are notified of it. Shorter activities would make lists flicker.
 * Activities that an agent reports over a protocol are not delayed.
 */
export const ACTIVITY_SETTLE_MS = 500;
/** Time after a viewer's last input in which other viewers do not automatically take control of the terminal's size. */
export const SIZE_HELD_MS = 30 * SECOND;
/** Maximum sessions in the snapshot of `/ws/app`; REST lists the others. */
export const APP_SNAPSHOT_SESSIONS = 1_000;

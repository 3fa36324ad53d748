import { MIB, MINUTE } from './units.ts';

/**
 * Maximum MCP sessions in memory; only the protocol revisions of 2025 have sessions. If there are more, the least
 * recently used session without open calls is dropped from memory; its next call restores it from the database.
 */
export const MCP_SESSIONS_MAX = 500;
/** Maximum stored MCP sessions. If there are more, the least recently used session is removed. */
export const MCP_SESSION_ROWS_MAX = 10_000;
/** Lifetime of an unused MCP session. */
export const MCP_SESSION_IDLE_MS = 24 * 60 * MINUTE;
/** Interval at which unused MCP sessions are removed. */
export const MCP_SESSION_SWEEP_MS = 10 * MINUTE;
/** Minimum interval between two updates of the stored last use of an MCP session. */
export const MCP_SESSION_TOUCH_MS = 1 * MINUTE;

/** Maximum open `subscriptions/listen` streams, which the protocol revision of 2026 introduced. */
export const MCP_SUBSCRIPTIONS_MAX = 1_024;
/** Maximum resource subscriptions of one MCP stream or session. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 100;
/**
 * Minimum interval between two updates of a resource. The first update is sent at once; changes during the interval are
 * combined. With this interval, a chunk of a message reaches a subscriber within 50 ms.
 */
export const RESOURCE_UPDATE_PAUSE_MS = 40;
/** Maximum events in one update of an MCP resource. Clients read the resource to get older events. */
export const RESOURCE_UPDATE_EVENTS_MAX = 20;
/** Maximum completions offered for one argument, as defined by the MCP protocol. */
export const COMPLETIONS_MAX = 100;
/** Maximum unsent bytes of one MCP stream. If there are more, the stream is closed and its client must open another. */
export const MCP_STREAM_BYTES_MAX = 1 * MIB;
/** Maximum connections that use the older HTTP+SSE transport of MCP. */
export const MCP_SSE_CONNECTIONS_MAX = 100;
/** Maximum unanswered requests of one stdio client. */
export const MCP_BRIDGE_OPEN_MAX = 1_000;

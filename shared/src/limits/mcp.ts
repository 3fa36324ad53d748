/** The MCP surface: sessions, streams and subscriptions of its clients. */
import { MIB, MINUTE } from './units.ts';

/**
 * Maximum MCP sessions in memory; only the protocol revisions of 2025 have sessions. The least recently used is
 * dropped; its next call restores it.
 */
export const MCP_SESSIONS_MAX = 500;
/** Maximum stored MCP sessions; then the least recently used row is removed. */
export const MCP_SESSION_ROWS_MAX = 10_000;
/** Lifetime of an unused MCP session. */
export const MCP_SESSION_IDLE_MS = 24 * 60 * MINUTE;
/** Interval of the sweep of unused MCP sessions. */
export const MCP_SESSION_SWEEP_MS = 10 * MINUTE;
/** The last use of an MCP session is stored at most this often. */
export const MCP_SESSION_TOUCH_MS = 1 * MINUTE;

/** Maximum open `subscriptions/listen` streams, which the protocol revision of 2026 introduced. */
export const MCP_SUBSCRIPTIONS_MAX = 1_024;
/** Maximum resource subscriptions of one MCP stream or session. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 100;
/** Pause between two updates of a resource. The first update is sent at once; changes during the pause are combined. */
export const RESOURCE_UPDATE_PAUSE_MS = 200;
/** Maximum events listed in one update of a resource; a read returns older ones. */
export const RESOURCE_UPDATE_EVENTS_MAX = 20;
/** Maximum completions of one argument; the protocol's limit. */
export const COMPLETIONS_MAX = 100;
/** Bytes buffered for a reader of an MCP stream. A slower reader loses the stream and must open another. */
export const MCP_STREAM_BYTES_MAX = 1 * MIB;
/** Connections of the older HTTP+SSE transport. */
export const MCP_SSE_CONNECTIONS_MAX = 100;
/** Maximum unanswered requests of one stdio client. */
export const MCP_BRIDGE_OPEN_MAX = 1_000;

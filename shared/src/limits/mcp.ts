/** The MCP surface: sessions, streams and subscriptions of its clients. */
import { MIB, MINUTE } from './units.ts';

/** MCP sessions of the 2025 era in memory; the least recently used one is restored from its row when it calls again. */
export const MCP_SESSIONS_MAX = 500;
/** Stored MCP sessions of the 2025 era; beyond, the least recently used row is removed first. */
export const MCP_SESSION_ROWS_MAX = 10_000;
/** Lifetime of an unused MCP session of the 2025 era. */
export const MCP_SESSION_IDLE_MS = 24 * 60 * MINUTE;
/** Interval of the sweep of unused MCP sessions. */
export const MCP_SESSION_SWEEP_MS = 10 * MINUTE;
/** The last use of an MCP session is stored at most this often. */
export const MCP_SESSION_TOUCH_MS = 1 * MINUTE;

/** Open `subscriptions/listen` streams of the 2026 era. */
export const MCP_SUBSCRIPTIONS_MAX = 1_024;
/** Resources to which one MCP stream or session may subscribe. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 100;
/**
 * Pause between two updates of a resource; the first is sent at once, and changes during the pause are sent together.
 */
export const RESOURCE_UPDATE_PAUSE_MS = 200;
/** Events listed in one update of a resource; a read finds older ones. */
export const RESOURCE_UPDATE_EVENTS_MAX = 20;
/** Completions of one argument, as many as the protocol allows. */
export const COMPLETIONS_MAX = 100;
/** Bytes waiting for a reader of an MCP stream; a slower one loses the stream and opens another. */
export const MCP_STREAM_BYTES_MAX = 1 * MIB;
/** Connections of the older HTTP+SSE transport. */
export const MCP_SSE_CONNECTIONS_MAX = 100;
/** Requests of one stdio client that wait for their answer. */
export const MCP_BRIDGE_OPEN_MAX = 1_000;

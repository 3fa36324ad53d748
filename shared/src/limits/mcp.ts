/** The MCP surface: sessions, streams and watched resources of its clients. */
import { MIB, MINUTE } from './units.ts';

/** MCP sessions of the 2025 era held in memory; the least recently used one is revived from its row when it calls again. */
export const MCP_SESSIONS_MAX = 500;
/** MCP sessions of the 2025 era that can be revived; beyond, the least recently used row goes first. */
export const MCP_SESSION_ROWS_MAX = 10_000;
/** MCP sessions of the 2025 era that nobody used are forgotten after this time. */
export const MCP_SESSION_IDLE_MS = 24 * 60 * MINUTE;
/** Rows of unused MCP sessions are looked for this often. */
export const MCP_SESSION_SWEEP_MS = 10 * MINUTE;
/** The last use of an MCP session is written down at most this often. */
export const MCP_SESSION_TOUCH_MS = 1 * MINUTE;

/** Open `subscriptions/listen` streams of the 2026 era. */
export const MCP_SUBSCRIPTIONS_MAX = 1_024;
/** Resources one MCP stream or session may watch. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 100;
/** A watcher is told of a resource at once, then at most this often; what came between is told together. */
export const RESOURCE_UPDATE_PAUSE_MS = 200;
/** Events named in one update of a resource; older ones are found by reading. */
export const RESOURCE_UPDATE_EVENTS_MAX = 20;
/** Completions of one argument, as many as the protocol allows. */
export const COMPLETIONS_MAX = 100;
/** Bytes that wait for a reader of an MCP stream; one that is slower loses the stream and opens another. */
export const MCP_STREAM_BYTES_MAX = 1 * MIB;
/** Connections of the older HTTP+SSE transport. */
export const MCP_SSE_CONNECTIONS_MAX = 100;
/** Requests of one stdio client that wait for their answer. */
export const MCP_BRIDGE_OPEN_MAX = 1_000;

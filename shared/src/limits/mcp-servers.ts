export const MCP_SERVERS_MAX = 200;
/** Maximum MCP servers of one session; the tools of each server take space in the context of the session's agent. */
export const SESSION_MCP_SERVERS_MAX = 20;
/**
 * Maximum characters of an MCP server's name, with which the names of its tools begin; models accept tool names of at
 * most 64 characters.
 */
export const MCP_SERVER_NAME_MAX_CHARS = 32;
/** Maximum variables or headers of one MCP server. */
export const MCP_SERVER_VALUES_MAX = 50;
/** Maximum characters of the value of a variable or header. */
export const PRIVATE_VALUE_MAX_CHARS = 8_000;

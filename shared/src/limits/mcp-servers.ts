/** Other MCP servers that sessions are given. */

/** Entries of other MCP servers; each name is one that people tell apart. */
export const MCP_SERVERS_MAX = 200;
/** Other MCP servers of one session; the tools of each stand in its agent's context. */
export const SESSION_MCP_SERVERS_MAX = 20;
/** Characters of such a server's name: agents put it before the name of each tool, which models take up to 64 long. */
export const MCP_SERVER_NAME_MAX_CHARS = 32;
/** Variables or headers of one MCP server. */
export const MCP_SERVER_VALUES_MAX = 50;
/** Characters of the value of one of them. */
export const PRIVATE_VALUE_MAX_CHARS = 8_000;

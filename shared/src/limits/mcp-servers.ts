/** MCP servers that sessions use beside the console's own. */

/** Maximum number of MCP servers, each with a distinguishable name. */
export const MCP_SERVERS_MAX = 200;
/** MCP servers of one session; the tools of each take room in its agent's context. */
export const SESSION_MCP_SERVERS_MAX = 20;
/** Characters of a server's name: agents prefix the name of each tool with it, for which models accept up to 64. */
export const MCP_SERVER_NAME_MAX_CHARS = 32;
/** Variables or headers of one MCP server. */
export const MCP_SERVER_VALUES_MAX = 50;
/** Characters of the value of a variable or header. */
export const PRIVATE_VALUE_MAX_CHARS = 8_000;

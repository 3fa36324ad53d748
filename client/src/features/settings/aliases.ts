/** Top-level paths that redirect to a section of the settings. */
export const SECTION_ALIASES = ['agents', 'mcp-servers', 'tokens', 'users', 'events', 'audit'] as const;

/** Addresses of pages that are sections of the settings. */
export const SECTION_ALIASES = ['agents', 'mcp-servers', 'tokens', 'users', 'events', 'audit'] as const;

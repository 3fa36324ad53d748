/**
 * Stored state of an MCP session (2025 revisions), from which the next server restores the session. It does not
 * identify the caller.
 */
export interface McpSessionRow {
  id: string;
  /** The protocol version that the client requested at `initialize`. */
  protocolVersion: string;
  client: { name: string; version: string };
  /** URIs of the resources that the session watches. */
  watched: readonly string[];
  createdAt: Date;
  usedAt: Date;
}

/** Stores the MCP sessions of the 2025 revisions, so that they outlive a restart of the server. */
export interface McpSessionStore {
  save(row: McpSessionRow): Promise<void>;
  find(id: string): Promise<McpSessionRow | undefined>;
  /** Stores when a session was last used. An unknown id is ignored. */
  touch(id: string, usedAt: Date): Promise<void>;
  /** Stores which resources a session watches. An unknown id is ignored. */
  watch(id: string, uris: readonly string[]): Promise<void>;
  /** Removes a session. An unknown id is ignored. */
  remove(id: string): Promise<void>;
  /**
   * Removes sessions last used before `before`. Of the remaining sessions, keeps only the `keep` most recently used.
   */
  removeIdle(before: Date, keep: number): Promise<void>;
}

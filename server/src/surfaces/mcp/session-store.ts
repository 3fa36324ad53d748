/** What is stored of a 2025-era session to continue it after a restart. It is no identity. */
export interface McpSessionRow {
  id: string;
  /** As the client requested it at `initialize`. */
  protocolVersion: string;
  client: { name: string; version: string };
  /** URIs of the resources it watches. */
  watched: readonly string[];
  createdAt: Date;
  usedAt: Date;
}

/** Storage in which sessions of the 2025 era outlive the server. */
export interface McpSessionStore {
  save(row: McpSessionRow): Promise<void>;
  find(id: string): Promise<McpSessionRow | undefined>;
  /** Stores the time of use; an unknown id is ignored. */
  touch(id: string, usedAt: Date): Promise<void>;
  /** Stores what a session watches; an unknown id is ignored. */
  watch(id: string, uris: readonly string[]): Promise<void>;
  /** Removes one session; an unknown id is ignored. */
  remove(id: string): Promise<void>;
  /** Removes sessions last used before `before`, then the least recently used ones beyond `keep`. */
  removeIdle(before: Date, keep: number): Promise<void>;
}

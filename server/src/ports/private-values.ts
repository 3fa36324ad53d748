/** Secrets such as header values of MCP servers: each in a file of its own, never in the database. */
export interface PrivateValues {
  /** Writes a value to disk, synced, and returns its id. */
  store(value: string): Promise<string>;
  /** Null when no value has this id. */
  read(id: string): Promise<string | null>;
  remove(ids: readonly string[]): Promise<void>;
  /** Deletes all other values. Must not run concurrently with `store`. */
  sweep(ids: ReadonlySet<string>): Promise<void>;
}

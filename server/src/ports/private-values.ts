/**
 * Storage of secrets such as header values of MCP servers. Each secret is stored in its own file, never in the
 * database.
 */
export interface PrivateValues {
  /** Stores a value. Returns the value's id when the file is synced to disk. */
  store(value: string): Promise<string>;
  /** Returns the value, or null if no value has this id. */
  read(id: string): Promise<string | null>;
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Deletes all values whose id is not in `ids`. Must not run concurrently with `store`, because it would delete
   * the value that is being stored.
   */
  sweep(ids: ReadonlySet<string>): Promise<void>;
}

/** Values that only the programs they are meant for may see: each in a file of its own, never in the database. */
export interface PrivateValues {
  /** Writes a value and answers the id by which it is found again; it is on the disk when this resolves. */
  keep(value: string): Promise<string>;
  /** Null where there is none of that id. */
  read(id: string): Promise<string | null>;
  forget(ids: readonly string[]): Promise<void>;
  /** Forgets all but these; to be called while nothing is being kept. */
  sweep(ids: ReadonlySet<string>): Promise<void>;
}

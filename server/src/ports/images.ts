/** Files of images in prompts, in a folder for each session. Their names are `<imageId>.<extension>`. */
export interface ImageFiles {
  /** Returns the absolute path of the folder with a session's images. The folder may not exist. */
  folder(sessionId: string): string;
  /** Stores a file. Resolves when it is complete and synced to disk; a file with this name is replaced as a whole. */
  store(sessionId: string, name: string, bytes: Buffer): Promise<void>;
  /** Returns the names of a session's files with their sizes in bytes; empty without a folder. */
  list(sessionId: string): Promise<{ name: string; bytes: number }[]>;
  /** Returns the content of a file; null if it does not exist. */
  read(sessionId: string, name: string): Promise<Buffer | null>;
  /** Sets the time of last use of a file to now, so that `removeUnused` does not remove it. */
  touch(sessionId: string, name: string): Promise<void>;
  /** Links all files of the first session into the folder of the second session, so that both sessions can use them. */
  share(fromSessionId: string, toSessionId: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
  /** Returns the ids of all sessions with a folder. */
  sessions(): Promise<string[]>;
  /** Removes those files of a session that were last used before `before`, except files with the names in `used`. */
  removeUnused(sessionId: string, before: Date, used: ReadonlySet<string>): Promise<void>;
}

import type { OrchestrationRow } from './rows.ts';

type Orchestration = Pick<OrchestrationRow, 'id' | 'workspaceHash'>;

/** Data that is kept of a removed orchestration. */
export interface OrchestrationArchive {
  /** The orchestration with its agents and their attempts. */
  orchestration: object;
  events: AsyncIterable<object>;
  /** Output of each attempt, by file name. */
  outputs: { name: string; read(): AsyncIterable<Buffer> }[];
}

/** Folders that the agents of an orchestration share. */
export interface OrchestrationFiles {
  folderOf(orchestration: Orchestration): string;
  /** The folder that all agents of the orchestration can read and write. */
  sharedFolder(orchestration: Orchestration): string;
  /** Creates the folders of an orchestration and of these agents, if they are missing. */
  create(orchestration: Orchestration, agentIds: readonly string[]): Promise<void>;
  /** Writes a message into the inbox of an agent and returns its path. */
  deliver(
    orchestration: Orchestration,
    agentId: string,
    message: { from: string; text: string; at: string },
  ): Promise<string>;
  /** Writes a file in the folder of an agent. An existing file is replaced as a whole. */
  writeAgentFile(orchestration: Orchestration, agentId: string, name: string, text: string): Promise<void>;
  /**
   * Returns the time at which a file in an agent's folder was last written, in milliseconds since the epoch; null if it
   * is missing.
   */
  agentFileTime(orchestration: Orchestration, agentId: string, name: string): Promise<number | null>;
  /** Folder of the archive of an orchestration. */
  archiveFolderOf(orchestration: Orchestration): string;
  /**
   * Writes the archive of an orchestration: `orchestration.json`, `events.ndjson` and a file for each of `outputs`. The
   * archive appears only when it is complete, and replaces an existing one.
   */
  archive(orchestration: Orchestration, content: OrchestrationArchive): Promise<void>;
  /** Returns the folders of orchestrations that were last changed before this time, in milliseconds since the epoch. */
  foldersBefore(time: number): Promise<Orchestration[]>;
  /** Removes all folders of an orchestration. Never follows links. */
  remove(orchestration: Orchestration): Promise<void>;
}

import type { OrchestrationRow } from './rows.ts';

type Orchestration = Pick<OrchestrationRow, 'id' | 'workspaceHash'>;

/** Message of an agent to another agent of its orchestration. These fields determine the name of the message's file. */
export interface InboxMessage {
  noticeId: string;
  /** Id of the agent that sends the message, unique in its orchestration. */
  from: string;
  at: string;
}

/** Data that is kept of a removed orchestration. */
export interface OrchestrationArchive {
  /** The orchestration with its agents and their attempts. */
  orchestration: object;
  events: AsyncIterable<object>;
  /** Stored outputs of the agents' attempts, each with the name of its file in the archive folder. */
  outputs: { name: string; read(): AsyncIterable<Buffer> }[];
}

/** The files of orchestrations: the folders of each orchestration and of its agents, and the archive folders. */
export interface OrchestrationFiles {
  folderOf(orchestration: Orchestration): string;
  /** The folder that all agents of the orchestration can read and write. */
  sharedFolder(orchestration: Orchestration): string;
  /** Creates the folders of an orchestration and of these agents, if they are missing. */
  create(orchestration: Orchestration, agentIds: readonly string[]): Promise<void>;
  /**
   * Writes the file of a message outside the inboxes. Returns the path in the agent's inbox to which `deliver` later
   * moves the file.
   * @throws an Error if an agent has replaced the inbox by a symbolic link.
   */
  stage(orchestration: Orchestration, agentId: string, message: InboxMessage & { text: string }): Promise<string>;
  /**
   * Moves the staged file of a message into the inbox of an agent. Does nothing if the file is not staged.
   * @throws an Error if an agent has replaced the inbox by a symbolic link.
   */
  deliver(orchestration: Orchestration, agentId: string, message: InboxMessage): Promise<void>;
  /** Returns the ids of the notices whose files `stage` has written and `deliver` has not moved yet. */
  staged(): Promise<string[]>;
  /** Removes the file that `stage` wrote for a message, because the message could not be stored in the database. */
  discard(noticeId: string): Promise<void>;
  /** Writes a file in the folder of an agent. An existing file is replaced as a whole. */
  writeAgentFile(orchestration: Orchestration, agentId: string, name: string, text: string): Promise<void>;
  /**
   * Returns the time at which a file in an agent's folder was last written, in milliseconds since the epoch; null if it
   * is missing.
   */
  agentFileTime(orchestration: Orchestration, agentId: string, name: string): Promise<number | null>;
  archiveFolderOf(orchestration: Orchestration): string;
  /**
   * Writes `orchestration.json`, `events.ndjson` and a file for each of `outputs` to the archive folder of an
   * orchestration. The folder appears only when it is complete, and replaces an existing one.
   */
  archive(orchestration: Orchestration, content: OrchestrationArchive): Promise<void>;
  /** Returns the orchestrations whose folders were last changed before this time, in milliseconds since the epoch. */
  foldersBefore(time: number): Promise<Orchestration[]>;
  /** Removes all folders of an orchestration. Never follows links. */
  remove(orchestration: Orchestration): Promise<void>;
}

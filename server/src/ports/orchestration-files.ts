import type { OrchestrationRow } from './rows.ts';

type Orchestration = Pick<OrchestrationRow, 'id' | 'workspaceHash'>;

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
  /** Writes a file into the folder of an agent. */
  writeAgentFile(orchestration: Orchestration, agentId: string, name: string, text: string): Promise<void>;
  /** Removes all folders of an orchestration. Never follows links. */
  remove(orchestration: Orchestration): Promise<void>;
}

import type { OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';

export interface SharedFolders {
  storage: Pick<Storage, 'read'>;
  orchestrationFiles: Pick<OrchestrationFiles, 'sharedFolder'>;
}

/**
 * Returns the folder that the agents of the session's orchestration share; null if the session has no orchestration.
 */
export async function sharedFolderOf(
  { storage, orchestrationFiles }: SharedFolders,
  { orchestrationId }: Pick<SessionRow, 'orchestrationId'>,
): Promise<string | null> {
  const orchestration = orchestrationId === null ? undefined : await storage.read.orchestrations.get(orchestrationId);
  return orchestration === undefined ? null : orchestrationFiles.sharedFolder(orchestration);
}

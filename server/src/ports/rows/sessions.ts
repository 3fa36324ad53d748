import type { PermissionMode } from '@agent-console/shared/models/session';

/** Sessions, as stored. Columns are explained in storage/schema/sessions.ts. */

/** What is stored of a session's status; `open` is shown as idle, running or awaiting_input by its task. */
export type SessionMark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';

export interface SessionRow {
  id: string;
  type: 'worktree' | 'quick';
  worktreeId: string | null;
  repositoryId: string | null;
  cwd: string;
  agentId: string;
  title: string;
  description: string;
  mark: SessionMark;
  pausedBy: 'person' | 'session' | 'idle' | null;
  queueHeld: boolean;
  permissionMode: PermissionMode;
  requestedMode: PermissionMode | null;
  permissionCeiling: PermissionMode;
  parentSessionId: string | null;
  forkedFromSessionId: string | null;
  spawnPointTaskId: string | null;
  forkPointTaskId: string | null;
  depth: number;
  createdByUserId: string | null;
  createdBySessionId: string | null;
  viaSessionId: string | null;
  nativeId: string | null;
  begun: boolean;
  visibility: 'workspace' | 'private';
  contextFiles: string[];
  messageCount: number;
  createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
  removedAt: string | null;
}

import type { SessionWithTasks } from '@agent-console/shared/models/session';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { DialogRequest } from '../../shell/dialogs.ts';

/**
 * Returns the request that opens a dialog for a new session, filled in with values of an existing session. For a session
 * with a managed worktree, that is the dialog that delegates work: the new session gets another worktree with the same
 * base. Any other session shares its directory with the new one.
 * @param worktree worktree of the session, or null
 */
export function likeThis(
  session: Pick<
    SessionWithTasks,
    | 'agentId'
    | 'title'
    | 'description'
    | 'cwd'
    | 'repositoryId'
    | 'worktreeId'
    | 'permissionConfig'
    | 'mcpServers'
    | 'tasks'
  >,
  worktree: Pick<Worktree, 'kind' | 'gitStatus'> | null,
): Extract<DialogRequest, { kind: 'delegate' | 'startSession' }> {
  const { agentId, title, description, cwd, repositoryId, worktreeId, permissionConfig, tasks } = session;
  const mcpServerIds = session.mcpServers.map(({ id }) => id);
  const prompt = tasks.find(({ kind }) => kind === 'prompt')?.prompt ?? '';
  if (worktree?.kind === 'managed' && repositoryId !== null) {
    const baseBranch = worktree.gitStatus?.base ?? '';
    return { kind: 'delegate', repositoryId, prompt, mcpServerIds, fields: { agentId, title, baseBranch } };
  }
  const permissionMode = permissionConfig.requestedMode ?? '';
  const fields = { agentId, title, description, permissionMode, initialPrompt: prompt };
  if (repositoryId === null || worktreeId === null) {
    return { kind: 'startSession', mcpServerIds, fields: { ...fields, cwd } };
  }
  return { kind: 'startSession', repositoryId, worktreeId, mcpServerIds, fields };
}

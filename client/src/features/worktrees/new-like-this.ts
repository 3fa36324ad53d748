import type { SessionWithTasks } from '@agent-console/shared/models/session';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { DialogRequest } from '../../shell/dialogs.ts';

/**
 * Returns the dialog for a session like an existing one, with the values that the existing one was created with. A session
 * with a worktree of its own gets another worktree from the same base; other sessions share the directory.
 * @param worktree worktree of the session, or null
 */
export function likeThis(
  session: Pick<
    SessionWithTasks,
    'agentId' | 'title' | 'description' | 'cwd' | 'repositoryId' | 'worktreeId' | 'permissionConfig' | 'tasks'
  >,
  worktree: Pick<Worktree, 'kind' | 'gitStatus'> | null,
): Extract<DialogRequest, { kind: 'delegate' | 'startSession' }> {
  const { agentId, title, description, cwd, repositoryId, worktreeId, permissionConfig, tasks } = session;
  const prompt = tasks.find(({ kind }) => kind === 'prompt')?.prompt ?? '';
  if (worktree?.kind === 'managed' && repositoryId !== null) {
    const baseBranch = worktree.gitStatus?.base ?? '';
    return { kind: 'delegate', repositoryId, prompt, fields: { agentId, title, baseBranch } };
  }
  const permissionMode = permissionConfig.requestedMode ?? '';
  const fields = { agentId, title, description, permissionMode, initialPrompt: prompt };
  if (repositoryId === null || worktreeId === null) return { kind: 'startSession', fields: { ...fields, cwd } };
  return { kind: 'startSession', repositoryId, worktreeId, fields };
}

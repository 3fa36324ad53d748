import { useEffect } from 'react';
import { operationKey, useOperationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';

/**
 * Queries a worktree with its git status. Queries it again when `changes` (such as the diff) changes, because changed
 * files cause no events.
 */
export function useWorktree(worktreeId: string, changes: unknown) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the diff means that the git status changed too
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: operationKey('worktrees.get', { worktreeId }) });
  }, [worktreeId, changes]);
  return useOperationQuery('worktrees.get', { worktreeId });
}

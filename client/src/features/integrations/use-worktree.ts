import { PULL_REQUEST_FRESH_MS } from '@agent-console/shared/limits/commands';
import { useEffect } from 'react';
import { operationKey, useOperationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';

/**
 * Queries a worktree with its git status. Repeats the query when `changes` (such as the diff) changes, because changed
 * files cause no events. While the worktree has a pull request, also polls, because each query updates the pull
 * request's state.
 */
export function useWorktree(worktreeId: string, changes: unknown) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the diff means that the git status changed too
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: operationKey('worktrees.get', { worktreeId }) });
  }, [worktreeId, changes]);
  return useOperationQuery(
    'worktrees.get',
    { worktreeId },
    { refetchInterval: ({ state }) => state.data?.pullRequest != null && PULL_REQUEST_FRESH_MS },
  );
}

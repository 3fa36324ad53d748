import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import { useQueries } from '@tanstack/react-query';
import { operationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { useLastIntegration } from './LastIntegration.tsx';
import { isUndoable } from './undo.ts';

/** Whether the last integration of a session's worktree can be undone; false while the integrations are loading. */
export function useIsMergeUndoable(session: Pick<Session, 'repositoryId' | 'worktreeId'> | undefined): boolean {
  const isInWorktree = session?.worktreeId != null;
  const last = useLastIntegration(isInWorktree ? (session.repositoryId ?? '') : '', session?.worktreeId ?? '');
  return isInWorktree && last !== undefined && isUndoable(last);
}

/** Returns the ids of the worktrees in these repositories whose last integration can be undone. */
export function useUndoableWorktrees(repositoryIds: readonly string[]): ReadonlySet<string> {
  return useQueries(
    {
      queries: repositoryIds.map((repositoryId) =>
        operationQuery('integrations.list', { repositoryId, limit: PAGE_MAX }),
      ),
      combine: (results) => {
        const integrations = results.flatMap(({ data }) => data?.data ?? []);
        // Integrations are listed newest first. In reverse order, the newest integration of a worktree is the last one,
        // which the map keeps.
        const last = new Map(integrations.toReversed().map((each) => [each.worktreeId, each]));
        return new Set([...last.values()].filter(isUndoable).map(({ worktreeId }) => worktreeId));
      },
    },
    queryClient,
  );
}

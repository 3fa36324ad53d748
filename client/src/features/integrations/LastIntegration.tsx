import type { Integration } from '@agent-console/shared/models/integration';
import { useOperationQuery } from '../../api/operations.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { Age } from '../../ui/Age.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { describeIntegrated } from './wording.ts';

/** Returns the newest integration of a worktree; undefined if there is none or it is not loaded yet. */
export function useLastIntegration(repositoryId: string, worktreeId: string): Integration | undefined {
  const { data } = useOperationQuery(
    'integrations.list',
    { repositoryId, worktreeId, limit: 1 },
    { enabled: repositoryId !== '' },
  );
  return data?.data[0];
}

/**
 * Shows the newest integration of a worktree: its success, with an undo button while it can be undone, or the session
 * that resolves its conflicts.
 */
export function LastIntegration(props: { integration: Integration | undefined; onUndo(): void }) {
  const { integration, onUndo } = props;
  const { withKeys } = useKeyHints();
  if (integration === undefined) return null;
  const { state, undoableUntil, endedAt, createdAt, resolvingSessionId } = integration;
  if (state === 'conflicts' && resolvingSessionId !== null) {
    return (
      <span className="flex min-w-0 gap-1.5 text-quiet">
        Merge conflicts assigned to <SessionLink sessionId={resolvingSessionId} />
      </span>
    );
  }
  if (state !== 'integrated') return null;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
      <span className="text-done">{describeIntegrated(integration)}</span>
      <span className="text-quiet">
        <Age since={endedAt ?? createdAt} />
      </span>
      {undoableUntil === null ? null : (
        <button
          className="rounded text-accent hover:underline max-md:py-3"
          onClick={onUndo}
          title={withKeys('Undo', 'undo-the-last-merge')}
          type="button"
        >
          Undo
        </button>
      )}
    </span>
  );
}

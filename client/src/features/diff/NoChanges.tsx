import { EmptyState } from '../../ui/EmptyState.tsx';
import { useSession } from '../sessions/sessions-store.ts';
import { diffTitle } from './diff-title.ts';
import type { Diff } from './types.ts';

/** Returns the branch with which the work of a session is compared; null until known. */
export function useBaseBranch(sessionId: string): string | null {
  return useSession(sessionId)?.gitState?.work?.base ?? null;
}

export function NoChanges({ diff, sessionId }: { diff: Diff; sessionId: string }) {
  const branch = useBaseBranch(sessionId);
  return (
    <EmptyState>
      <p>No changes {diffTitle(diff, branch)}.</p>
      <p>Committed and uncommitted changes appear here.</p>
    </EmptyState>
  );
}

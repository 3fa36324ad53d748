import './diff.css';
import type { Session } from '@agent-console/shared/models/session';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { QueryFallback, RetryButton } from '../../ui/QueryFallback.tsx';
import { FinishBar } from '../integrations/FinishBar.tsx';
import { describeNotReady } from '../worktrees/describe-not-ready.ts';
import { hasComments } from './comments.ts';
import { HeldKeys } from './HeldKeys.tsx';
import { NoChanges } from './NoChanges.tsx';
import { Review } from './Review.tsx';
import { useDiff } from './use-diff.ts';

/**
 * Review of a worktree's changes, with actions such as commit and merge. Comments are sent to the session as one
 * prompt.
 */
export function DiffView({ session }: { session: Session }) {
  const query = useDiff(session, { watched: true });
  const { worktreeId } = session;
  if (worktreeId === null) {
    return <EmptyState>No diff: this session works in a plain folder, not in a worktree.</EmptyState>;
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <Content query={query} session={session} />
      </div>
      <FinishBar changes={query.data} key={worktreeId} worktreeId={worktreeId} />
    </div>
  );
}

function Content({ query, session }: { query: ReturnType<typeof useDiff>; session: Session }) {
  const { id: sessionId, worktreeId, gitState } = session;
  const { data, error } = query;
  const notReady = describeNotReady(gitState?.worktreeState ?? 'ready');
  if (data === undefined) {
    if (notReady !== undefined) return <EmptyState>{notReady}</EmptyState>;
    return (
      <>
        {query.error === null ? <HeldKeys /> : null}
        <QueryFallback query={query}>
          <Skeleton />
        </QueryFallback>
      </>
    );
  }
  // Unsent comments keep the review open even without changes, so that they can be sent or deleted.
  if (data.files.length === 0 && !hasComments(sessionId)) return <NoChanges diff={data} sessionId={sessionId} />;
  return (
    <Review
      diff={data}
      key={`${worktreeId} ${sessionId}`}
      problem={
        notReady !== undefined ? (
          <p className="border-b border-line px-3 py-2 text-quiet" role="status">
            {notReady} The diff shows the last known changes of the worktree.
          </p>
        ) : error === null ? undefined : (
          <Problem error={{ message: `${error.message} The diff shown is out of date.` }}>
            <RetryButton query={query} />
          </Problem>
        )
      }
      sessionId={sessionId}
    />
  );
}

function Skeleton() {
  const widths = ['w-3/5', 'w-2/5', 'w-4/5', 'w-1/2', 'w-1/3', 'w-3/4', 'w-2/5', 'w-3/5'];
  return (
    <div aria-label="Loading the diff" className="flex h-full" role="status">
      <div className="hidden w-70 shrink-0 border-r border-line md:block" />
      <div className="flex-1 space-y-2 p-4 pt-16">
        {widths.map((width) => (
          <div className={`h-3 rounded bg-hover ${width}`} key={width} />
        ))}
      </div>
    </div>
  );
}

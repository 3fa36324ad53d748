import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { DelayedFallback } from './DelayedFallback.tsx';
import { Problem } from './Problem.tsx';

/** The parts of a query that its error message and its retry button need. */
export interface QueryState {
  error: { message: string } | null;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

const LOADING = <p className="p-4 text-quiet">Loading…</p>;

/** Shown while a query has no data: `children` after a delay, or the query's error with a retry button. */
export function QueryFallback({ query, children = LOADING }: { query: QueryState; children?: ReactNode }) {
  if (query.error === null) return <DelayedFallback>{children}</DelayedFallback>;
  return (
    <div className="p-4">
      <Problem error={query.error}>
        <RetryButton query={query} />
      </Problem>
    </div>
  );
}

export function RetryButton({ query: { isFetching, refetch } }: { query: QueryState }) {
  return (
    <Button busy={isFetching} onClick={() => void refetch()}>
      Try again
    </Button>
  );
}

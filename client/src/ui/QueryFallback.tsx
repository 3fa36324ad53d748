import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { DelayedFallback } from './DelayedFallback.tsx';
import { Problem } from './Problem.tsx';

/** State of a query that is needed to retry it. */
export interface Asked {
  error: { message: string } | null;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

/** Fallback of a query without data: its children after a delay, or the error with a retry button. */
export function QueryFallback({ asked, children }: { asked: Asked; children: ReactNode }) {
  if (asked.error === null) return <DelayedFallback>{children}</DelayedFallback>;
  return (
    <div className="p-4">
      <Problem error={asked.error}>
        <RetryButton asked={asked} />
      </Problem>
    </div>
  );
}

export function RetryButton({ asked: { isFetching, refetch } }: { asked: Asked }) {
  return (
    <Button busy={isFetching} onClick={() => void refetch()}>
      Try again
    </Button>
  );
}

import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { DelayedFallback } from './DelayedFallback.tsx';
import { Problem } from './Problem.tsx';

/** The part of a question's state that says whether it can be asked again. */
export interface Asked {
  error: { message: string } | null;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

/** In place of an answer that is not there yet: its children once waiting is noticed, or why there is none. */
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

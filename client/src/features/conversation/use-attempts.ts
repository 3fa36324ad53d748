import type { ConsoleError } from '@agent-console/shared/errors';
import { useState } from 'react';
import type { QueryState } from '../../ui/QueryFallback.tsx';

/** State of a request that a person can repeat. */
export interface Attempts extends QueryState {
  /** Error of the last attempt. It remains until an attempt succeeds. */
  error: ConsoleError | null;
  isFetching: boolean;
  /** Runs the request and returns whether it succeeded. */
  refetch(): Promise<boolean>;
}

export function useAttempts(run: () => Promise<void>): Attempts {
  const [error, setError] = useState<ConsoleError | null>(null);
  const [isFetching, setFetching] = useState(false);
  const refetch = async () => {
    setFetching(true);
    try {
      await run();
      setError(null);
      return true;
    } catch (caught) {
      setError(caught as ConsoleError);
      return false;
    } finally {
      setFetching(false);
    }
  };
  return { error, isFetching, refetch };
}

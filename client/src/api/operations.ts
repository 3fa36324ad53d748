import type { ConsoleError } from '@agent-console/shared/errors';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { type QueryKey, queryOptions, type UseMutationOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';

/**
 * Returns the key of an operation's query: `[name, input]`, or without an input `[name]`, which matches all queries of
 * the operation.
 */
export function operationKey<N extends OperationName>(name: N, input?: RequestOf<N>): QueryKey {
  return input === undefined ? [name] : [name, input];
}

/** Returns query options of an operation that only reads, for `useQuery` and prefetching. */
export function operationQuery<N extends OperationName>(name: N, input: RequestOf<N>) {
  return queryOptions<OutputOf<N>, ConsoleError>({
    queryKey: operationKey(name, input),
    queryFn: ({ signal }) => call(name, input, { signal }),
  });
}

/** Queries an operation that only reads; `query-client.ts` invalidates the query on events. */
export function useOperationQuery<N extends OperationName>(
  name: N,
  input: RequestOf<N>,
  options: {
    enabled?: boolean;
    refetchInterval?: number | false | ((query: { state: { data: OutputOf<N> | undefined } }) => number | false);
  } = {},
) {
  return useQuery({ ...operationQuery(name, input), ...options }, queryClient);
}

/**
 * Returns the data of a query. Returns undefined if the object does not exist any more, although the query still has
 * the data of its last success.
 */
export function existing<T>({ data, error }: { data: T | undefined; error: ConsoleError | null }): T | undefined {
  return error?.code === 'NOT_FOUND' ? undefined : data;
}

/**
 * Handlers for the result of a mutation. A result is late if it arrives after the component was unmounted, for example
 * with its dialog. A late handler should only announce the result, because the person may be busy elsewhere.
 */
export interface MutationHandlers<N extends OperationName> {
  onSuccess?(output: OutputOf<N>, input: RequestOf<N>): void;
  /** Called instead of `onSuccess` if the success is late, to announce it. */
  onLateSuccess?(output: OutputOf<N>, input: RequestOf<N>): void;
  /** Called if the failure is late, because the component can then no longer show the error. */
  onLateError?(error: ConsoleError): void;
}

/**
 * Returns a mutation for an operation that changes data. After a retryable error, such as a lost response, the same
 * input gets the same idempotency key, so that it runs only once. After a success or any other error, the same input is
 * a new call.
 */
export function useOperationMutation<N extends OperationName>(
  name: N,
  { onSuccess, onLateSuccess, onLateError }: MutationHandlers<N> = {},
) {
  const pending = useRef<{ serialized: string; key: string } | undefined>(undefined);
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const options: UseMutationOptions<OutputOf<N>, ConsoleError, RequestOf<N>> = {
    mutationFn: async (input) => {
      const serialized = JSON.stringify(input);
      const attempt =
        pending.current?.serialized === serialized ? pending.current : { serialized, key: crypto.randomUUID() };
      pending.current = attempt;
      try {
        const output = await call(name, input, { idempotencyKey: attempt.key });
        pending.current = undefined;
        return output;
      } catch (error) {
        if (!(error as ConsoleError).retryable) pending.current = undefined;
        throw error;
      }
    },
    onSuccess: (output, input) => (isMounted.current ? onSuccess : onLateSuccess)?.(output, input),
    onError: (error) => {
      if (!isMounted.current) onLateError?.(error);
    },
  };
  return useMutation(options, queryClient);
}

import type { ConsoleError } from '@agent-console/shared/errors';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client.ts';

/** The end of a list that only grows, as far back as it was asked for. */
export interface AppendOnlyList<Row> {
  /** Rows of the list that stand before the first one here. */
  earlier: number;
  rows: readonly Row[];
}

/** How the rest of such a list is asked for. */
export interface AppendOnlySource<Row> {
  key: QueryKey;
  /** Begins with at most the newest rows. */
  first(signal: AbortSignal): Promise<AppendOnlyList<Row>>;
  /** What is known with what has been added since. */
  more(known: AppendOnlyList<Row>, signal: AbortSignal): Promise<AppendOnlyList<Row>>;
}

/** A list that only grows: asked again, it fetches what is new and keeps the rest. */
export function useAppendOnlyList<Row>({ key, first, more }: AppendOnlySource<Row>) {
  return useQuery<AppendOnlyList<Row>, ConsoleError>(
    {
      queryKey: key,
      queryFn: ({ signal }) => {
        const known = queryClient.getQueryData<AppendOnlyList<Row>>(key);
        return known === undefined ? first(signal) : more(known, signal);
      },
      structuralSharing: false,
    },
    queryClient,
  );
}

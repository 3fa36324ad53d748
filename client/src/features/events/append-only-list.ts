import type { ConsoleError } from '@agent-console/shared/errors';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client.ts';

/** The tail of an append-only list. */
export interface AppendOnlyList<Row> {
  /** Rows before the first loaded one. */
  earlier: number;
  rows: readonly Row[];
}

/** How to fetch such a list. */
export interface AppendOnlySource<Row> {
  key: QueryKey;
  /** Fetches the newest rows. */
  first(signal: AbortSignal): Promise<AppendOnlyList<Row>>;
  /** Appends rows added since. */
  more(known: AppendOnlyList<Row>, signal: AbortSignal): Promise<AppendOnlyList<Row>>;
}

/** Query of an append-only list: a refetch only fetches new rows. */
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

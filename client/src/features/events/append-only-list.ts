import type { ConsoleError } from '@agent-console/shared/errors';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client.ts';

/** The loaded part of a list to which rows are only appended. The newest rows are always loaded. */
export interface AppendOnlyList<Row> {
  /** Number of rows before the first loaded row. */
  earlier: number;
  rows: readonly Row[];
}

/** Fetches the pages of an append-only list. */
export interface AppendOnlySource<Row> {
  key: QueryKey;
  /** Fetches the newest rows. Called if no rows are loaded yet. */
  first(signal: AbortSignal): Promise<AppendOnlyList<Row>>;
  /** Appends rows added since `known` was fetched. */
  more(known: AppendOnlyList<Row>, signal: AbortSignal): Promise<AppendOnlyList<Row>>;
}

/** Queries an append-only list. Each refetch only fetches rows that are new. */
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

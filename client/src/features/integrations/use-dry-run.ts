import type { ConsoleError } from '@agent-console/shared/errors';
import type { IntegrationStrategy, MergeConflict } from '@agent-console/shared/models/integration';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { jobResult } from '../../api/jobs.ts';
import { queryClient } from '../../api/query-client.ts';

/** Time in milliseconds after the last change of a field before it is used, so that typing causes no requests. */
const TYPING_MS = 300;

/** What an integration would do. */
export interface Preview {
  into: string;
  conflicts: readonly MergeConflict[];
}

/** Computes what an integration would do, again when its input or the worktree changes. */
export function useDryRun(worktreeId: string, choice: { strategy: IntegrationStrategy; into: string }) {
  const into = useDelayed(choice.into.trim());
  const { strategy } = choice;
  const input = { worktreeId, strategy, dryRun: true, wait: true, ...(into === '' ? {} : { into }) };
  const query = useQuery<Preview, ConsoleError>(
    {
      // Events about the worktree invalidate queries whose first key begins with `worktrees.`.
      queryKey: ['worktrees.integrate', input],
      queryFn: async ({ signal }) =>
        (await jobResult(await call('worktrees.integrate', input, { signal }), signal)) as unknown as Preview,
      placeholderData: keepPreviousData,
      retry: false,
    },
    queryClient,
  );
  return { ...query, isCurrent: into === choice.into.trim() && !query.isPlaceholderData };
}

function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return delayed;
}

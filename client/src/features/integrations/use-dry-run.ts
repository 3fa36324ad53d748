import type { ConsoleError } from '@agent-console/shared/errors';
import type { IntegrationStrategy } from '@agent-console/shared/models/integration';
import { type IntegrationPreview, parseIntegrationPreview } from '@agent-console/shared/models/job-result';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { jobResult } from '../../api/jobs.ts';
import { queryClient } from '../../api/query-client.ts';

/**
 * Delay in milliseconds between the last change of a field and the request, so that not every key press causes a
 * request.
 */
const TYPING_MS = 300;

/** Queries the preview of an integration. Queries it again when the input or the worktree changes. */
export function useDryRun(worktreeId: string, choice: { strategy: IntegrationStrategy; into: string }) {
  const into = useDelayed(choice.into.trim());
  const { strategy } = choice;
  const input = { worktreeId, strategy, dryRun: true, wait: true, ...(into === '' ? {} : { into }) };
  const query = useQuery<IntegrationPreview, ConsoleError>(
    {
      // The key begins with `worktrees.`, so that events about worktrees invalidate the query.
      queryKey: ['worktrees.integrate', input],
      queryFn: async ({ signal }) =>
        parseIntegrationPreview(await jobResult(await call('worktrees.integrate', input, { signal }), signal)),
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

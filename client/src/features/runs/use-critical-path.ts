import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { useMemo } from 'react';
import { criticalPath } from './critical-path.ts';

/** Returns the names of the agents on the critical path of a run. */
export function useCriticalPath({ strategy, agents }: OrchestrationStatus): ReadonlySet<string> {
  return useMemo(() => new Set(criticalPath(strategy, agents, Date.now())), [strategy, agents]);
}

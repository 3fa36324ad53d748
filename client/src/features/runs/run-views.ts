import type { OrchestrationState } from '@agent-console/shared/models/orchestration';
import { parseText } from '../../ui/url-text.ts';

/** States of a run, in the order in which the filter lists them. */
export const RUN_STATES = ['created', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;

/** Filters of the list of runs, as in its URL. */
export interface RunsSearch {
  /** Words that must all occur in the objective, definition, strategy or repository of a run. */
  q?: string | undefined;
  state?: OrchestrationState | undefined;
  repositoryId?: string | undefined;
  archived?: true | undefined;
}

export function parseRunsSearch(search: Record<string, unknown>): RunsSearch {
  const { state, repositoryId, archived } = search;
  const known = RUN_STATES.find((each) => each === state);
  return {
    ...parseText(search),
    ...(known === undefined ? {} : { state: known }),
    ...(typeof repositoryId === 'string' ? { repositoryId } : {}),
    ...(archived === true ? { archived } : {}),
  };
}

export const RUN_VIEWS = ['graph', 'table', 'events'] as const;
export type RunView = (typeof RUN_VIEWS)[number];

export interface RunSearch {
  /** The view to show. By default, it is the table on a phone and for runs with many agents, otherwise the graph. */
  view?: RunView;
}

export function parseRunSearch({ view }: Record<string, unknown>): RunSearch {
  const known = RUN_VIEWS.find((each) => each === view);
  return known === undefined ? {} : { view: known };
}

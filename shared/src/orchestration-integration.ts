import type { Orchestration } from './models/orchestration.ts';

/**
 * Whether an orchestration failed because the branches of its agents could not be integrated, or because the integrated
 * work did not pass the check.
 */
export function failedToIntegrate({ state, integration }: Pick<Orchestration, 'state' | 'integration'>): boolean {
  if (state !== 'failed' || integration === null) return false;
  return integration.state === 'conflicts' || integration.state === 'failed' || integration.checkPassed === false;
}

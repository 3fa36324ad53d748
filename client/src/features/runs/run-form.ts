import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { ReactNode } from 'react';

/**
 * The part of the dialog for a new run that depends on whether the run uses a definition or agents entered one by one.
 */
export interface RunForm {
  fields: ReactNode;
  /** Label of the submit button. */
  submit: string;
  isBusy: boolean;
  problem: ReactNode;
  send(): void;
}

/**
 * Handlers of the dialog for a new run. `onCreatedLate` and `onLateError` are called if the dialog was closed before
 * the response arrived.
 */
export interface RunHandlers {
  onCreated(run: OrchestrationStatus): void;
  onCreatedLate(run: OrchestrationStatus): void;
  onLateError(error: { message: string }): void;
}

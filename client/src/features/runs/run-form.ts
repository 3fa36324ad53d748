import type { ReactNode } from 'react';

/**
 * Part of the dialog for a new run. It differs between runs from a definition and runs with agents entered one by one.
 */
export interface RunForm {
  fields: ReactNode;
  /** Label of the submit button. */
  submit: string;
  isBusy: boolean;
  problem: ReactNode;
  send(): void;
}

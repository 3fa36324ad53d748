import type { ReactNode } from 'react';

/** Part of the dialog for a new run that depends on where its agents come from. */
export interface RunForm {
  fields: ReactNode;
  /** Label of the submit button. */
  submit: string;
  isBusy: boolean;
  problem: ReactNode;
  send(): void;
}

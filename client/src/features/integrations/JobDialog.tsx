import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../ui/Dialog.tsx';
import { FormProblem, type Refusal } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { JobProgress } from '../worktrees/JobProgress.tsx';
import type { LateEnd } from '../worktrees/late-job.ts';

/**
 * Dialog with a form that starts a job, followed by the progress of the job. After a failure, the dialog can return to
 * the form with the entered values.
 */
export function JobDialog(props: {
  title: string;
  submit: string;
  hint?: ReactNode;
  /** Why the form cannot be submitted now; undefined if it can. */
  blocked?: string | undefined;
  /** Label of the progress bar. */
  progress: string;
  mutation: { data: { jobId: string } | undefined; error: Refusal | null; isPending: boolean; reset(): void };
  /** Names of the form fields that show their own errors, so that the dialog does not repeat these errors. */
  fields: readonly string[];
  /** How the job's outcome is announced if the dialog is closed before the job ends. */
  late: LateEnd;
  onSubmit(): void;
  onClose(): void;
  onResult(result: Record<string, unknown>): void;
  children: ReactNode;
}) {
  const { title, submit, hint, blocked, progress, mutation, fields, late, onSubmit, onClose, onResult, children } =
    props;
  const [failed, setFailed] = useState(false);
  if (mutation.data === undefined) {
    return (
      <FormDialog
        blocked={blocked}
        busy={mutation.isPending}
        hint={hint}
        onClose={onClose}
        onSubmit={onSubmit}
        problem={<FormProblem error={mutation.error} fields={fields} />}
        submit={submit}
        title={title}
        width="wide"
      >
        {children}
      </FormDialog>
    );
  }
  return (
    <ProgressDialog
      onBack={() => {
        setFailed(false);
        mutation.reset();
      }}
      onClose={onClose}
      state={failed ? 'failed' : 'running'}
      title={title}
    >
      <JobProgress
        jobId={mutation.data.jobId}
        label={progress}
        late={late}
        onEnd={({ result }) => {
          if (result === undefined) setFailed(true);
          else onResult(result);
        }}
      />
    </ProgressDialog>
  );
}

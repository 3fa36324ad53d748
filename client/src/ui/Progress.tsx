import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { UntrustedLine } from './UntrustedText.tsx';

/** Progress bar. `fraction` is from 0 to 1, or undefined if the progress is unknown. */
export function Progress({ fraction, label }: { fraction: number | undefined; label: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex justify-between gap-3">
        <UntrustedLine className="first-letter:uppercase" text={label} />
        {fraction === undefined ? null : (
          <span className="tabular-nums text-quiet">{Math.round(fraction * 100)} %</span>
        )}
      </div>
      <progress
        aria-label={label}
        className="h-1.5 w-full accent-accent"
        max={1}
        {...(fraction === undefined ? {} : { value: fraction })}
      />
    </div>
  );
}

/** Progress dialog for work that continues after the dialog is closed. */
export function ProgressDialog(props: {
  title: string;
  state: 'running' | 'failed' | 'done';
  /** Called when the person returns to the form after a failure. */
  onBack(): void;
  onClose(): void;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { state, onBack, onClose } = props;
  return (
    <Dialog
      actions={
        <>
          {state === 'failed' ? <Button onClick={onBack}>Back</Button> : null}
          <Button onClick={onClose}>{state === 'running' ? 'Continue in background' : 'Close'}</Button>
          {props.actions}
        </>
      }
      onClose={onClose}
      title={props.title}
    >
      <div className="flex flex-col gap-3">{props.children}</div>
    </Dialog>
  );
}

import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog, type DialogProps, MainButton } from './Dialog.tsx';
import { Problem } from './Problem.tsx';

/** Asks for confirmation before something is removed or ended. The cancel button has the focus first. */
export function ConfirmDialog(
  props: Pick<DialogProps, 'title' | 'children' | 'width' | 'onClose'> & {
    /** Label of the button that confirms, e.g. `Remove board`. */
    confirm: string;
    busy: boolean;
    error: { message: string } | null | undefined;
    wayOut?: string;
    /** Buttons for other choices, e.g. to archive the session instead of removing it. */
    otherWays?: ReactNode;
    onConfirm(): void;
  },
) {
  const { confirm, busy, error, wayOut = 'Cancel', otherWays, onConfirm, ...dialog } = props;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button data-way-out onClick={dialog.onClose}>
            {wayOut}
          </Button>
          {otherWays}
          <MainButton busy={busy} kind="danger" onClick={onConfirm}>
            {confirm}
          </MainButton>
        </>
      }
      problem={<Problem error={error} />}
    />
  );
}

import type { ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Dialog, type DialogProps, MainButton } from '../../ui/Dialog.tsx';
import { UntrustedBlock } from '../../ui/UntrustedText.tsx';

/**
 * Dialog that reports an outcome or a state. Buttons for actions are before (`before`) and after (`after`) its close
 * button.
 */
export function OutcomeDialog(
  props: Omit<DialogProps, 'actions'> & {
    /** Whether nothing is left to do, so that the close button is the main button. */
    isDone?: boolean;
    /** Actions before the button that closes the dialog. */
    before?: ReactNode;
    /** The main action, after the button that closes the dialog. */
    after?: ReactNode;
  },
) {
  const { isDone = false, before, after, children, ...dialog } = props;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          {before}
          {isDone ? (
            <MainButton data-way-out onClick={dialog.onClose}>
              Done
            </MainButton>
          ) : (
            <Button data-way-out onClick={dialog.onClose}>
              Close
            </Button>
          )}
          {after}
        </>
      }
    >
      <div className="flex flex-col gap-2">{children}</div>
    </Dialog>
  );
}

/** Shows warnings as untrusted text, because they may quote paths and messages of programs. */
export function Warnings({ texts }: { texts: readonly string[] }) {
  return texts.map((text) => <UntrustedBlock className="text-needs" key={text} text={text} />);
}

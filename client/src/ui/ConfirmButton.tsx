import { useState } from 'react';
import { Button } from './Button.tsx';

/** A button that requires a second click to confirm. */
export function ConfirmButton(props: { label: string; confirm: string; busy: boolean; onConfirm(): void }) {
  /**
   * Whether the button asks for confirmation; undefined before the first press. False after Cancel: the button then
   * takes the focus.
   */
  const [asking, setAsking] = useState<boolean>();
  if (asking !== true) {
    return (
      <Button autoFocus={asking === false} key="ask" onClick={() => setAsking(true)}>
        {props.label}
      </Button>
    );
  }
  return (
    <>
      <Button autoFocus key="cancel" onClick={() => setAsking(false)}>
        Cancel
      </Button>
      <Button busy={props.busy} kind="danger" onClick={props.onConfirm}>
        {props.confirm}
      </Button>
    </>
  );
}

import { useState } from 'react';
import { Button } from './Button.tsx';

/** A button that requires a second click to confirm. */
export function ConfirmButton(props: { label: string; confirm: string; busy: boolean; onConfirm(): void }) {
  const [asking, setAsking] = useState(false);
  const size = 'max-md:h-9';
  if (!asking) {
    return (
      <Button className={size} onClick={() => setAsking(true)}>
        {props.label}
      </Button>
    );
  }
  return (
    <>
      <Button className={size} onClick={() => setAsking(false)}>
        Cancel
      </Button>
      <Button busy={props.busy} className={size} kind="danger" onClick={props.onConfirm}>
        {props.confirm}
      </Button>
    </>
  );
}

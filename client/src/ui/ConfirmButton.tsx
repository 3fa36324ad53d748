import { useState } from 'react';
import { Button } from './Button.tsx';

/** A button that requires a second click to confirm. */
export function ConfirmButton(props: { label: string; confirm: string; busy: boolean; onConfirm(): void }) {
  const [asking, setAsking] = useState(false);
  if (!asking) return <Button onClick={() => setAsking(true)}>{props.label}</Button>;
  return (
    <>
      <Button onClick={() => setAsking(false)}>Cancel</Button>
      <Button busy={props.busy} kind="danger" onClick={props.onConfirm}>
        {props.confirm}
      </Button>
    </>
  );
}

import { Button } from './Button.tsx';

/** Save and discard buttons of a form. */
export function SaveRow(props: { busy: boolean; changed: boolean; saved: boolean; onDiscard(): void }) {
  const { busy, changed, saved, onDiscard } = props;
  return (
    <div className="flex gap-2">
      <Button busy={busy} disabled={!changed} kind="primary" type="submit">
        Save
      </Button>
      {changed ? <Button onClick={onDiscard}>Discard</Button> : null}
      <span className="self-center text-quiet" role="status">
        {saved && !changed ? 'Saved' : ''}
      </span>
    </div>
  );
}

import type { InboxItem } from '@agent-console/shared/models/inbox';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { call } from '../../api/call.ts';
import { dismissToast, toast } from '../../ui/toasts.ts';
import { setReadUntil, useMarks } from './marks.ts';
import { undone } from './undone.ts';

const TOAST = 'inbox-marked';

/**
 * An item to mark as read or unread. When an item is marked as read, the outcomes of its session or orchestration up to
 * the time `since` become read. If one call marks several items, the newest `since` applies to all.
 */
type Marked = Pick<InboxItem, 'sessionId' | 'orchestrationId' | 'since'>;

/** Marks the outcomes of these items as read, without a toast that offers to undo it. Later outcomes stay unread. */
export function markRead(items: readonly Marked[]): void {
  void send(items, true);
}

let undo: (() => void) | undefined;

/** Undoes the last call of `markReadWithUndo`, unless it was already undone. */
export function undoRead(): void {
  undo?.();
}

/** Marks items as read, and shows a toast with an undo button. */
export function markReadWithUndo(items: readonly Marked[], what: string): void {
  if (items.length === 0) return;
  void send(items, true);
  const back = () => {
    if (undo === back) undo = undefined;
    dismissToast(TOAST);
    void send(items, false);
  };
  undo = back;
  toast({ id: TOAST, kind: 'plain', title: `${what} marked as read`, action: { label: 'Undo', run: back } });
}

async function send(items: readonly Marked[], read: boolean): Promise<void> {
  const sessionIds = items.flatMap(({ sessionId }) => sessionId ?? []);
  const orchestrationIds = items.flatMap(({ orchestrationId }) => orchestrationId ?? []);
  const until = items
    .map(({ since }) => since)
    .sort()
    .at(-1);
  if (until === undefined) return;
  const input: RequestOf<'inbox.mark'> = { sessionIds, orchestrationIds, read, ...(read ? { until } : {}) };
  const ids = [...sessionIds, ...orchestrationIds];
  const before = useMarks.getState();
  const set = read ? until : null;
  setReadUntil(ids, set);
  const isHidden = ({ orchestrationId }: InboxItem) => orchestrationIds.includes(orchestrationId ?? '');
  if (read) useMarks.setState({ runs: before.runs.filter((run) => !isHidden(run)) });
  try {
    await call('inbox.mark', input, { idempotencyKey: crypto.randomUUID() });
  } catch (error) {
    useMarks.setState(({ readUntil, runs }) => ({
      readUntil: undone(readUntil, before.readUntil, ids, set),
      runs: [...before.runs.filter((run) => isHidden(run) && !runs.some(isSameRun(run))), ...runs],
    }));
    toast({
      id: TOAST,
      kind: 'failed',
      title: 'Could not mark items as read or unread',
      text: (error as Error).message,
    });
  }
}

function isSameRun({ orchestrationId }: InboxItem) {
  return (other: InboxItem): boolean => other.orchestrationId === orchestrationId;
}

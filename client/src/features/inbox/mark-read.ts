import type { InboxItem } from '@agent-console/shared/models/inbox';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { call } from '../../api/call.ts';
import { dismissToast, toast } from '../../ui/toasts.ts';
import { setReadUntil, useMarks } from './marks.ts';

const TOAST = 'inbox-marked';

/** What to mark: the subjects of these items, up to the newest outcome among them. */
type Marked = Pick<InboxItem, 'sessionId' | 'orchestrationId' | 'since'>;

/** Marks the outcomes of these items as read, without a word. Later outcomes stay unread. */
export function markRead(items: readonly Marked[]): void {
  void send(items, true);
}

let undo: (() => void) | undefined;

/** Marks the items as unread again that were marked last with `markReadWithUndo`. */
export function undoRead(): void {
  undo?.();
}

/** Marks items as read, and offers to undo that. */
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
  const before = useMarks.getState();
  setReadUntil([...sessionIds, ...orchestrationIds], read ? until : null);
  const hidden = new Set(orchestrationIds);
  if (read)
    useMarks.setState({ runs: before.runs.filter(({ orchestrationId }) => !hidden.has(orchestrationId ?? '')) });
  try {
    await call('inbox.mark', input, { idempotencyKey: crypto.randomUUID() });
  } catch (error) {
    useMarks.setState({ readUntil: before.readUntil, runs: before.runs });
    toast({ id: TOAST, kind: 'failed', title: 'Could not change what is read', text: (error as Error).message });
  }
}

import { call } from '../../api/call.ts';
import { toast } from '../../ui/toasts.ts';
import { setPinned, useMarks } from './marks.ts';
import { undone } from './undone.ts';

/** Pins or unpins sessions. The dashboard shows the change at once, and undoes it if the console refuses it. */
export async function pin(sessionIds: readonly string[], isPinned: boolean): Promise<void> {
  const before = useMarks.getState().pinned;
  const pinnedAt = isPinned ? new Date().toISOString() : undefined;
  setPinned(sessionIds, pinnedAt ?? null);
  try {
    await call('sessions.pin', { sessionIds: [...sessionIds], pinned: isPinned });
  } catch (error) {
    useMarks.setState(({ pinned }) => ({ pinned: undone(pinned, before, sessionIds, pinnedAt) }));
    toast({ id: 'pinned', kind: 'failed', title: 'Could not pin or unpin sessions', text: (error as Error).message });
  }
}

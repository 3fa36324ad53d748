import type { InboxItem } from '@agent-console/shared/models/inbox';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isolateText } from '../../ui/hidden-characters.ts';
import { dismissToast, toast } from '../../ui/toasts.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { useMarks } from './marks.ts';
import { subjectOf } from './subjects.ts';
import { useOpenItem } from './use-next-need.ts';

const TITLES: Record<InboxItem['kind'], string> = {
  asks: 'asks a question',
  blocked: 'has a blocked prompt',
  budget: 'has used up its budget',
  failed: 'failed',
  done: 'is done',
};

const INBOX = '/inbox';

const toastOf = (id: string) => `session-${id}`;

/**
 * Shows a toast for each item that is added to the inbox, unless the item is already visible on the page. Removes the
 * toast when its session or orchestration no longer has an item, or when the person opens the session or the inbox.
 * Items that were in the inbox when the page was opened get no toast.
 */
export default function InboxToasts(props: { items: readonly InboxItem[]; openSessionId: string | undefined }): null {
  const { items, openSessionId } = props;
  const openItem = useOpenItem();
  const open = useRef(openItem);
  open.current = openItem;
  const sessionsLoaded = useSessions((state) => state.loaded);
  const marksLoaded = useMarks((state) => state.loaded);
  const loaded = sessionsLoaded && marksLoaded;
  const known = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  useEffect(() => {
    if (!loaded) return;
    const before = known.current;
    known.current = new Map(items.map((each) => [subjectOf(each), keyOf(each)]));
    if (before === undefined) return;
    for (const id of before.keys()) if (!known.current.has(id)) dismissToast(toastOf(id));
    for (const item of items) {
      const { orchestrationId, kind, title, text } = item;
      const id = subjectOf(item);
      // For an orchestration, only a used-up budget causes a toast here. `notifyOfRun` shows the toast about the
      // outcome of the orchestration.
      if (orchestrationId !== null && kind !== 'budget') continue;
      if (before.get(id) === keyOf(item) || isShown(id, openSessionId)) continue;
      toast({
        id: toastOf(id),
        kind: kind === 'failed' || kind === 'done' ? kind : 'needs',
        title: `${isolateText(title)} ${TITLES[kind]}`,
        ...(kind === 'asks' ? {} : { text }),
        action: { label: 'Open', run: () => open.current(item) },
      });
    }
  }, [items, loaded, openSessionId]);

  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    if (openSessionId !== undefined) dismissToast(toastOf(openSessionId));
    if (path === INBOX) for (const id of known.current?.keys() ?? []) dismissToast(toastOf(id));
  }, [openSessionId, path]);
  return null;
}

function keyOf({ kind, since }: InboxItem): string {
  return `${kind} ${since}`;
}

function isShown(id: string, openSessionId: string | undefined): boolean {
  if (document.visibilityState !== 'visible') return false;
  return id === openSessionId || location.pathname === INBOX || location.pathname === `/runs/${id}`;
}

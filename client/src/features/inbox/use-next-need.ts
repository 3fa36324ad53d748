import type { InboxItem } from '@agent-console/shared/models/inbox';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { FIRST_PAGE_KEYS } from '../../shell/first-page-keys.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { toast } from '../../ui/toasts.ts';
import { useInbox } from './inbox-items.ts';
import { nextNeed, subjectOf } from './subjects.ts';

export function useOpenItem(): (item: Pick<InboxItem, 'sessionId' | 'orchestrationId'>) => void {
  const navigate = useNavigate();
  return ({ sessionId, orchestrationId }) => {
    if (sessionId !== null) void navigate({ to: '/sessions/$sessionId', params: { sessionId } });
    else if (orchestrationId !== null) void navigate({ to: '/runs/$runId', params: { runId: orchestrationId } });
  };
}

/**
 * Registers the shortcut `n`, which opens the next item of the inbox from any page, in the inbox's order: questions,
 * failures, other outcomes. `g n` does the same, for pages where `n` answers a question.
 */
export function useNextNeed(): void {
  const { items } = useInbox();
  const openItem = useOpenItem();
  const { sessionId, runId } = useParams({ strict: false });
  const current = sessionId ?? runId;
  /** The last known inbox item of the open session or orchestration, which may have left the inbox since. */
  const last = useRef<InboxItem>(undefined);
  last.current = items.find((item) => subjectOf(item) === current) ?? last.current;
  const next = () => {
    const item = nextNeed(items, current, last.current);
    if (item === undefined) toast({ id: 'next-need', kind: 'plain', title: 'No other inbox items' });
    else openItem(item);
  };
  useShortcuts(
    shortcutsOf(FIRST_PAGE_KEYS.anywhere, {
      'next-that-needs-you': next,
      'next-that-needs-you-also-while-a-question-is-open': next,
    }),
  );
}

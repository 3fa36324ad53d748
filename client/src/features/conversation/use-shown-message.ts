import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { LoadedMessages } from './loaded-messages.ts';
import { loadEarlierMessages } from './messages-query.ts';
import type { Row } from './rows.ts';

/**
 * Returns the index of the row of the message that the page's URL names; undefined if there is no such message or it is
 * not loaded yet. Loads earlier messages until the message is loaded.
 */
export function useShownMessage(
  sessionId: string,
  { earlier }: Pick<LoadedMessages, 'earlier'>,
  rows: readonly Row[],
): number | undefined {
  const { at } = useSearch({ strict: false });
  const isMissing = at !== undefined && at <= earlier;
  useEffect(() => {
    // This effect runs again after each page of messages, because `earlier` decreases, until the message is loaded.
    if (isMissing && earlier > 0) void loadEarlierMessages(sessionId);
  }, [isMissing, earlier, sessionId]);
  if (at === undefined || isMissing) return undefined;
  const index = rows.findIndex((row) => row.kind !== 'end' && row.message.seq >= at);
  return index < 0 ? undefined : index;
}

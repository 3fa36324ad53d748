import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { LoadedMessages } from './loaded-messages.ts';
import type { Row } from './rows.ts';

/**
 * Returns the index of the row of the message that the page's URL names; undefined if there is no such message or it is
 * not loaded yet. Loads earlier messages until the message is loaded.
 */
export function useShownMessage(
  { earlier }: Pick<LoadedMessages, 'earlier'>,
  rows: readonly Row[],
  loadEarlier: () => Promise<unknown>,
): number | undefined {
  const { at } = useSearch({ strict: false });
  const isMissing = at !== undefined && at <= earlier;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failed request is repeated only by a person
  useEffect(() => {
    // This effect runs again after each page of messages, because `earlier` decreases, until the message is loaded.
    if (isMissing && earlier > 0) void loadEarlier();
  }, [isMissing, earlier]);
  if (at === undefined || isMissing) return undefined;
  const index = rows.findIndex((row) => row.kind !== 'end' && row.message.seq >= at);
  return index < 0 ? undefined : index;
}

import { INBOX_GROUPS, isInboxMatch } from '@agent-console/shared/inbox';
import type { InboxGroup, InboxItem } from '@agent-console/shared/models/inbox';
import { subjectOf } from './subjects.ts';

interface HeaderRow {
  type: 'header';
  key: InboxGroup;
  group: InboxGroup;
  /** Number of items of the group that match the filter, not counting answered questions. */
  count: number;
}

export interface ItemRow {
  type: 'item';
  key: string;
  item: InboxItem;
  /**
   * Whether the item has left the inbox since the page listed it. Only items that waited for a person then keep their
   * row.
   */
  resolved: boolean;
}

export type InboxRow = HeaderRow | ItemRow;

/** Returns the key of an item. A later question or outcome of the same session has another key. */
export function keyOf(item: InboxItem): string {
  return `${subjectOf(item)} ${item.kind} ${item.since}`;
}

/** The items that the inbox page shows. Their order does not change while somebody reads the page. */
export interface Shown {
  /** Keys of the items in display order. */
  order: readonly string[];
  /** The items in their last known state, by key. */
  items: ReadonlyMap<string, InboxItem>;
}

/** Returns the state of an inbox page that shows all of `items` in their order. */
export function showAll(items: readonly InboxItem[]): Shown {
  return { order: items.map(keyOf), items: new Map(items.map((item) => [keyOf(item), item])) };
}

/** Returns the keys of items that the list does not show yet. */
export function newKeys({ order }: Shown, items: readonly InboxItem[]): string[] {
  const known = new Set(order);
  return items.map(keyOf).filter((key) => !known.has(key));
}

/**
 * Returns the rows of the list: a header for each group, followed by its items. An answered question keeps its row. An
 * outcome loses its row once it is marked as read, because that is how a person removes it.
 */
export function inboxRows(
  shown: Shown,
  current: readonly InboxItem[],
  filter: string,
  repositories: Readonly<Record<string, string>>,
): InboxRow[] {
  const open = new Map(current.map((item) => [keyOf(item), item]));
  const groups: Record<InboxGroup, ItemRow[]> = { answer: [], failed: [], finished: [] };
  for (const key of shown.order) {
    const item = open.get(key) ?? shown.items.get(key);
    const resolved = !open.has(key);
    if (item === undefined || (resolved && item.group !== 'answer')) continue;
    if (!isInboxMatch(item, filter, repositories[item.repositoryId ?? ''])) continue;
    groups[item.group].push({ type: 'item', key, item, resolved });
  }
  return INBOX_GROUPS.flatMap((group): InboxRow[] => {
    const items = groups[group];
    if (items.length === 0) return [];
    return [{ type: 'header', key: group, group, count: items.filter(({ resolved }) => !resolved).length }, ...items];
  });
}

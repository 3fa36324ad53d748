import { REGIONS, rowOf } from './shortcut-table.ts';
import type { ListedShortcut } from './shortcuts.ts';

interface ShortcutGroup {
  name: string;
  hint: string | undefined;
  rows: readonly ListedShortcut[];
}

const QUESTION = { name: 'Question' };

/**
 * Groups the active shortcuts by region. The regions are in the reverse order of the list. Of shortcuts with the same
 * keys, includes only the one that runs: the one that answers a question, otherwise the last one in the list.
 */
export function groupShortcuts(shortcuts: readonly ListedShortcut[]): ShortcutGroup[] {
  const inForce = new Map<string, ListedShortcut>();
  for (const each of shortcuts) {
    const keys = each.keys;
    if (inForce.get(keys)?.isAnswer === true && each.isAnswer !== true) continue;
    inForce.set(keys, each);
  }
  const active = new Set(inForce.values());
  const groups = new Map<{ name: string; hint?: string }, ListedShortcut[]>();
  for (const each of shortcuts) {
    if (!active.has(each)) continue;
    const group = each.isAnswer === true ? QUESTION : REGIONS[rowOf(each.id).region];
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  return [...groups].map(([{ name, hint }, rows]) => ({ name, hint, rows })).toReversed();
}

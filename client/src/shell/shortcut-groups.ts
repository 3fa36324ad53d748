import type { ListedShortcut } from './shortcuts.ts';

interface ShortcutGroup {
  name: string;
  hint: string | undefined;
  rows: readonly ListedShortcut[];
}

/**
 * Groups the active shortcuts by scope. The groups registered last come first, because they belong to the page. Of
 * several shortcuts with the same keys, only the one that runs is included: the one that answers a question, otherwise
 * the one registered last.
 */
export function groupShortcuts(shortcuts: readonly ListedShortcut[]): ShortcutGroup[] {
  const inForce = new Map<string, ListedShortcut>();
  for (const each of shortcuts) {
    const keys = each.keys;
    if (inForce.get(keys)?.isAnswer === true && each.isAnswer !== true) continue;
    inForce.set(keys, each);
  }
  const active = new Set(inForce.values());
  const groups = new Map<string, ListedShortcut[]>();
  for (const each of shortcuts) {
    if (!active.has(each)) continue;
    groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  }
  return [...groups]
    .map(([name, rows]) => ({ name, hint: rows.find(({ hint }) => hint !== undefined)?.hint, rows }))
    .toReversed();
}

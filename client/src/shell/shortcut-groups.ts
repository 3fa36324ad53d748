import type { ListedShortcut } from './shortcuts.ts';

interface ShortcutGroup {
  name: string;
  hint: string | undefined;
  rows: readonly ListedShortcut[];
}

/**
 * Groups the active shortcuts by where they work: those registered last, which belong to the page, come first. A shortcut
 * whose keys another one has taken over is left out, because only the one that answers a question, or was registered
 * last, runs.
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

import { Dialog } from '../ui/Dialog.tsx';
import { ShortcutRow } from './ShortcutRow.tsx';
import { type ListedShortcut, useShortcutList } from './shortcuts.ts';

/** Lists the shortcuts that are active on this page, those of every page last. Each can be changed. */
export default function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const shortcuts = useShortcutList((state) => state.shortcuts);
  const rows = [...new Map(shortcuts.map((shortcut) => [shortcut.label, shortcut])).values()];
  const groups: [string, ListedShortcut[]][] = [
    ['On this page', rows.filter(({ everywhere }) => everywhere !== true)],
    ['Everywhere', rows.filter(({ everywhere }) => everywhere === true)],
  ];
  return (
    <Dialog closesOutside onClose={onClose} title="Keyboard shortcuts">
      <p className="pb-2 text-quiet">Choose keys to change them. They are stored in this browser.</p>
      {groups
        .filter(([, group]) => group.length > 0)
        .map(([name, group]) => (
          <section aria-label={name} className="pb-3" key={name}>
            <h3 className="text-sm font-medium text-quiet">{name}</h3>
            <ul className="divide-y divide-line">
              {group.map((shortcut) => (
                <ShortcutRow key={shortcut.label} others={rows} shortcut={shortcut} />
              ))}
            </ul>
          </section>
        ))}
    </Dialog>
  );
}

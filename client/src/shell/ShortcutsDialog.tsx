import { Dialog } from '../ui/Dialog.tsx';
import { ShortcutRow } from './ShortcutRow.tsx';
import { groupShortcuts } from './shortcut-groups.ts';
import { useShortcutList } from './shortcuts.ts';

/** Lists the shortcuts that are active on the page, with the page's own shortcuts first. Their keys can be changed. */
export default function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const groups = groupShortcuts(useShortcutList((state) => state.shortcuts));
  return (
    <Dialog closesOutside onClose={onClose} title="Keyboard shortcuts" width="wide">
      <p className="pb-2 text-quiet">
        Select the keys of a shortcut to change them. Changes are stored in this browser.
      </p>
      <div className="gap-x-10 md:columns-2">
        {groups.map(({ name, hint, rows }) => (
          <section aria-label={name} className="mb-4 break-inside-avoid" key={name}>
            <h3 className="mb-1 border-b border-line pb-0.5 font-semibold">{name}</h3>
            <ul>
              {rows.map((shortcut) => (
                <ShortcutRow key={`${shortcut.keys} ${shortcut.id ?? shortcut.label}`} shortcut={shortcut} />
              ))}
            </ul>
            {hint === undefined ? null : <p className="pt-1 text-sm text-quiet">{hint}</p>}
          </section>
        ))}
      </div>
    </Dialog>
  );
}

import { resetKeys } from '../../shell/key-changes.ts';
import { useKeyOverrides } from '../../shell/key-overrides.ts';
import { ShortcutRow } from '../../shell/ShortcutRow.tsx';
import { useShortcutList } from '../../shell/shortcuts.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Kbd } from '../../ui/Kbd.tsx';

/** Lists the shortcuts that work on every page, and those of other pages whose keys were changed. */
export function KeySettings() {
  const shortcuts = useShortcutList((state) => state.shortcuts);
  const { overrides } = useKeyOverrides();
  const here = [...new Map(shortcuts.map((each) => [each.id ?? each.label, each])).values()];
  const elsewhere = Object.entries(overrides)
    .filter(([id]) => !here.some((each) => each.id === id))
    .map(([id, keys]) => ({ id, keys, defaultKeys: keys }));
  return (
    <>
      <ul aria-label="Keyboard shortcuts" className="divide-y divide-line border-y border-line">
        {[...here, ...elsewhere].map((shortcut) => (
          <ShortcutRow key={shortcut.id} others={here} shortcut={shortcut} />
        ))}
      </ul>
      <p className="text-quiet">
        Other pages have their own shortcuts, which take precedence. Press <Kbd>?</Kbd> there to see and change them.
      </p>
      {Object.keys(overrides).length === 0 ? null : (
        <div className="flex gap-2">
          <ConfirmButton busy={false} confirm="Restore all" label="Restore default keys…" onConfirm={resetKeys} />
        </div>
      )}
    </>
  );
}

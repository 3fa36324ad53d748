import { resetKeys } from '../../shell/key-changes.ts';
import { effectiveKeys, useKeyOverrides } from '../../shell/key-overrides.ts';
import { ShortcutRow } from '../../shell/ShortcutRow.tsx';
import { REGIONS, type Region, SHORTCUTS } from '../../shell/shortcut-table.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';

/** Lists the shortcuts of all pages. Each can be changed. */
export function KeySettings() {
  const { overrides } = useKeyOverrides();
  return (
    <>
      {(Object.keys(REGIONS) as Region[]).map((region) => (
        <section aria-label={REGIONS[region].name} key={region}>
          <h2 className="mb-1 font-semibold">{REGIONS[region].name}</h2>
          <ul className="divide-y divide-line border-y border-line">
            {SHORTCUTS.filter((each) => each.region === region).map(({ id, defaultKeys }) => (
              <ShortcutRow key={id} shortcut={{ id, defaultKeys, keys: effectiveKeys(id, defaultKeys, overrides) }} />
            ))}
          </ul>
        </section>
      ))}
      {Object.keys(overrides).length === 0 ? null : (
        <div className="flex gap-2">
          <ConfirmButton
            busy={false}
            confirm="Restore all default keys"
            label="Restore default keys…"
            onConfirm={resetKeys}
          />
        </div>
      )}
    </>
  );
}

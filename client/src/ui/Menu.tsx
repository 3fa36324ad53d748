import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { ITEM, POPUP } from './popup.ts';

export interface MenuAction {
  label: string;
  /** Shown at the right end, e.g. `⌘K`. */
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  run(): void;
}

/** Dropdown menu of actions. */
export function Menu({ trigger, actions }: { trigger: ReactElement; actions: readonly MenuAction[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" className="z-60 outline-none" sideOffset={4}>
          <Base.Popup className={`${POPUP} min-w-44`}>
            {actions.map(({ label, keys, danger = false, disabled = false, run }) => (
              <Base.Item
                className={`${ITEM} ${danger ? 'text-failed' : ''}`}
                disabled={disabled}
                key={label}
                onClick={run}
              >
                <span className="flex-1">{label}</span>
                {keys === undefined ? null : <kbd className="font-mono text-[11px] text-quiet">{keys}</kbd>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

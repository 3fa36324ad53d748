import { Menu as Base } from '@base-ui/react/menu';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { MENU_ITEM, POPUP } from './popup.ts';

export interface MenuAction {
  /** Identifies the action if several actions have the same label. */
  id?: string;
  label: string;
  hint?: string | undefined;
  danger?: boolean;
  disabled?: boolean;
  run(): void;
}

interface Submenu {
  label: string;
  actions: readonly MenuAction[];
}

/** Dropdown menu with separators between its `groups` of actions. */
export function Menu(props: {
  trigger: ReactElement;
  groups: readonly (readonly (MenuAction | Submenu)[])[];
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}) {
  const { trigger, groups, defaultOpen = false, onOpenChange } = props;
  return (
    <Base.Root defaultOpen={defaultOpen} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Popup align="end">
        {groups.map((actions, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups are static
          <Fragment key={index}>
            {index === 0 ? null : <Base.Separator className="my-1 border-t border-line" />}
            {actions.map((each) =>
              'actions' in each ? (
                <Base.SubmenuRoot key={each.label}>
                  <Base.SubmenuTrigger className={MENU_ITEM}>
                    <span className="flex-1">{each.label}</span>
                    <span className="text-quiet">▸</span>
                  </Base.SubmenuTrigger>
                  <Popup>{each.actions.map(item)}</Popup>
                </Base.SubmenuRoot>
              ) : (
                item(each)
              ),
            )}
          </Fragment>
        ))}
      </Popup>
    </Base.Root>
  );
}

function Popup({ align, children }: { align?: 'end'; children: ReactNode }) {
  return (
    <Base.Portal>
      <Base.Positioner align={align} className="z-60 outline-none" sideOffset={4}>
        <Base.Popup className={`${POPUP} min-w-44`}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

function item({ id, label, hint, danger = false, disabled = false, run }: MenuAction) {
  return (
    <Base.Item
      className={`${MENU_ITEM} ${danger ? 'text-failed' : ''}`}
      disabled={disabled}
      key={id ?? label}
      onClick={run}
    >
      <span className="flex-1">{label}</span>
      {hint === undefined ? null : <span className="text-sm text-quiet">{hint}</span>}
    </Base.Item>
  );
}

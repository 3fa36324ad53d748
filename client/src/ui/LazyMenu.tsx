import { type ComponentProps, cloneElement, type ReactElement, useState } from 'react';
import type { Menu } from './Menu.tsx';
import { toast } from './toasts.ts';

const load = () => import('./Menu.tsx');

// An error while preloading is ignored, because opening the menu shows it.
const preload = () => void load().catch(() => {});

type Trigger = ReactElement<ComponentProps<'button'>>;

/** `Menu` for the page that loads first. The code of menus is half as large as that page and loads on first use. */
export function LazyMenu({ trigger, groups }: { trigger: Trigger; groups: ComponentProps<typeof Menu>['groups'] }) {
  const [Loaded, setLoaded] = useState<typeof Menu>();
  const open = () =>
    void load().then(
      (module) => setLoaded(() => module.Menu),
      () => toast({ id: 'menu', kind: 'failed', title: 'The menu failed to load', text: 'Reload the page.' }),
    );
  if (Loaded !== undefined) {
    // The menu replaces the focused button, and returns the focus to its own one when it closes.
    return <Loaded defaultOpen groups={groups} trigger={cloneElement(trigger, { autoFocus: true })} />;
  }
  return cloneElement(trigger, {
    'aria-expanded': false,
    'aria-haspopup': 'menu',
    onClick: open,
    onFocus: preload,
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      open();
    },
    onPointerEnter: preload,
  });
}

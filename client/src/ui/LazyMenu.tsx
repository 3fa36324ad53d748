import { type ComponentProps, cloneElement, type ReactElement, useState } from 'react';
import type { Menu } from './Menu.tsx';
import { toast } from './toasts.ts';

const load = () => import('./Menu.tsx');

// A failed preload is ignored, because opening the menu shows the error.
const preload = () => void load().catch(() => {});

type Trigger = ReactElement<ComponentProps<'button'>>;

/**
 * Lazily loaded `Menu` for the initial page. The menu code is half as large as that page, so it is loaded on first use.
 */
export function LazyMenu({ trigger, groups }: { trigger: Trigger; groups: ComponentProps<typeof Menu>['groups'] }) {
  const [Loaded, setLoaded] = useState<typeof Menu>();
  const open = () =>
    void load().then(
      (module) => setLoaded(() => module.Menu),
      () => toast({ id: 'menu', kind: 'failed', title: 'The menu failed to load', text: 'Reload the page.' }),
    );
  if (Loaded !== undefined) {
    // The loaded menu replaces the focused trigger. `autoFocus` focuses the new trigger, to which the focus returns
    // when the menu closes.
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

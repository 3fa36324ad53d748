import { useEffect } from 'react';
import { create } from 'zustand';
import { focusPage } from '../../ui/focus.ts';
import { COMPACT, useMedia } from '../../ui/use-media.ts';
import { updateLayout, useLayout } from './layout.ts';

/** Whether the session list covers the open session. Not stored, because the list is opened on demand. */
const useOverlay = create(() => ({ isOpen: false }));

const treeElement = () => document.querySelector<HTMLElement>('[data-testid="tree"]');

export function closeTreeOverlay(): void {
  const hadFocus = treeElement()?.closest('nav')?.contains(document.activeElement) === true;
  useOverlay.setState({ isOpen: false });
  if (hadFocus) focusPage();
}

/**
 * Closes the overlay when another session is opened, or when the window becomes wide enough to show the session list
 * beside the session.
 */
export function useOverlayEnd({ isOverlay }: { isOverlay: boolean }, selected: string | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of either closes the overlay
  useEffect(() => closeTreeOverlay, [isOverlay, selected]);
}

/**
 * Returns how the session list is shown. In a narrow window, it covers the open session on demand; otherwise it is a
 * pane that can be hidden.
 */
export function useTreeDisplay(selected: string | undefined) {
  const isOverlay = useMedia(COMPACT) && selected !== undefined;
  const isOpen = useOverlay((overlay) => overlay.isOpen);
  const treeShown = useLayout((layout) => layout.treeShown);
  const show = () => (isOverlay ? useOverlay.setState({ isOpen: true }) : updateLayout({ treeShown: true }));
  const toggle = () => {
    if (!isOverlay) updateLayout({ treeShown: !treeShown });
    else if (isOpen) closeTreeOverlay();
    else {
      show();
      // The session list can be focused only after it is visible.
      requestAnimationFrame(() => treeElement()?.focus({ preventScroll: true }));
    }
  };
  return { isOverlay, isShown: isOverlay ? isOpen : treeShown, show, toggle };
}

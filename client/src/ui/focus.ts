/** Focuses the page if no element has the focus, e.g. because the one that had it was removed. */
export function focusPageIfLost(): void {
  if (isFocusLost()) focusPage();
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Focuses the element of `main` with `data-focus-home`. If no such element exists or can be focused, focuses `main`
 * itself.
 */
export function focusPage(): void {
  const main = document.querySelector<HTMLElement>('main');
  const home = main?.matches('[data-focus-home]') ? main : main?.querySelector<HTMLElement>('[data-focus-home]');
  for (const target of [home, main]) {
    if (!target) continue;
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    if (document.activeElement === target) return;
  }
}

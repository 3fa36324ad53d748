/** Whether a dialog is open in which something was entered, which another dialog in its place would drop. */
export function hasChangedForm(): boolean {
  return document.querySelector('[data-changed]') !== null;
}

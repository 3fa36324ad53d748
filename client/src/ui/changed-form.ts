/** Whether an open dialog contains input that would be lost if another dialog replaced it. */
export function hasChangedForm(): boolean {
  return document.querySelector('[data-changed]') !== null;
}

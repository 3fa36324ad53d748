/** Marks the form of a dialog as one in which something was entered. */
export function markChanged(form: HTMLFormElement): void {
  form.dataset.changed = '';
}

/** Whether a dialog is open in which something was entered, which another dialog in its place would drop. */
export function hasChangedForm(): boolean {
  return document.querySelector('form[data-changed]') !== null;
}

/** Marks the form of a dialog as one in which something was entered. */
export function markChanged(form: HTMLFormElement): void {
  form.dataset.changed = '';
}

/** Removes the mark after what was entered has been sent, if the dialog stays open. */
export function markSent(): void {
  document.querySelector('form[data-changed]')?.removeAttribute('data-changed');
}

/** Whether a dialog is open in which something was entered, which another dialog in its place would drop. */
export function hasChangedForm(): boolean {
  return document.querySelector('form[data-changed]') !== null;
}

/** Marks the form of a dialog as one in which something was entered, which `hasChangedForm` finds. */
export function markChanged(form: HTMLFormElement): void {
  form.dataset.changed = '';
}

/** Removes the mark after what was entered has been sent, if the dialog stays open. */
export function markSent(): void {
  document.querySelector('form[data-changed]')?.removeAttribute('data-changed');
}

/** Marks the form of a dialog as changed, for `hasChangedForm`. */
export function markChanged(form: HTMLFormElement): void {
  form.dataset.changed = '';
}

/** Marks the form as unchanged, for a dialog that stays open after its input was sent. */
export function markSent(): void {
  document.querySelector('form[data-changed]')?.removeAttribute('data-changed');
}

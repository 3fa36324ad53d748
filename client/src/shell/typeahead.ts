/**
 * Type-ahead for lazily loaded dialogs. Keys pressed before the dialog has the focus are buffered, and replayed in the
 * element that the dialog focuses. While they are buffered, no shortcut of the page runs, and the placeholder of the
 * dialog receives no keys.
 */

/** Typed or pasted text, or a key press that produces no text. */
type Input = { text: string } | { press: KeyboardEvent };

let buffered: Input[] | undefined;
let listening: AbortController | undefined;
let cancel = () => {};
/** Number of dialogs opened so far. If it increases during a replay, a replayed key has opened another dialog. */
let opened = 0;
let replaying = false;

/** Places that each arrow key moves the choice in a group of radio buttons. */
const ARROW_STEPS: Partial<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Keys that move the focus, the caret or a choice, or press a button, so that they change what later keys do. */
const MOVES = /^(?:Tab|Enter|Arrow\w+|Home|End|Page\w+)$/;

const DIALOG = ':is([role="dialog"],[role="alertdialog"]):not([data-loading])';

/** Buffers typed keys until a dialog has the focus. Escape calls `onCancel`, which must call `dropBufferedTyping`. */
export function bufferTyping(onCancel: () => void): void {
  cancel = onCancel;
  opened += 1;
  if (buffered !== undefined) return;
  buffered = [];
  listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  window.addEventListener('keydown', onKeyDown, options);
  window.addEventListener('keyup', onKeyUp, options);
  window.addEventListener('paste', onPaste, options);
  window.addEventListener('focusin', onFocus, options);
}

/** Drops the buffered keys and stops buffering, so that the page handles later keys again. */
export function dropBufferedTyping(): void {
  buffered = undefined;
  listening?.abort();
}

function onKeyDown(event: KeyboardEvent): void {
  // While an input method composes text, keys are not buffered. Untrusted events come from `replay` and are not
  // buffered again.
  if (event.isComposing || !event.isTrusted) return;
  event.stopImmediatePropagation();
  const { key } = event;
  if (key === 'Escape') {
    event.preventDefault();
    cancel();
  } else if ([...key].length === 1 && !isCombination(event)) {
    event.preventDefault();
    buffer({ text: key });
  } else if (!isModifier(key) && !isCombination(event)) {
    event.preventDefault();
    buffer({ press: event });
  }
  // The browser handles other combinations, such as Ctrl+R. Ctrl+K is dropped, because with it the browser would open
  // its search.
  else if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') event.preventDefault();
}

function onKeyUp(event: KeyboardEvent): void {
  if (isModifier(event.key) || isCombination(event)) return;
  event.stopImmediatePropagation();
  event.preventDefault();
}

function onPaste(event: ClipboardEvent): void {
  event.stopImmediatePropagation();
  event.preventDefault();
  buffer({ text: event.clipboardData?.getData('text/plain') ?? '' });
}

function onFocus({ target }: FocusEvent): void {
  if (replaying || !(target instanceof HTMLElement) || target.closest(DIALOG) === null) return;
  replaying = true;
  // The buffered keys are replayed a frame later, when the dialog is rendered and has moved the focus to its field.
  requestAnimationFrame(() => void replay());
}

function buffer(input: Input): void {
  const last = buffered?.at(-1);
  if ('text' in input && last !== undefined && 'text' in last) last.text += input.text;
  else buffered?.push(input);
}

/** Replays the buffered keys into the focused field in order, including keys typed during the replay. */
async function replay(): Promise<void> {
  const dialog = opened;
  try {
    for (let input = buffered?.[0]; input !== undefined; input = buffered?.[0]) {
      const { activeElement: field } = document;
      if (opened !== dialog || !(field instanceof HTMLElement) || field.closest(DIALOG) === null) return;
      buffered?.shift();
      // After an input that cannot be replayed, the rest is dropped, because it was meant for another element or choice.
      if (!perform(field, input)) return;
      // Waits until the page has rendered the previous input, because the effect of the next key may depend on it.
      await new Promise(requestAnimationFrame);
    }
  } finally {
    replaying = false;
    if (opened === dialog) dropBufferedTyping();
  }
}

/** Replays an input on the element with the focus. Returns false if its effect cannot be replayed. */
function perform(field: HTMLElement, input: Input): boolean {
  if ('press' in input) return press(field, input.press);
  if (isTextField(field)) {
    document.execCommand('insertText', false, input.text);
    return true;
  }
  // Elsewhere, the space presses buttons, and text chooses an option of a select. Other text has no effect.
  return !input.text.includes(' ') && !field.matches('[role="combobox"],select');
}

/** Replays a key press: handlers receive a synthetic event, and the browser's default action is performed here. */
function press(field: HTMLElement, original: KeyboardEvent): boolean {
  const { key, code, shiftKey, altKey, ctrlKey, metaKey } = original;
  const step = ARROW_STEPS[key];
  if (step !== undefined && isRadio(field) && !altKey) {
    chooseBeside(field, step);
    return true;
  }
  if (isTextField(field) || isSubmit(original)) {
    const init = { key, code, shiftKey, altKey, ctrlKey, metaKey, bubbles: true, cancelable: true, composed: true };
    const isHandled = !field.dispatchEvent(new KeyboardEvent('keydown', init));
    if (isHandled || isSubmit(original) || edit(field, key)) return true;
  }
  return !MOVES.test(key);
}

/** Performs what a key does in a text field by default. Returns false for keys that are not supported. */
function edit(field: HTMLElement, key: string): boolean {
  if (key === 'Backspace') document.execCommand('delete');
  else if (key === 'Delete') document.execCommand('forwardDelete');
  else if (key === 'Enter' && field instanceof HTMLTextAreaElement) document.execCommand('insertText', false, '\n');
  else if (key === 'Enter' && field instanceof HTMLInputElement) field.form?.requestSubmit();
  else if (key === 'End' && isTextField(field) && field.selectionEnd === field.value.length)
    field.setSelectionRange(field.value.length, field.value.length);
  else return false;
  return true;
}

/** Chooses the radio button that is `step` places after this one in its group. */
function chooseBeside(radio: HTMLInputElement, step: number): void {
  const group = [...document.querySelectorAll<HTMLInputElement>('input[type="radio"]:enabled')].filter(
    ({ name, form }) => name === radio.name && form === radio.form,
  );
  const next = group.at((group.indexOf(radio) + step) % group.length);
  next?.focus();
  next?.click();
}

/** Whether the key press runs the main action of a dialog (Ctrl or Command with Enter). */
function isSubmit({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'Enter' && (ctrlKey || metaKey);
}

function isTextField(element: Element): element is HTMLTextAreaElement | HTMLInputElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(?:radio|checkbox|button|submit)$/.test(element.type))
  );
}

function isRadio(element: Element): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.type === 'radio';
}

function isModifier(key: string): boolean {
  return /^(?:Shift|Control|Alt|AltGraph|Meta|CapsLock)$/.test(key);
}

/**
 * Whether the browser handles the press as a shortcut. False for AltGraph, which types characters, and for Ctrl+Enter,
 * which submits the form.
 */
function isCombination(event: KeyboardEvent): boolean {
  const { key, altKey } = event;
  if (event.getModifierState('AltGraph')) return false;
  const isControl = (event.ctrlKey || event.metaKey) && key !== 'Enter';
  return isControl || (altKey && /^[ -~]$/.test(key)) || /^F\d+$/.test(key);
}

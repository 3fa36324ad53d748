/**
 * Type-ahead: a dialog is loaded when it is first asked for. What is typed until it has the focus is held back, so that it
 * neither runs as shortcuts of the page nor gets lost, and goes into the dialog's field.
 */

/** A text that was typed or pasted, or the press of a key that is no text. */
type Input = { text: string } | { press: KeyboardEvent };

let held: Input[] | undefined;
let cancel = () => {};
/** Counts the dialogs that were asked for, since one can be opened out of another while typing is delivered. */
let asked = 0;
let delivering = false;

const DIALOG = '[role="dialog"],[role="alertdialog"]';

/** Holds back what is typed from now on until a dialog has the focus; Escape calls `onCancel` and drops it. */
export function holdTyping(onCancel: () => void): void {
  cancel = onCancel;
  asked += 1;
  if (held !== undefined) return;
  held = [];
  window.addEventListener('keydown', onKeyDown, true);
  window.addEventListener('keyup', onKeyUp, true);
  window.addEventListener('paste', onPaste, true);
  window.addEventListener('focusin', onFocus, true);
}

/** Drops what is held back; keys are the page's again. */
export function dropTyping(): void {
  if (held === undefined) return;
  held = undefined;
  window.removeEventListener('keydown', onKeyDown, true);
  window.removeEventListener('keyup', onKeyUp, true);
  window.removeEventListener('paste', onPaste, true);
  window.removeEventListener('focusin', onFocus, true);
}

function onKeyDown(event: KeyboardEvent): void {
  // Keys of an input method belong to the field in which it composes; those that are made up are delivered here.
  if (event.isComposing || !event.isTrusted) return;
  event.stopImmediatePropagation();
  const { key } = event;
  if (key === 'Escape') {
    event.preventDefault();
    cancel();
  } else if ([...key].length === 1 && !isCombination(event)) {
    event.preventDefault();
    hold({ text: key });
  } else if (!isModifier(key) && !isCombination(event)) {
    event.preventDefault();
    hold({ press: event });
  }
  // The others, such as Ctrl+R, stay the browser's; the one for the palette would open its search.
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
  hold({ text: event.clipboardData?.getData('text/plain') ?? '' });
}

function onFocus({ target }: FocusEvent): void {
  if (delivering || !(target instanceof HTMLElement) || target.closest(DIALOG) === null) return;
  delivering = true;
  // A frame later the dialog is drawn, and the focus is where it stays.
  requestAnimationFrame(() => void deliver());
}

function hold(input: Input): void {
  const last = held?.at(-1);
  if ('text' in input && last !== undefined && 'text' in last) last.text += input.text;
  else held?.push(input);
}

/** Puts what is held back into the field that has the focus, in order, and what is typed meanwhile behind it. */
async function deliver(): Promise<void> {
  const dialog = asked;
  try {
    for (let input = held?.[0]; input !== undefined; input = held?.[0]) {
      const { activeElement: field } = document;
      if (asked !== dialog || !isTextField(field) || field.closest(DIALOG) === null) return;
      held?.shift();
      if ('text' in input) document.execCommand('insertText', false, input.text);
      else press(field, input.press);
      // What a key does depends on what the text before it has changed on the page.
      await new Promise(requestAnimationFrame);
    }
  } finally {
    delivering = false;
    if (asked === dialog) dropTyping();
  }
}

/** Presses a key in a field: scripts take a made-up event, but what the browser does with the key is done here. */
function press(field: HTMLElement, original: KeyboardEvent): void {
  const { key, code, shiftKey, altKey, ctrlKey, metaKey } = original;
  const init = { key, code, shiftKey, altKey, ctrlKey, metaKey, bubbles: true, cancelable: true, composed: true };
  if (!field.dispatchEvent(new KeyboardEvent('keydown', init))) return;
  if (key === 'Backspace') document.execCommand('delete');
  else if (key === 'Enter' && field instanceof HTMLTextAreaElement) document.execCommand('insertText', false, '\n');
}

function isTextField(element: Element | null): element is HTMLElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(?:radio|checkbox|button|submit)$/.test(element.type))
  );
}

function isModifier(key: string): boolean {
  return /^(?:Shift|Control|Alt|AltGraph|Meta|CapsLock)$/.test(key);
}

/** With Control, Command or Alt, but not to write a character or to send a form. Function keys are the browser's too. */
function isCombination(event: KeyboardEvent): boolean {
  const { key, altKey } = event;
  if (event.getModifierState('AltGraph')) return false;
  const isControl = (event.ctrlKey || event.metaKey) && key !== 'Enter';
  return isControl || (altKey && /^[ -~]$/.test(key)) || /^F\d+$/.test(key);
}

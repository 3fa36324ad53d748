/**
 * Type-ahead for lazily loaded dialogs: keys pressed before the dialog has the focus are buffered instead of running as
 * page shortcuts, and then replayed into its field.
 */

/** Typed or pasted text, or a key press that produces no text. */
type Input = { text: string } | { press: KeyboardEvent };

let held: Input[] | undefined;
let cancel = () => {};
/** Counts opened dialogs, since one may open another while typing is replayed. */
let asked = 0;
let delivering = false;

const DIALOG = '[role="dialog"],[role="alertdialog"]';

/** Buffers typing until a dialog has the focus; Escape calls `onCancel` and drops the buffer. */
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

/** Drops the buffer and returns keys to the page. */
export function dropTyping(): void {
  if (held === undefined) return;
  held = undefined;
  window.removeEventListener('keydown', onKeyDown, true);
  window.removeEventListener('keyup', onKeyUp, true);
  window.removeEventListener('paste', onPaste, true);
  window.removeEventListener('focusin', onFocus, true);
}

function onKeyDown(event: KeyboardEvent): void {
  // IME keys belong to the composing field; untrusted events are the replayed ones.
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
  // Other combinations, such as Ctrl+R, stay with the browser; Ctrl+K would open its search.
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
  // A frame later the dialog is rendered and the focus has settled.
  requestAnimationFrame(() => void deliver());
}

function hold(input: Input): void {
  const last = held?.at(-1);
  if ('text' in input && last !== undefined && 'text' in last) last.text += input.text;
  else held?.push(input);
}

/** Replays the buffer into the focused field, in order, including what is typed meanwhile. */
async function deliver(): Promise<void> {
  const dialog = asked;
  try {
    for (let input = held?.[0]; input !== undefined; input = held?.[0]) {
      const { activeElement: field } = document;
      if (asked !== dialog || !isTextField(field) || field.closest(DIALOG) === null) return;
      held?.shift();
      if ('text' in input) document.execCommand('insertText', false, input.text);
      else press(field, input.press);
      // A key's effect may depend on rendering the text before it.
      await new Promise(requestAnimationFrame);
    }
  } finally {
    delivering = false;
    if (asked === dialog) dropTyping();
  }
}

/** Replays a key press: handlers see the synthetic event, the browser's default action is performed here. */
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

/**
 * Whether a press with Control, Command or Alt, or a function key, belongs to the browser. AltGraph writes characters,
 * and Ctrl+Enter submits.
 */
function isCombination(event: KeyboardEvent): boolean {
  const { key, altKey } = event;
  if (event.getModifierState('AltGraph')) return false;
  const isControl = (event.ctrlKey || event.metaKey) && key !== 'Enter';
  return isControl || (altKey && /^[ -~]$/.test(key)) || /^F\d+$/.test(key);
}

import type { Terminal } from '@xterm/xterm';

export interface InputGuardEvents {
  /** Called on Shift+Escape, to return the focus to the page. */
  onLeave(): void;
  onPaste(text: string): void;
  onScrollUp?(): void;
}

/**
 * Handles keys and gestures that must not reach the program: leaving the terminal, copying, pasting and touch
 * scrolling.
 */
export function attachInputGuards(terminal: Terminal, host: HTMLElement, events: InputGuardEvents): void {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key === 'Escape' && event.shiftKey) {
      if (event.type === 'keydown') events.onLeave();
      event.preventDefault();
      return false;
    }
    // The terminal leaves the find shortcut to the page. A read-only terminal also leaves `/` to the page.
    if (isFindShortcut(event) || (terminal.options.disableStdin === true && event.key === '/')) return false;
    const copies = event.ctrlKey && event.shiftKey && event.code === 'KeyC';
    if (!copies) return true;
    event.preventDefault();
    if (event.type === 'keydown') copy(terminal);
    return false;
  });
  host.addEventListener(
    'paste',
    (event) => {
      event.preventDefault();
      event.stopPropagation();
      events.onPaste(event.clipboardData?.getData('text/plain') ?? '');
    },
    true,
  );
  host.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && events.onScrollUp?.(), { passive: true });
  scrollByTouch(terminal, host);
}

/** Whether the key is Ctrl+Shift+F or Cmd+Shift+F, which opens the page's find bar. */
export function isFindShortcut(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.shiftKey && event.code === 'KeyF';
}

function copy(terminal: Terminal): void {
  const text = terminal.getSelection();
  if (text === '') return;
  // The clipboard API is missing on plain HTTP from another machine, but `execCommand` works there.
  if (navigator.clipboard === undefined) document.execCommand('copy');
  else void navigator.clipboard.writeText(text).catch(() => document.execCommand('copy'));
}

/** Adds touch scrolling, because xterm supports only the wheel and keys. */
function scrollByTouch(terminal: Terminal, host: HTMLElement): void {
  let last: number | undefined;
  let rest = 0;
  host.addEventListener(
    'touchstart',
    ({ touches }) => {
      last = touches.length === 1 ? touches[0]?.clientY : undefined;
      rest = 0;
    },
    { passive: true },
  );
  host.addEventListener(
    'touchmove',
    ({ touches }) => {
      const at = touches[0]?.clientY;
      if (last === undefined || at === undefined) return;
      rest += last - at;
      last = at;
      const screen = host.querySelector<HTMLElement>('.xterm-screen');
      const height = (screen?.offsetHeight ?? 0) / terminal.rows;
      const lines = height === 0 ? 0 : Math.trunc(rest / height);
      if (lines === 0) return;
      rest -= lines * height;
      terminal.scrollLines(lines);
    },
    { passive: true },
  );
}

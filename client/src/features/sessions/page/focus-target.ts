import type { RefObject } from 'react';
import type { TerminalFocus } from '../../../terminal/index.tsx';

/** Returns a ref for a terminal and a function that focuses the terminal, now or as soon as it mounts. */
export function createFocusTarget(): { ref: RefObject<TerminalFocus | null>; focus(): void } {
  let current: TerminalFocus | null = null;
  let wanted = false;
  return {
    ref: {
      get current() {
        return current;
      },
      set current(terminal) {
        current = terminal;
        if (terminal === null || !wanted) return;
        wanted = false;
        terminal.focus();
      },
    },
    focus() {
      if (current === null) wanted = true;
      else current.focus();
    },
  };
}

const FIRST = '\u0010';
const SECOND = '\u0011';

/** Names of the keys that detach, as shown to people. */
export const DETACH_KEYS = 'Ctrl-P Ctrl-Q';

/**
 * Returns a function that receives typed text, and returns the text to send and whether the detach keys were typed. The
 * first detach key is not sent until the next key is typed.
 */
export function createDetachKeys(): (typed: string) => { data: string; detaches: boolean } {
  let isFirstKeyPending = false;
  return (typed) => {
    const text = (isFirstKeyPending ? FIRST : '') + typed;
    const at = text.indexOf(FIRST + SECOND);
    if (at >= 0) return { data: text.slice(0, at), detaches: true };
    isFirstKeyPending = text.endsWith(FIRST);
    return { data: isFirstKeyPending ? text.slice(0, -1) : text, detaches: false };
  };
}

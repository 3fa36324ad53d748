import { useCallback, useEffect, useRef, useState } from 'react';

/** Delay in milliseconds between the last key press and the change of the URL. */
const PAUSE_MS = 120;

/**
 * Returns the text that a person types, a function that changes it, and a function that writes a text to the URL
 * without a delay. Text that comes into the URL from elsewhere, such as the palette or the browser's back button,
 * replaces the typed text.
 * @param inUrl the text in the URL, empty if there is none
 * @param write called to write a text to the URL
 */
export function useUrlText(inUrl: string, write: (text: string) => void) {
  const [typed, setTyped] = useState(inUrl);
  /** The text that was last written to the URL. Any other text in the URL comes from elsewhere. */
  const written = useRef(inUrl);
  const latest = useRef(write);
  latest.current = write;
  const writeNow = useCallback((text: string) => {
    written.current = text.trim() === '' ? '' : text;
    latest.current(written.current);
  }, []);
  useEffect(() => {
    if (inUrl === written.current) return;
    written.current = inUrl;
    setTyped(inUrl);
  }, [inUrl]);
  useEffect(() => {
    if (typed === written.current) return undefined;
    const timer = setTimeout(() => writeNow(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, writeNow]);
  return { typed, setTyped, writeNow };
}

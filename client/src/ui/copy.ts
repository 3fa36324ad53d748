import { toast } from './toasts.ts';

/**
 * Copies a text and shows a toast that names what was copied.
 * @param what name of the text, as within a sentence: `path`, `ID`
 */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ id: 'copied', kind: 'plain', title: `${what.charAt(0).toUpperCase()}${what.slice(1)} copied` });
  } catch {
    toast({ id: 'copied', kind: 'failed', title: `Could not copy ${what}`, text });
  }
}

import type { Key } from './keys.ts';

/** Characters of an answer that is typed out; more is no answer. */
const ANSWER_MAX = 100;

export interface Question<T> {
  /** Applies a key while the question waits: what to show, and the answer once there is one. */
  press(key: Key): { echo: string; answer?: T; rest?: string };
}

/** A yes-or-no question: one key `y` or `n`, or a typed word and Enter. A bare Enter means yes, as with real agents. */
export function createQuestion(): Question<boolean> {
  let typed = '';
  return {
    press(key) {
      if (key.type === 'text') {
        const answer = typed === '' ? letter(key.text[0]) : null;
        if (answer !== null) return { echo: '', answer, rest: key.text.slice(1) };
        typed = (typed + key.text).slice(0, ANSWER_MAX);
        return { echo: '' };
      }
      if (key.type === 'clear') typed = '';
      if (key.type === 'backspace') typed = typed.slice(0, -1);
      if (key.type !== 'enter') return { echo: '' };
      const word = typed.trim().toLowerCase();
      typed = '';
      if (word === '' || word === 'y' || word === 'yes') return { echo: '', answer: true };
      if (word === 'n' || word === 'no') return { echo: '', answer: false };
      return { echo: '\nplease answer y or n\n' };
    },
  };
}

/**
 * A person who types `yes` and Enter has answered with the `y`: what follows is the rest of the word and no new prompt.
 * Takes each later key and answers those that were meant otherwise, or null when it has ended with this key.
 */
export function createWordRest(answer: boolean): (key: Key) => { keys: Key[]; over: boolean } {
  const expected = answer ? 'es' : 'o';
  let held = '';
  return (key) => {
    if (key.type === 'enter' && (held === '' || held === expected)) return { keys: [], over: true };
    if (key.type === 'text' && expected.startsWith((held + key.text).toLowerCase())) {
      held += key.text;
      return { keys: [], over: false };
    }
    return { keys: held === '' ? [key] : [{ type: 'text', text: held }, key], over: true };
  };
}

function letter(text: string | undefined): boolean | null {
  if (text === 'y' || text === 'Y') return true;
  return text === 'n' || text === 'N' ? false : null;
}

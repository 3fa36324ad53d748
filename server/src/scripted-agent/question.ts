import type { Key } from './keys.ts';

/** Maximum length of an answer typed as a word. */
const ANSWER_MAX = 100;

export interface Question<T> {
  /** Applies a key while the question is open. Returns its echo, and the answer once there is one. */
  press(key: Key): { echo: string; answer?: T; rest?: string };
}

/**
 * Creates a yes-or-no question, answered with the key `y` or `n`, or a typed word and Enter. A bare Enter means yes, as
 * with real agents.
 */
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
 * Handles the rest of a typed word: a user who types `yes` and Enter has already answered with the `y`, so the rest is
 * not a new prompt. For each later key, returns the keys that were not part of the word, and whether the word is over.
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

/** Answers to a permission request, in the order shown. `always` applies until the program ends. */
export type Permission = 'yes' | 'always' | 'no';

const ANSWERS: readonly Permission[] = ['yes', 'always', 'no'];
/** Returns the question with its answers below. */
export function permissionText(tool: string, what: string): string {
  const head = what === '' ? `? Allow ${tool}` : `? Allow ${tool}: ${what}`;
  return [head, '  1. Yes', `  2. Yes, and always allow ${tool}`, '  3. No'].join('\n');
}

/**
 * Creates the question whether a tool may be used, answered with a single key, 1 to 3. A bare Enter means yes, as with
 * real agents.
 */
export function createPermission(): Question<Permission> {
  let typed = '';
  return {
    press(key) {
      if (key.type === 'text') {
        const answer = typed === '' ? ANSWERS[Number(key.text[0]) - 1] : undefined;
        if (answer !== undefined) return { echo: '', answer };
        typed = (typed + key.text).slice(0, ANSWER_MAX);
        return { echo: '' };
      }
      if (key.type === 'clear') typed = '';
      if (key.type === 'backspace') typed = typed.slice(0, -1);
      if (key.type !== 'enter') return { echo: '' };
      const given = typed.trim();
      typed = '';
      return given === '' ? { echo: '', answer: 'yes' } : { echo: '\nplease answer 1, 2 or 3\n' };
    },
  };
}

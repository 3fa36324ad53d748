import type { Key } from './keys.ts';

/** Maximum number of characters of an answer that the user types as a word and submits with Enter. */
const ANSWER_MAX = 100;

export interface Question<T> {
  /**
   * Applies a key while the user answers the question. Returns the text to echo and, once the answer is known, the
   * answer and the text after it (`rest`).
   */
  press(key: Key): { echo: string; answer?: T; rest?: string };
}

/**
 * Creates a yes-or-no question, answered with `y`, `n` or a word and Enter. Enter alone means yes, as in other agents.
 */
export function createQuestion(): Question<boolean> {
  return createTypedAnswer({
    byKey: (key) => letter(key),
    byWord(word) {
      if (word === '' || word === 'y' || word === 'yes') return true;
      return word === 'n' || word === 'no' ? false : undefined;
    },
    hint: 'y or n',
  });
}

/**
 * Creates a question. The first key answers it if `byKey` accepts this key. Otherwise, a word and Enter answer it.
 * `hint` lists the valid answers.
 */
function createTypedAnswer<T>(accepted: {
  byKey(key: string | undefined): T | undefined;
  byWord(word: string): T | undefined;
  hint: string;
}): Question<T> {
  let typed = '';
  return {
    press(key) {
      if (key.type === 'text') {
        const answer = typed === '' ? accepted.byKey(key.text[0]) : undefined;
        if (answer !== undefined) return { echo: '', answer, rest: key.text.slice(1) };
        typed = (typed + key.text).slice(0, ANSWER_MAX);
        return { echo: '' };
      }
      if (key.type === 'clear') typed = '';
      if (key.type === 'backspace') typed = typed.slice(0, -1);
      if (key.type !== 'enter') return { echo: '' };
      const answer = accepted.byWord(typed.trim().toLowerCase());
      typed = '';
      return answer === undefined ? { echo: `\nplease answer ${accepted.hint}\n` } : { echo: '', answer };
    },
  };
}

/**
 * Handles the rest of a typed word. The `y` of `yes` already answers the question, so `es` must not become a new
 * prompt. The returned function receives each key typed after `y` or `n`. It returns the keys that do not belong to the
 * word, and whether the word has ended.
 */
export function createWordRest(answer: boolean): (key: Key) => { keys: Key[]; over: boolean } {
  const expected = answer ? 'es' : 'o';
  let typedRest = '';
  return (key) => {
    if (key.type === 'enter' && (typedRest === '' || typedRest === expected)) return { keys: [], over: true };
    if (key.type === 'text' && expected.startsWith((typedRest + key.text).toLowerCase())) {
      typedRest += key.text;
      return { keys: [], over: false };
    }
    return { keys: typedRest === '' ? [key] : [{ type: 'text', text: typedRest }, key], over: true };
  };
}

function letter(text: string | undefined): boolean | undefined {
  if (text === 'y' || text === 'Y') return true;
  return text === 'n' || text === 'N' ? false : undefined;
}

/** Answers to a permission request, numbered from 1 in this order. `always` applies until the program ends. */
export type Permission = 'yes' | 'always' | 'no';

const ANSWERS: readonly Permission[] = ['yes', 'always', 'no'];
export function permissionText(tool: string, what: string): string {
  const head = what === '' ? `? Allow ${tool}` : `? Allow ${tool}: ${what}`;
  return [head, '  1. Yes', `  2. Yes, and always allow ${tool}`, '  3. No'].join('\n');
}

/**
 * Creates the question whether a tool may be used. The user types 1, 2 or 3. Enter alone means yes, as in other agents.
 */
export function createPermission(): Question<Permission> {
  return createTypedAnswer({
    byKey: (key) => ANSWERS[Number(key) - 1],
    byWord: (word) => (word === '' ? 'yes' : undefined),
    hint: '1, 2 or 3',
  });
}

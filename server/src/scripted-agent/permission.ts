import type { Question } from './question.ts';

/** What a person can say to the use of a tool, in the order shown; `always` holds until the program ends. */
export type Permission = 'yes' | 'always' | 'no';

const ANSWERS: readonly Permission[] = ['yes', 'always', 'no'];
/** Characters of an answer that is typed out; more is no answer. */
const ANSWER_MAX = 100;

/** The question as it is shown, with its answers below. */
export function permissionText(tool: string, what: string): string {
  const head = what === '' ? `? Allow ${tool}` : `? Allow ${tool}: ${what}`;
  return [head, '  1. Yes', `  2. Yes, and always allow ${tool}`, '  3. No'].join('\n');
}

/** Asks whether a tool may be used: one key, 1 to 3. A bare Enter means yes, as with real agents. */
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

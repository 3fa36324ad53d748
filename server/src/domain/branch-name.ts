import { branchNameProblem } from '@agent-console/shared/ref-name';

/** Words of a generated branch name; more says little and makes paths long. */
const MAX_WORDS = 6;
const MAX_CHARS = 48;
const FILLER = new Set([
  'a',
  'an',
  'the',
  'to',
  'of',
  'in',
  'on',
  'for',
  'and',
  'or',
  'with',
  'please',
  'this',
  'that',
  'is',
  'it',
  'at',
  'into',
]);

/** A branch name made from the first line of a prompt that says something, e.g. `ac/add-login-form`. */
export function branchFromPrompt(prompt: string): string {
  const line = prompt.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  const words = line
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !FILLER.has(word))
    .slice(0, MAX_WORDS);
  const slug = words.join('-').slice(0, MAX_CHARS).replace(/-+$/, '');
  const name = `ac/${slug === '' ? 'task' : slug}`;
  return branchNameProblem(name) === null ? name : 'ac/task';
}

/** The name itself, or with the first number from 2 on that nobody has. */
export async function firstFreeName(name: string, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!(await isTaken(candidate))) return candidate;
  }
}

/** What may stand round a name that an agent was asked for: marks of code, emphasis or quoting, and a full stop. */
const DRESSED = /^[`'"*]*(?:ac\/)?(.*?)[`'"*.]*$/;
const ANSWERED = /^[a-z0-9][a-z0-9/-]{1,48}[a-z0-9]$/;

/**
 * The branch name in an agent's answer, e.g. `ac/fix-login`, or null when its last line is anything but one name of 3 to
 * 50 letters, digits, `-` and `/`. An agent may answer whatever the prompt makes it say, so nothing is mended: slashes
 * alone become `-`, since a name that is a folder of another could not be made.
 */
export function branchFromAnswer(answer: string): string | null {
  const last = answer
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/^`+$/.test(line));
  const said = DRESSED.exec(last ?? '')?.[1]?.toLowerCase() ?? '';
  if (!ANSWERED.test(said) || !/[a-z]/.test(said)) return null;
  const name = `ac/${said.replaceAll(/[/-]+/g, '-')}`;
  return branchNameProblem(name) === null ? name : null;
}

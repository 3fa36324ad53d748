import { branchNameProblem } from '@agent-console/shared/ref-name';

/**
 * Maximum number of words in a generated branch name. Worktree paths contain the name, so more words would only make
 * the paths longer.
 */
const MAX_WORDS = 6;
const MAX_CHARS = 48;
const FILLER = new Set('a an the to of in on for and or with please this that is it at into'.split(' '));

/**
 * Returns a branch name derived from the first line of the prompt that contains letters or digits, e.g.
 * `ac/add-login-form`.
 */
export function branchFromPrompt(prompt: string): string {
  const line = prompt.split('\n').find((each) => /[\p{L}\p{N}]/u.test(each)) ?? '';
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

/** Returns the name if it is free. Otherwise returns the name with the lowest free number as suffix, starting at 2. */
export async function firstFreeName(name: string, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!(await isTaken(candidate))) return candidate;
  }
}

/**
 * Captures a name without a leading `ac/`, a trailing full stop, and surrounding quotation marks, backticks and
 * asterisks.
 */
const UNWRAPPED = /^[`'"*]*(?:ac\/)?(.*?)[`'"*.]*$/;
const VALID_ANSWER = /^[a-z0-9][a-z0-9/-]{1,48}[a-z0-9]$/;

/**
 * Returns the branch name in the last line of an agent's answer, e.g. `ac/fix-login`. Returns null if this line is
 * anything but a single valid name, because an untrusted prompt can influence the answer. Slashes become `-`, because
 * git cannot create the branch `a/b` if there is a branch `a`.
 */
export function branchFromAnswer(answer: string): string | null {
  const last = answer
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/^`+$/.test(line));
  const candidate = UNWRAPPED.exec(last ?? '')?.[1]?.toLowerCase() ?? '';
  if (!VALID_ANSWER.test(candidate) || !/[a-z]/.test(candidate)) return null;
  const name = `ac/${candidate.replaceAll(/[/-]+/g, '-')}`;
  return branchNameProblem(name) === null ? name : null;
}

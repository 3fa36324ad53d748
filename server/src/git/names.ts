import { ConsoleError } from '@agent-console/shared/errors';
import { branchNameProblem } from '@agent-console/shared/ref-name';

/** Why `name` cannot be a branch, or null. Lone surrogates have no UTF-8 form and would become another name. */
function problemOf(name: string): string | null {
  if (Buffer.from(name).toString() !== name) return 'contains characters that are not Unicode text';
  return branchNameProblem(name);
}

/** Whether git takes this as a branch name and we do; see `branchNameProblem` for the rules. */
export function validBranchName(name: string): boolean {
  return problemOf(name) === null;
}

/** @throws VALIDATION naming the rule that the branch name breaks. */
export function requireBranchName(name: string): void {
  const problem = problemOf(name);
  if (problem !== null)
    throw new ConsoleError('VALIDATION', `Branch name ${problem}. Choose another name.`, { branch: name });
}

/** @throws VALIDATION for words that git could read as an option or as several lines. */
export function requireCommitish(words: string): void {
  if (words === '' || words.startsWith('-') || /[\x00-\x1f\x7f]/.test(words)) {
    const message =
      'The base must name a branch, tag or commit and cannot be empty, begin with "-" or hold control characters.';
    throw new ConsoleError('VALIDATION', message, { base: words });
  }
}

/** A full commit id in SHA-1 or SHA-256. */
export function isObjectId(words: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(words);
}

import { ConsoleError } from '@agent-console/shared/errors';
import { branchNameProblem } from '@agent-console/shared/ref-name';

/**
 * Returns the reason why a branch name is invalid, or null. A lone surrogate has no UTF-8 encoding, so git would
 * receive a different name.
 */
function problemOf(name: string): string | null {
  if (Buffer.from(name).toString() !== name) return 'contains an invalid Unicode character';
  return branchNameProblem(name);
}

/** Whether both git and the console accept this branch name. `branchNameProblem` defines the rules. */
export function validBranchName(name: string): boolean {
  return problemOf(name) === null;
}

/** @throws VALIDATION naming the rule that the branch name violates. */
export function requireBranchName(name: string): void {
  const problem = problemOf(name);
  if (problem !== null)
    throw new ConsoleError('VALIDATION', `The branch name ${problem}. Choose another name.`, { branch: name });
}

/** @throws VALIDATION for a commit-ish that git could parse as an option or as several lines. */
export function requireCommitish(commitish: string): void {
  if (commitish === '' || commitish.startsWith('-') || /[\x00-\x1f\x7f]/.test(commitish)) {
    const message =
      'The base must name a branch, tag or commit and cannot be empty, begin with "-" or contain control characters.';
    throw new ConsoleError('VALIDATION', message, { base: commitish });
  }
}

/** Whether the text is a full commit id in SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

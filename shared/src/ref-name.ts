import * as v from 'valibot';

/**
 * Returns the reason why a branch name is invalid, or null. The rules are those of `git check-ref-format` (its manual,
 * points 1 to 9) for `refs/heads/<name>`. Also invalid are `HEAD`, names of more than 200 bytes, and names that begin
 * with `-`, which a command could parse as options.
 */
export function branchNameProblem(name: string): string | null {
  if (name === '') return 'is empty';
  if (new TextEncoder().encode(name).length > 200) return 'is longer than 200 bytes';
  if (name === 'HEAD' || name === '@') return `cannot be "${name}"`;
  if (name.startsWith('-')) return 'cannot begin with "-"';
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//')) return 'has an empty part between slashes';
  if (name.endsWith('.')) return 'cannot end with "."';
  if (name.includes('..')) return 'cannot contain ".."';
  if (name.includes('@{')) return 'cannot contain "@{"';
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name)) return 'contains a space, a control character or one of ~ ^ : ? * [ \\';
  if (name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))) {
    return 'has a part that begins with "." or ends with ".lock"';
  }
  return null;
}

/** A branch name that git accepts, without `refs/heads/`. */
export const BranchName = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    // git accepts `refs/heads/main`, but means `refs/heads/refs/heads/main`.
    const isFullName = dataset.value.startsWith('refs/heads/');
    const problem = isFullName ? 'cannot begin with "refs/heads/"; omit it' : branchNameProblem(dataset.value);
    if (problem !== null) addIssue({ message: `branch name ${problem}` });
  }),
  v.description('Name of a branch, without refs/heads/'),
);

/** A name of a commit: a branch, tag, remote ref or commit id. git resolves it. */
export const Commitish = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(300),
  v.regex(
    /^[^\x00-\x20\x7f\\:?*[]+$/,
    'must be a branch, tag or commit, without spaces, control characters or any of \\ : ? * [',
  ),
  v.regex(/^[^-]/, 'must be a branch, tag or commit, which cannot begin with "-"'),
  v.regex(/^(?!.*\.\.)/, 'must be one branch, tag or commit, not a range with ".."'),
);

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Git, TrackedFile } from '../ports/git.ts';
import { withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { createFileMatcher } from './file-match.ts';
import { errorCode } from './files.ts';
import { displayPath, readEntries } from './status.ts';

const KINDS: Readonly<Record<string, TrackedFile['kind']>> = { '120000': 'link', '160000': 'submodule' };

/**
 * Returns a page of the files that git tracks in a worktree, below a folder or file `under`: in git's order or, with a
 * query, the files whose paths match it, best first.
 * @throws PERMISSION_DENIED when `under` is outside the worktree, directly or through a link; NOT_FOUND when it does
 * not exist.
 */
export async function trackedFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  page: Parameters<Git['files']>[1],
): ReturnType<Git['files']> {
  const under = await resolveInside(checkout.path, page.under);
  const args = ['ls-files', '--cached', '--stage', '-z', '--', ...(under === '' ? [] : [`:(top,literal)${under}`])];
  const files: TrackedFile[] = [];
  const matcher = page.query === '' ? null : createFileMatcher(page.query);
  let total = 0;
  let last = '';
  const onStdout = readEntries((entry) => {
    const [, mode = '', name = ''] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(entry) ?? [];
    // A file in conflict has one entry for each stage, of which only the first is used.
    if (name === last) return;
    last = name;
    const kind = KINDS[mode] ?? 'file';
    if (matcher !== null) matcher.add({ path: displayPath(name), kind });
    else if (total >= page.skip && files.length < page.limit) files.push({ path: displayPath(name), kind });
    total += 1;
  });
  await withView(context, checkout, (view) => view.run(args, { onStdout }));
  return matcher === null ? { total, files } : matcher.page(page.skip, page.limit);
}

/** Resolves the links in a path. Returns the path relative to the worktree. */
async function resolveInside(worktreePath: string, under: string): Promise<string> {
  const outside = () =>
    new ConsoleError('PERMISSION_DENIED', `${under} is outside the worktree. Pass a path inside it.`, { path: under });
  if (path.isAbsolute(under) || under.split('/').includes('..')) throw outside();
  const root = await realpath(worktreePath);
  const target = path.join(root, under);
  try {
    const real = await realpath(target);
    if (real !== root && !real.startsWith(`${root}/`)) throw outside();
    return path.relative(root, real);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
      throw new ConsoleError('NOT_FOUND', `${under} does not exist in the worktree. Check the path.`, { path: under });
    }
    if (code === 'ELOOP') throw outside();
    throw error;
  }
}

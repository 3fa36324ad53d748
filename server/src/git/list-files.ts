import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Git, WorktreeFile } from '../ports/git.ts';
import { type CheckoutView, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { createFileMatcher } from './file-match.ts';
import { errorCode } from './files.ts';
import { checkoutError } from './layout.ts';
import { displayPath, readEntries } from './status.ts';

const KINDS: Readonly<Record<string, WorktreeFile['kind']>> = { '120000': 'link', '160000': 'submodule' };

/**
 * Whether `path` comes before `other` in git's order, which compares the bytes of paths. False if `path` is undefined.
 * Strings decoded as latin1 sort like their bytes.
 */
const before = (path: string | undefined, other: string) => path !== undefined && path < other;

/**
 * Returns a page of the files that git tracks at or below `under`, in git's order. With a query, only files whose paths
 * match it, best first. With `untracked`, also files that are neither tracked nor ignored, except those of nested
 * repositories.
 * @throws PERMISSION_DENIED when `under` is outside the worktree, directly or through a link; NOT_FOUND when it does
 * not exist, or the worktree is gone.
 */
export async function listFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  page: Parameters<Git['files']>[1],
): ReturnType<Git['files']> {
  const under = await resolveInside(checkout.path, page.under);
  const pathspec = ['--', ...(under === '' ? [] : [`:(top,literal)${under}`])];
  const files: WorktreeFile[] = [];
  const matcher = page.query === '' ? null : createFileMatcher(page.query);
  let total = 0;
  const add = (name: string, kind: WorktreeFile['kind'], tracked: boolean) => {
    const file = { path: displayPath(name), kind, tracked };
    if (matcher !== null) matcher.add(file);
    else if (total >= page.skip && files.length < page.limit) files.push(file);
    total += 1;
  };
  await withView(context, checkout, async (view) => {
    const untracked = page.untracked ? await untrackedFiles(view, pathspec) : [];
    let next = 0;
    let last = '';
    const onStdout = readEntries((entry) => {
      const [, mode = '', name = ''] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(entry) ?? [];
      // A file in conflict has one entry for each stage, of which only the first is used.
      if (name === last) return;
      last = name;
      for (; before(untracked[next], name); next += 1) add(untracked[next] ?? '', 'file', false);
      add(name, KINDS[mode] ?? 'file', true);
    });
    await view.run(['ls-files', '--cached', '--stage', '-z', ...pathspec], { onStdout });
    for (const name of untracked.slice(next)) add(name, 'file', false);
  });
  const found = matcher === null ? { total, files } : matcher.page(page.skip, page.limit);
  return { ...found, files: await Promise.all(found.files.map((file) => withKind(checkout.path, file))) };
}

async function untrackedFiles(view: CheckoutView, pathspec: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const onStdout = readEntries((name) => {
    // A path that ends in a slash is a nested repository or worktree, whose files are not part of this worktree.
    if (!name.endsWith('/')) found.push(name);
  });
  await view.run(['ls-files', '--others', '--exclude-standard', '-z', ...pathspec], { onStdout });
  return found;
}

/** Finds out whether an untracked file is a symbolic link, because git reports only its name. */
async function withKind(root: string, file: WorktreeFile): Promise<WorktreeFile> {
  if (file.tracked) return file;
  const found = await lstat(path.join(root, file.path)).catch(() => null);
  return found?.isSymbolicLink() ? { ...file, kind: 'link' } : file;
}

/** Resolves the links in a path. Returns the path relative to the worktree. */
async function resolveInside(worktreePath: string, under: string): Promise<string> {
  const outside = () =>
    new ConsoleError('PERMISSION_DENIED', `${under} is outside the worktree. Pass a path inside it.`, { path: under });
  if (path.isAbsolute(under) || under.split('/').includes('..')) throw outside();
  const root = await realpath(worktreePath).catch((error: unknown) => {
    throw checkoutError(error, worktreePath);
  });
  if (under === '') return '';
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

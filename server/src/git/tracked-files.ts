import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Checkout, TrackedFile } from '../ports/git.ts';
import { withView } from './checkout-view.ts';
import type { GitContext } from './context.ts';
import { errorCode } from './files.ts';
import { shown } from './status.ts';

const KINDS: Readonly<Record<string, TrackedFile['kind']>> = { '120000': 'link', '160000': 'submodule' };

/**
 * Lists what git tracks in a worktree, in git's order, one page of it. `under` is a folder or file inside it.
 * @throws PERMISSION_DENIED when `under` leads out of the worktree, by itself or through a link; NOT_FOUND when nothing
 * is there.
 */
export async function trackedFiles(
  context: GitContext,
  checkout: Checkout,
  page: { under: string; skip: number; limit: number },
): Promise<{ total: number; files: TrackedFile[] }> {
  const under = await inside(checkout.path, page.under);
  const args = ['ls-files', '--cached', '--stage', '-z', '--', ...(under === '' ? [] : [`:(top,literal)${under}`])];
  const files: TrackedFile[] = [];
  let total = 0;
  let rest = '';
  let last = '';
  const take = (entry: string) => {
    const [, mode = '', name = ''] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(entry) ?? [];
    // A file in conflict stands there once for each side.
    if (name === last) return;
    last = name;
    if (total >= page.skip && files.length < page.limit) files.push({ path: shown(name), kind: KINDS[mode] ?? 'file' });
    total += 1;
  };
  await withView(context, checkout, (view) =>
    view.run(args, {
      onStdout: (chunk) => {
        const entries = (rest + chunk.toString('latin1')).split('\0');
        rest = entries.pop() ?? '';
        for (const entry of entries) take(entry);
      },
    }),
  );
  return { total, files };
}

/** The path below the worktree that a path in it means, with links resolved. */
async function inside(worktreePath: string, under: string): Promise<string> {
  const outside = () =>
    new ConsoleError('PERMISSION_DENIED', `${under} leads out of the worktree; name a path inside it.`, {
      path: under,
    });
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
      throw new ConsoleError('NOT_FOUND', `There is no ${under} in the worktree.`, { path: under });
    }
    if (code === 'ELOOP') throw outside();
    throw error;
  }
}

import { join } from 'node:path';
import { openBrowser, scroll, typeAndDelete } from '../support/browser.mjs';
import { register } from '../support/first-session.mjs';
import { startConsole } from '../support/product.mjs';
import { git, makeRepository } from '../support/repository.mjs';
import { measureView } from '../support/views.mjs';

/** Smallest number of worktrees for which the page has a filter. */
const FEW = 11;
const MANY = 300;
const LIST = 'main ul.overflow-y-auto';

/** Adds a repository with this many worktrees, which are created with git. */
async function repositoryWith(console, count) {
  const folder = join(console.folder, `with-${count}`);
  const path = join(folder, 'repository');
  await makeRepository(path, 10);
  for (let n = 1; n < count; n += 1) {
    await git(path, 'worktree', 'add', '--quiet', '-b', `part-${n}`, join(folder, `worktree-${n}`));
  }
  const { id } = await register(console, path);
  return { console, path: `/repositories/${id}` };
}

/** Row 25 of the results: how fast the dashboard shows 300 worktrees of one repository. */
export async function measureWorktrees({ product, quick }) {
  const opened = await openBrowser(25);
  if (opened === undefined) return [];
  const console = await startConsole(product);
  const [small, large] = [await repositoryWith(console, FEW), await repositoryWith(console, MANY)];
  const rows = await measureView({
    browser: opened.browser,
    name: `${MANY} worktrees of a repository`,
    large,
    small,
    against: `${FEW} worktrees`,
    row: `${LIST} > li[aria-posinset]`,
    rounds: quick ? 1 : 3,
    actions: {
      scrolling: (page) => scroll(page, LIST, 30),
      'typing a filter': async (page) => {
        await page.getByLabel('Filter worktrees').focus();
        await typeAndDelete(page, 'part-7');
      },
    },
  });
  await opened.close();
  await console.close();
  return rows;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, painted, scroll, typeAndDelete } from '../support/browser.mjs';
import { register } from '../support/first-session.mjs';
import { startConsole } from '../support/product.mjs';
import { makeRepository } from '../support/repository.mjs';
import { measureView } from '../support/views.mjs';

const [FEW, MANY] = [10, 500];
const LINES = 120;
const LINES_OF_DIFF = 'section[aria-label=Changes]';

/** Returns the text of a source file. With `isChanged`, every third line differs from the original. */
function programText(file, isChanged) {
  const lines = Array.from({ length: LINES }, (_, n) => {
    const value = isChanged && n % 3 === 0 ? `read(${n}, { file: ${file} })` : `${n} * ${file}`;
    return `export const step${n} = (read: (n: number) => string) => ${value}; // step ${n}`;
  });
  return `${lines.join('\n')}\n`;
}

const write = (path, file, isChanged) =>
  writeFileSync(join(path, `part-${file % 20}-${file}.ts`), programText(file, isChanged));

async function sessionWithChanges(console, count) {
  const path = join(console.folder, `with-${count}`);
  mkdirSync(path);
  const writeAll = (isChanged) => {
    for (let file = 0; file < count; file += 1) write(path, file, isChanged);
  };
  writeAll(false);
  await makeRepository(path, 0);
  writeAll(true);
  const { worktreeId } = await register(console, path);
  const session = { worktreeId, agentId: console.agentId, title: `${count} changed files` };
  return console.api.call('POST', '/sessions', session);
}

/** Row 23 of the results: how fast the dashboard shows the diff of 500 files. */
export async function measureDiff({ product, quick }) {
  const opened = await openBrowser(23);
  if (opened === undefined) return [];
  const console = await startConsole(product);
  const [small, large] = [await sessionWithChanges(console, FEW), await sessionWithChanges(console, MANY)];
  const view = ({ id }) => ({ console, path: `/sessions/${id}?view=diff` });
  const rows = await measureView({
    browser: opened.browser,
    name: `diff of ${MANY} files`,
    large: view(large),
    small: view(small),
    against: `${FEW} files`,
    row: `${LINES_OF_DIFF} .contain-strict`,
    rounds: quick ? 1 : 3,
    actions: {
      scrolling: (page) => scroll(page, LINES_OF_DIFF, 30),
      'next file, ten times': async (page) => {
        for (let step = 0; step < 10; step += 1) {
          await page.keyboard.press('j');
          await painted(page);
        }
      },
      'typing a filter': async (page) => {
        await page.getByLabel('Filter files').focus();
        await typeAndDelete(page, 'part-7');
      },
    },
  });
  await opened.close();
  await console.close();
  return rows;
}

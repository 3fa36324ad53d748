import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** The source of axe. It is minified, because each page has to parse it. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose result depends on the theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Returns the serious and critical findings of axe on a page: each rule with the elements that violate it. */
export function seriousFindings(page: Page): Promise<string[]> {
  return run(page, {});
}

/**
 * Like `seriousFindings`, but only for the rules in `COLOURS`. For a page that was already examined in another theme.
 */
export function colourFindings(page: Page): Promise<string[]> {
  return run(page, { runOnly: COLOURS });
}

async function run(page: Page, options: RunOptions): Promise<string[]> {
  // `evaluate` is not subject to the page's content security policy, unlike a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  return page.evaluate(
    async (given) => {
      // biome-ignore lint/suspicious/noExplicitAny: defined by the script above
      const { violations } = await (window as any).axe.run(given);
      return violations
        .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
        .map(
          ({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
            `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
        );
    },
    { ...options, resultTypes: ['violations'], preload: false } as RunOptions,
  );
}

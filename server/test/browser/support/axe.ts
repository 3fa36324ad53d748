import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the serious and critical findings of axe on a page: each rule with the elements it is about. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // `evaluate` is not subject to the page's content security policy, unlike a script element.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: defined by the script above
    const { violations } = await (window as any).axe.run();
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
          `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
      );
  });
}

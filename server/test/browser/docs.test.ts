import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { colourFindings, seriousFindings } from './support/axe.ts';
import { loginLink } from './support/browser.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('the API page', {}, ({ c, visit }) => {
  const blockOf = (page: Page, operation: string) => page.locator(`[id="${operation}"]`);

  it('shows every operation without requests to other hosts, and leads back to the dashboard', async () => {
    const { page } = await visit();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!/^http:\/\/127\.0\.0\.1:/.test(request.url())) elsewhere.push(request.url());
    });
    await page.goto(`${c.baseUrl}/api/docs`);
    await page.locator('details.operation').first().waitFor();
    const shown = await page.locator('details.operation').evaluateAll((all) => all.map(({ id }) => id));
    expect(shown).toEqual(expect.arrayContaining(CONTRACTS.map(({ name }) => name)));
    // The browser's own search finds path and summary of an operation even if the operation is collapsed.
    for (const text of ['/api/tokens/revoke-logins', 'Revoke a token at once']) {
      expect(await page.evaluate((wanted) => window.find(wanted, false, false, true), text)).toBe(true);
    }
    expect(await page.locator('#who').textContent()).toContain('npx agent-console open');
    await page.getByRole('searchbox').fill('revoke');
    await expect.poll(() => page.locator('details.operation:visible').count()).toBe(3);
    expect(await page.getByRole('link', { name: 'Dashboard' }).getAttribute('href')).toBe('/');
    expect(elsewhere).toEqual([]);
  });

  it('has no findings of axe in light and dark, also with an open operation', async () => {
    const { page, screenshot } = await visit();
    await page.goto(`${c.baseUrl}/api/docs#/delegations/delegations.create`);
    const block = blockOf(page, 'delegations.create');
    await block.getByRole('button', { name: 'Send' }).waitFor();
    expect(await block.getByRole('region', { name: /^curl/ }).textContent()).toContain(
      `curl -s -X POST ${c.baseUrl}/api/delegations`,
    );
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot('api-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourFindings(page)).toEqual([]);
    await screenshot('api-dark');
  });

  it('calls the API with the token of the dashboard', async () => {
    const { page } = await visit();
    await page.goto(await loginLink(c));
    await page.waitForFunction(() => localStorage.getItem('agent-console.token') !== null);
    const token = await page.evaluate(() => localStorage.getItem('agent-console.token'));
    await page.goto(`${c.baseUrl}/api/docs#system.status`);
    const status = blockOf(page, 'system.status');
    await status.getByRole('button', { name: 'Send' }).click();
    await status.getByText(/^200 in/).waitFor();
    expect(await status.getByRole('region', { name: /^Response of/ }).textContent()).toContain('"repositories"');
    expect(await page.locator('body').textContent()).not.toContain(token);
  });
});

declare global {
  interface Window {
    /**
     * Selects the next match after the selection, and returns whether there is one. `backwards` searches before the
     * selection instead. `wraps` continues at the other end of the page.
     */
    find(text: string, caseSensitive: boolean, backwards: boolean, wraps: boolean): boolean;
  }
}

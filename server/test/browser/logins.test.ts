import { expect, it } from 'vitest';
import { loginLink } from './support/browser.ts';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// Chromium logs the error responses to a browser that was logged out.
browserSuite('the logins in the settings', { allowed: /401/ }, ({ c, open }) => {
  it('identify this browser, and log out all others at once', async () => {
    await c.client.call('tokens.create', { name: 'nightly script' });
    const first = await open({ path: '/tokens' });
    const second = await open({ path: '/tokens' });
    const third = await open({ path: '/tokens', dark: true });
    const logins = (page: typeof first.page) => page.getByRole('region', { name: 'Logins' });
    await expect.poll(() => logins(third.page).getByRole('listitem').count(), POLL).toBe(3);
    const [own, ...others] = await logins(third.page).getByRole('listitem').allTextContents();
    expect(own).toMatch(/^This browser.*in use.*expires .* if not used/);
    for (const other of others) expect(other).toMatch(/^Another browser.*logged in .*(last used|never used)/);
    const tokens = third.page.getByRole('region', { name: 'Tokens' });
    expect(await tokens.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^nightly script.*read, write.*never used.*does not expire/),
    ]);
    await logins(third.page).scrollIntoViewIfNeeded();
    await third.screenshot('logins');
    await first.page.reload();
    await logins(first.page).getByText('This browser').waitFor();
    await logins(first.page).getByRole('button', { name: 'Log out all other browsers…' }).click();
    await logins(first.page).scrollIntoViewIfNeeded();
    await first.screenshot('logins-confirm');
    await logins(first.page).getByRole('button', { name: 'Log out 2 other browsers' }).click();
    await expect.poll(() => logins(first.page).getByRole('listitem').count(), POLL).toBe(1);
    expect(await logins(first.page).getByRole('button', { name: 'Log out all other browsers…' }).count()).toBe(0);
    // The server closes the connections of the other pages, which then notice that they were logged out.
    for (const { page } of [second, third])
      await page
        .getByText(/agent-console open/)
        .first()
        .waitFor();
    expect(first.problems).toEqual([]);
    await second.page.goto(await loginLink(c, '/tokens'));
    await expect.poll(() => logins(second.page).getByRole('listitem').count(), POLL).toBe(2);
  });
});

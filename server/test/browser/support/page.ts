import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a page comes to show by itself. */
export const PATIENCE = { timeout: 40_000, interval: 30 };

/** The row of a session in the tree. */
export function rowOf(page: Page, title: string): Locator {
  return page.getByRole('treeitem', { name: new RegExp(`^${title}, `) });
}

/** Opens a session from the tree and waits for its page; a long tree is filtered first. */
export async function openSession(page: Page, title: string): Promise<void> {
  await rowOf(page, title).click();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
}

/** The terminal that is shown. */
export function terminalOf(page: Page): Locator {
  return page.locator('.xterm:visible');
}

/** What the terminal shows now, line by line. */
export async function screenText(page: Page): Promise<string> {
  const lines = await terminalOf(page).locator('.xterm-rows > div').allTextContents();
  return lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).join('\n');
}

/** Waits until the terminal shows a text. */
export async function untilScreen(page: Page, text: string): Promise<void> {
  await expect.poll(async () => `${await screenText(page)}\n`, PATIENCE).toContain(text);
}

/** Waits until a shell is ready for a command. */
export async function untilPrompt(page: Page): Promise<void> {
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/[$#]\s*$/);
}

/** Types into whatever has the focus, with an Enter. */
export async function typeLine(page: Page, text: string): Promise<void> {
  await page.keyboard.type(`${text}\r`);
}

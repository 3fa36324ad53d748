import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Polling options for changes that the page shows without further input. */
export const POLL = { timeout: 40_000, interval: 30 };

export function rowOf(page: Page, title: string): Locator {
  return page.getByRole('treeitem', { name: new RegExp(`^${title}, `) });
}

export async function openSession(page: Page, title: string): Promise<void> {
  await rowOf(page, title).click();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
}

export function terminalOf(page: Page): Locator {
  return page.locator('.xterm:visible');
}

export async function screenText(page: Page): Promise<string> {
  const lines = await terminalOf(page).locator('.xterm-rows > div').allTextContents();
  return lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).join('\n');
}

/** Waits until the visible terminal contains a text. */
export async function untilScreen(page: Page, text: string): Promise<void> {
  await expect.poll(async () => `${await screenText(page)}\n`, POLL).toContain(text);
}

export async function untilPrompt(page: Page): Promise<void> {
  await expect.poll(() => screenText(page), POLL).toMatch(/[$#]\s*$/);
}

/** Waits until an element has the focus. A dialog focuses its first field only after it has rendered it. */
export async function untilFocused(element: Locator): Promise<void> {
  await expect.poll(() => hasFocus(element), POLL).toBe(true);
}

export function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each === document.activeElement);
}

export async function typeLine(page: Page, text: string): Promise<void> {
  await page.keyboard.type(`${text}\r`);
}

/**
 * Presses the keys of a sequence without waiting in between. With waits, the keys could be too far apart on a slow
 * machine.
 */
export async function pressTogether(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/**
 * Number of heap snapshots after which a text counts as kept in memory. Each can take several seconds on a slow
 * machine.
 */
const SNAPSHOTS_MAX = 4;

/**
 * Expects that a text is not in the memory of a page. Goes back and forward, because React may keep the state of the
 * previous render in memory.
 */
export async function expectForgotten(page: Page, text: string): Promise<void> {
  for (let taken = 0; taken < SNAPSHOTS_MAX; taken += 1) {
    await page.goBack();
    await page.goForward();
    if (!(await isInMemory(page, text))) return;
  }
  throw new Error(`“${text}” is still in the memory of the page.`);
}

/** Whether a text is in the memory of a page, after garbage was collected. */
export async function isInMemory(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  let snapshot = '';
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    snapshot += chunk;
  });
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot');
  await session.detach();
  return snapshot.includes(text);
}

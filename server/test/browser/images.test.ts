import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { png } from '../support/images.ts';
import { seriousFindings } from './support/axe.ts';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// Chromium logs the refusal of a file that is not an image.
browserSuite('images of prompts', { allowed: /status of 400/ }, (suite) => {
  const { c, open } = suite;

  const transfer = (to: Locator, type: 'paste' | 'drop', image: Buffer) =>
    to.evaluate(
      (element, { kind, data }) => {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        const items = new DataTransfer();
        items.items.add(new File([bytes], 'screenshot.png', { type: 'image/png' }));
        const options = { bubbles: true, cancelable: true };
        element.dispatchEvent(
          kind === 'paste'
            ? new ClipboardEvent('paste', { ...options, clipboardData: items })
            : new DragEvent('drop', { ...options, dataTransfer: items }),
        );
      },
      { kind: type, data: image.toString('base64') },
    );
  const isDecoded = (image: Locator) => image.evaluate((node) => (node as HTMLImageElement).naturalWidth);

  it('are pasted, dropped or chosen, removed, sent, and shown in the conversation', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted-acp', title: 'look' });
    const { page, screenshot } = await open({ path: `/sessions/${id}` });
    const field = page.getByRole('textbox', { name: 'Prompt' });
    await field.fill('@images');
    await transfer(field, 'paste', png(640, 400, 90));
    await transfer(field, 'drop', png(320, 320, 160));
    const file = join(c.folder, 'third.png');
    writeFileSync(file, png(90, 200, 220));
    await page.getByLabel('Choose images').setInputFiles(file);

    const strip = page.getByRole('list', { name: 'Images of this prompt' });
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(3);
    expect(
      await strip.getByRole('img').evaluateAll((images) => images.map((image) => image.getAttribute('alt'))),
    ).toEqual(['Image 1, 640 × 400 pixels', 'Image 2, 320 × 320 pixels', 'Image 3, 90 × 200 pixels']);
    const square = strip.getByRole('img', { name: /320 × 320 pixels/ });
    await expect.poll(() => isDecoded(square), POLL).toBe(320);
    await screenshot('images-prompt');
    expect(await seriousFindings(page)).toEqual([]);
    const last = strip.getByRole('listitem').filter({ has: page.getByRole('img', { name: /90 × 200/ }) });
    await last.getByRole('button', { name: /^Remove image/ }).click();
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(2);
    expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);

    // After the page is reloaded, the draft still has its images.
    await page.reload();
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(2);
    await field.press('Enter');
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText(/^images: image\/png, .*; image\/png/).waitFor();
    await expect.poll(() => strip.count(), POLL).toBe(0);
    // The page sends a prompt only after it has uploaded all images of the prompt.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/images', async (route) => {
      await released;
      await route.continue();
    });
    await field.fill('@say never without it');
    await transfer(field, 'paste', Buffer.from('no image'));
    await transfer(field, 'paste', png(100, 100, 20));
    await field.press('Enter');
    release();
    await strip.getByRole('img', { name: /100 × 100/ }).waitFor();
    await page.getByText('is not a PNG, JPEG, WebP or GIF image', { exact: false }).waitFor();
    expect(await field.inputValue()).toBe('@say never without it');
    const sent = conversation.getByRole('list', { name: 'Images of the prompt' }).getByRole('img');
    await expect.poll(() => sent.count(), POLL).toBe(2);
    await expect.poll(() => isDecoded(sent.first()), POLL).toBeGreaterThan(0);
    expect(await sent.first().getAttribute('src')).toMatch(/^blob:/);
    await screenshot('images-conversation');
  });

  it('are pasted, dropped or chosen for delegated work, and refused for an agent that takes none', async () => {
    await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['cat'] });
    const { page, screenshot } = await open({ path: '/sessions' });
    await page.getByRole('button', { name: '+ Delegate' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Delegate work' });
    const field = dialog.getByRole('textbox', { name: 'Prompt' });
    await field.fill('@images');
    await transfer(field, 'paste', png(640, 400, 90));
    await transfer(dialog.getByRole('textbox', { name: 'New branch' }), 'drop', png(320, 320, 160));
    const file = join(c.folder, 'delegated.png');
    writeFileSync(file, png(90, 200, 220));
    await dialog.getByLabel('Choose images').setInputFiles(file);
    const strip = dialog.getByRole('list', { name: 'Images of this prompt' });
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(3);
    await expect.poll(() => isDecoded(strip.getByRole('img', { name: /^Image 2, 320 × 320/ })), POLL).toBe(320);
    await screenshot('images-delegate');
    expect(await seriousFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await screenshot('images-delegate-dark');
    await strip.getByRole('button', { name: 'Remove image 3' }).click();
    expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);
    await transfer(field, 'paste', Buffer.from('no image'));
    await dialog.getByRole('alert').getByText('not an image that the browser can show', { exact: false }).waitFor();

    const choose = async (agent: string) => {
      await dialog.getByLabel('Agent', { exact: true }).click();
      await page.getByRole('option', { name: agent }).first().click();
    };
    const submit = () => dialog.getByRole('button', { name: /^Delegate(?! and)/ }).click();
    await choose('Plain');
    await dialog.getByRole('alert').getByText('Plain takes no images.', { exact: false }).waitFor();
    await screenshot('images-delegate-refused');
    const { total } = await c.client.call('delegations.list', {});
    await submit();
    await choose('Scripted agent (ACP)');
    await expect.poll(() => dialog.getByText('takes no images', { exact: false }).count(), POLL).toBe(0);
    expect((await c.client.call('delegations.list', {})).total).toBe(total);
    // The dialog keeps an image for the next prompt if the image is pasted while the dialog sends other images.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = page.waitForRequest((request) => request.method() === 'POST' && /\/delegations$/.test(request.url()));
    await page.route('**/delegations', async (route) => {
      await released;
      await route.continue();
    });
    await dialog.getByRole('button', { name: /^Delegate and keep dialog open/ }).click();
    await asked;
    await transfer(field, 'paste', png(80, 80, 60));
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(3);
    release();
    await dialog.getByText('Delegated:').waitFor();
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(1);
    await page.keyboard.press('Control+k');
    await page.getByText('Searching would drop what you entered').waitFor();
    await field.fill('@images');
    await transfer(field, 'paste', png(320, 320, 160));
    await expect.poll(() => strip.getByRole('img').count(), POLL).toBe(2);
    await submit();
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText(/^images: image\/png, .*; image\/png/).waitFor();
    const sent = conversation.getByRole('list', { name: 'Images of the prompt' }).getByRole('img');
    await expect.poll(() => sent.count(), POLL).toBe(2);
  });
});

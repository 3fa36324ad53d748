import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { untilScreen } from './support/page.ts';
import { palettePng } from './support/palette-png.ts';
import { type BrowserSuite, browserSuite } from './support/suite.ts';

const PICTURES = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const MAX_BYTES = 120_000;

/** Files of the repository that the pictures show, before and after the agents' work. */
const TOTAL = `import type { Item } from './item.ts';

/** Sum of all prices in cents. */
export function total(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}
`;
const DISCOUNTED = `import { discounts } from './discount.ts';
import type { Item } from './item.ts';

/** Sum of all prices in cents, less the discount of a code. */
export function total(items: readonly Item[], code?: string): number {
  const sum = items.reduce((before, { price }) => before + price, 0);
  const percent = code === undefined ? 0 : (discounts[code] ?? 0);
  return Math.round(sum * (1 - percent / 100));
}
`;
const DISCOUNTS = `/** Percentage that each code takes off, 0 to 100. */
export const discounts: Record<string, number> = {
  WELCOME: 10,
  SUMMER: 20,
};
`;
const write = (path: string, text: string) => `@write ${path} ${text.replaceAll('\n', '\\n')}`;
const delegation = (title: string, branch: string, prompt: string) =>
  `@tool delegate_to_worktree ${JSON.stringify({ title, branch, prompt })}`;

// Not a test: `npm run pictures` updates the pictures of the documents.
if (process.env.PICTURES !== '1') it.skip('the pictures of the documents');
else browserSuite('the pictures of the documents', {}, makePictures);

function makePictures({ c, open }: BrowserSuite): void {
  const ids = new Map<string, string>();
  beforeAll(async () => {
    mkdirSync(join(c.repository.path, 'src/cart'), { recursive: true });
    writeFileSync(join(c.repository.path, 'src/cart/total.ts'), TOTAL);
    c.git(['add', '.'], c.repository.path);
    c.git(['commit', '--quiet', '-m', 'Cart'], c.repository.path);
    const delegate = (title: string, branch: string, lines: readonly string[]) =>
      c.client.call('delegations.create', {
        repositoryId: c.repository.id,
        title,
        branch,
        prompt: lines.join('\n'),
      });
    await delegate('Upgrade to Node 22', 'node-22', [
      '@say Running the tests',
      '@report failed 3 tests fail with Node 22, all in test/mail.test.ts.',
    ]);
    await delegate('Translate the checkout to French', 'french', [
      write('src/french.ts', "export const pay = 'Payer';\n"),
      '@commit Translate the checkout',
      '@report succeeded 42 texts are translated.',
    ]);
    await delegate('Prepare the summer sale', 'sale', [
      '@say The sale needs discounts, receipts and fresh exchange rates. I delegate all three.',
      delegation(
        'Add discounts to the cart',
        'discounts',
        [
          write('src/cart/discount.ts', DISCOUNTS),
          write('src/cart/total.ts', DISCOUNTED),
          '@commit Add discounts',
          '@report succeeded The cart takes WELCOME and SUMMER.',
        ].join('\n'),
      ),
      delegation(
        'Send receipts by mail',
        'receipts',
        [
          '@say Reading src/mail',
          write('src/mail/receipt.ts', "export const subject = 'Your receipt';\n"),
          '@ask Install nodemailer to send the receipts?',
        ].join('\n'),
      ),
      delegation('Cache the exchange rates', 'rates', '@say Measuring requests\n@sleep 600000'),
      '@sleep 600000',
    ]);
    await c.until('the states', async () => {
      const { data } = await c.client.call('sessions.list', {});
      for (const { id, title } of data) ids.set(title, id);
      const settled = data.filter(({ task }) => task?.endedAt != null || task?.waitingFor === 'answer');
      return data.length === 6 && settled.length === 4;
    });
    for (const [title, labels] of [
      ['Send receipts by mail', ['sale']],
      ['Add discounts to the cart', ['sale']],
    ] as const) {
      await c.client.call('sessions.update', { sessionId: ids.get(title) ?? '', labels: [...labels] });
    }
  });
  it.each<[name: string, path: () => string, loaded: (page: Page) => Promise<unknown>]>([
    [
      'tree',
      () => `/sessions/${ids.get('Send receipts by mail')}`,
      async (page) => {
        await untilScreen(page, '(y/n)');
        await page.getByRole('button', { name: 'Group and filter sessions' }).waitFor();
      },
    ],
    ['inbox', () => '/inbox', (page) => page.getByRole('button', { name: 'Yes' }).waitFor()],
    ['board', () => '/boards', (page) => page.getByRole('button', { name: 'Yes' }).waitFor()],
    [
      'diff',
      () => `/sessions/${ids.get('Add discounts to the cart')}?view=diff`,
      async (page) => {
        await page.getByText('1 ahead').waitFor();
        await page.getByRole('button', { name: 'Group and filter sessions' }).waitFor();
      },
    ],
  ])('%s', async (name, path, loaded) => {
    const { page, context } = await open({ width: 1280, height: 760, path: path() });
    await loaded(page);
    await page.evaluate(() => document.fonts.ready);
    const picture = await palettePng(context, await page.screenshot());
    expect(picture.length).toBeLessThanOrEqual(MAX_BYTES);
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.png`), picture);
  });
}

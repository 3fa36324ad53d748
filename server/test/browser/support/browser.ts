import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { TestConsole } from '../../support/console.ts';

/** Names of browser programs. The first is a headless build, which needs a third of the CPU time to open a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Folder in which screenshots for visual review are saved if `SCREENSHOTS=1` is set. */
const ARTEFACTS = fileURLToPath(new URL('../../../../test-artefacts/screenshots', import.meta.url));

export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

/** Starts a headless browser without background requests. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Logged errors, exceptions and CSP violations, except for those caused by interrupted connections. */
  problems: string[];
  /** Saves a screenshot for visual review, but only if `SCREENSHOTS=1` is set, because a screenshot takes 0.3 s. */
  screenshot(name: string): Promise<void>;
}

export interface VisitOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** Opens a page in a fresh browser profile that is not logged in. */
export async function visit(
  browser: Browser,
  { width = 1440, height = 900, dark = false }: VisitOptions = {},
): Promise<Visit> {
  const phone = width < 700;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    deviceScaleFactor: phone ? 2 : 1,
    hasTouch: phone,
    reducedMotion: 'reduce',
  });
  // Tests read the terminal's text from the DOM, which does not contain text that WebGL renders.
  await context.addInitScript(() => localStorage.setItem('agent-console.terminal-graphics', 'off'));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isCutConnection(message.text())) problems.push(message.text());
  });
  return {
    page,
    context,
    problems,
    async screenshot(name) {
      if (process.env.SCREENSHOTS !== '1') return;
      mkdirSync(ARTEFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
    },
  };
}

export async function loginLink(c: TestConsole, path = '/'): Promise<string> {
  const { code } = await c.client.call('login.open', {});
  return `${c.baseUrl}${path}#code=${encodeURIComponent(code)}`;
}

/**
 * Whether a logged error comes from an interrupted connection, or from the 503 with which a stopping console answers
 * open calls.
 */
function isCutConnection(text: string): boolean {
  return /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket connection to|status of 503/.test(
    text,
  );
}

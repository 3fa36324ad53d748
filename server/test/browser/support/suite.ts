import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { startConsole, type TestConsole } from '../../support/console.ts';
import { findChromium, launch, loginLink, type Visit, type VisitOptions, visit } from './browser.ts';

export interface SuiteOptions {
  /** Variables added to the environment of the console. */
  env?: Record<string, string>;
  /** Pattern of problems that the tests expect pages to report. */
  allowed?: RegExp;
}

export interface BrowserSuite {
  /** Console of the suite, which is started before the first hook or test. New sessions have the scripted agent. */
  c: TestConsole;
  /** Opens a fresh browser profile that is logged in with a link like that of `agent-console open`. */
  open(options?: VisitOptions & { path?: string }): Promise<Visit>;
  /** Opens a fresh browser profile that is not logged in. */
  visit(options?: VisitOptions): Promise<Visit>;
}

/**
 * Defines tests with a browser and their own console. A test fails if its page reported a problem. Without a Chromium,
 * the tests are skipped with a warning.
 */
export function browserSuite(name: string, options: SuiteOptions, tests: (suite: BrowserSuite) => void): void {
  const chromium = findChromium();
  if (chromium === undefined) console.warn(`SKIPPED in a browser: ${name}. There is no Chromium on the PATH.`);
  describe.skipIf(chromium === undefined)(name, () => {
    // The tests get this object before the console has started. Once the console runs, its properties are copied to the
    // object.
    const c = {} as TestConsole;
    let visits: Visit[] = [];
    beforeAll(async () => {
      await sharedBrowser(chromium ?? '');
      const started = await startConsole({ env: options.env ?? {} });
      Object.defineProperties(c, Object.getOwnPropertyDescriptors(started));
      await c.client.call('settings.update', { defaultAgentId: 'scripted' });
    });
    afterAll(() => c.close());
    afterEach(async () => {
      const closing = visits;
      visits = [];
      await Promise.all(closing.map(({ context }) => context.close()));
      const problems = closing.flatMap((visited) => visited.problems);
      expect(problems.filter((problem) => options.allowed?.test(problem) !== true)).toEqual([]);
    });

    async function open({ path, ...profile }: VisitOptions & { path?: string } = {}): Promise<Visit> {
      const visited = await openProfile(profile);
      await visited.page.goto(await loginLink(c, path));
      return visited;
    }

    async function openProfile(profile?: VisitOptions): Promise<Visit> {
      const visited = await visit(await sharedBrowser(chromium ?? ''), profile);
      visits.push(visited);
      return visited;
    }

    tests({ c, open, visit: openProfile });
  });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser that all suites of this process share. The browser ends with the process. */
async function sharedBrowser(chromium: string): Promise<Browser> {
  if ((await shared)?.isConnected() !== true) shared = launch(chromium);
  return shared as Promise<Browser>;
}

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalRunner } from '../../src/runner/client.ts';
import { script, shell, useRunner } from '../runner/helpers.ts';
import { until } from '../streams/recorder.ts';
import { Browser, findChromium } from './browser.ts';
import { buildPage, CODE, newId, newSession, newWorker, startConsole, type TestConsole } from './console.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('Browser tests are skipped: no chromium on the PATH.');

const runners = useRunner();
const page = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
const SCREEN = `(document.querySelector('.xterm-rows')?.textContent ?? '')`;

describe.skipIf(chromium === undefined)('the page', () => {
  let runner: LocalRunner;
  let browser: Browser;
  let running: TestConsole;

  beforeAll(async () => {
    await buildPage(page);
    ({ runner } = await runners.start());
  });

  beforeEach(async () => {
    running = await startConsole(runner, page);
    browser = await Browser.launch(chromium ?? '');
  });

  afterEach(async () => {
    await browser.close();
    await running.close();
  });

  afterAll(() => {
    runner.close();
    fs.rmSync(page, { recursive: true, force: true });
  });

  const address = () => `http://127.0.0.1:${running.port}/`;

  async function withTerminal(spec: ReturnType<typeof shell>, title = 'checkout flow'): Promise<string> {
    const session = newSession({ title });
    const workerId = newId();
    await runner.spawn({ ...spec, workerId });
    running.change({ ...session, workers: [newWorker(session.id, workerId)] });
    return session.id;
  }

  async function login(): Promise<void> {
    await browser.open(`${address()}#code=${CODE}`);
    await browser.until(`document.querySelector('.frame')`);
  }

  async function openFirst(): Promise<void> {
    await browser.until(`document.querySelector('.row')`);
    await browser.evaluate(`document.querySelector('.row').click()`);
  }

  test('says what to do when nobody is logged in', async () => {
    await browser.open(address());
    await browser.until(`document.body.textContent.includes('agent-console open')`);
    expect(browser.problems).toEqual([]);
  });

  test('logs in with the code of the link, once, and takes it out of the address', async () => {
    await login();
    expect(await browser.evaluate('location.hash')).not.toContain('code');
    await browser.until(`document.body.textContent.includes('No sessions yet')`);
    await browser.evaluate('localStorage.clear()');
    await browser.open(`${address()}?again#code=${CODE}`);
    await browser.until(`document.body.textContent.includes('used before or is too old')`);
    expect(await browser.evaluate('location.hash')).toBe('');
  });

  test('shows sessions as they change, each in its place', async () => {
    const first = newSession({ title: '<b>first</b>', createdAt: '2026-01-01T00:00:00.000Z' });
    running.change(first);
    await login();
    await browser.until(`document.querySelector('.row .title')?.textContent === '<b>first</b>'`);
    running.change(newSession({ title: 'second' }));
    const asking = newWorker(first.id, newId(), { activityState: 'asking', activitySource: 'hook' });
    running.change({ ...first, workers: [asking] });
    await browser.until(`document.querySelectorAll('.row').length === 2`);
    await browser.until(`document.querySelector('.row .word').textContent === 'asks'`);
    expect(await browser.evaluate(`document.querySelector('.row').title`)).toMatch(/asks .* · hook, certain/);
    expect(await browser.evaluate(`document.querySelector('.row b')`)).toBeNull();
    expect(await browser.evaluate('document.title')).toBe('(1) Agent Console');
    expect(browser.problems).toEqual([]);
  });

  test('shows a terminal with its history, types into it, sizes it, and shows its exit', async () => {
    await withTerminal(
      shell('printf "\\033[38;2;200;30;30mbefore\\033[0m\\n"; read line; stty size; echo "got $line"; exit 4'),
    );
    await login();
    await openFirst();
    await browser.until(`${SCREEN}.includes('before')`);
    await browser.until(`/\\d × \\d/.test(document.querySelector('.terminal-bar').textContent)`);
    await browser.press('i', 'KeyI', 73);
    await browser.type('words');
    await browser.press('Enter', 'Enter', 13);
    await browser.until(`${SCREEN}.includes('got words')`);
    await browser.until(`document.querySelector('.terminal-bar').textContent.includes('Ended with code 4.')`);
    expect(await browser.evaluate(SCREEN)).not.toContain('24 80');
    expect(browser.problems).toEqual([]);
  });

  test('leaves the questions of a program unanswered', async () => {
    await withTerminal(
      script(`
        process.stdin.setRawMode(true);
        let heard = '';
        process.stdin.on('data', (data) => {
          heard += data;
          if (heard.endsWith('q')) console.log('heard ' + JSON.stringify(heard));
        });
        process.stdout.write('\\x1b[6n\\x1b[5n\\x1b[c\\x1b[>c\\x1b[=c\\x1b[?1$p\\x1b]10;?\\x07\\x1b]11;?\\x07\\x1b]4;1;?\\x07\\x1bP$qm\\x1b\\\\\\x1b[>q\\x1b[18t\\x1b[?u');
        console.log('asked');
      `),
    );
    await login();
    await openFirst();
    await browser.until(`${SCREEN}.includes('asked')`);
    await browser.press('i', 'KeyI', 73);
    await browser.type('q');
    await browser.until(`${SCREEN}.includes('heard "q"')`);
  });

  test('goes on at the next byte and the next event after the console was away', async () => {
    const id = await withTerminal(shell('while read line; do echo "$line and on"; done'));
    await login();
    await openFirst();
    await browser.until(`/\\d × \\d/.test(document.querySelector('.terminal-bar').textContent)`);
    await browser.press('i', 'KeyI', 73);
    await browser.type('one');
    await browser.press('Enter', 'Enter', 13);
    await browser.until(`${SCREEN}.includes('one and on')`);
    await running.goOffline();
    await browser.until(`!document.querySelector('.banner').hidden`);
    const session = running.sessions.get(id);
    const worker = session?.workers[0];
    await runner.input(worker?.id ?? '', 'while-away', Buffer.from('two\n'));
    if (session !== undefined) running.change({ ...session, title: 'renamed meanwhile' });
    await running.goOnline();
    await browser.until(`document.querySelector('.banner').hidden`);
    await browser.until(`document.querySelector('.row .title').textContent === 'renamed meanwhile'`);
    await browser.until(`${SCREEN}.includes('two and on')`);
    expect((await browser.evaluate<string>(SCREEN)).split('one and on')).toHaveLength(2);
  });

  test('sends a prompt, keeps the words of one that was refused, and says why', async () => {
    await withTerminal(shell('cat'));
    await login();
    await openFirst();
    await browser.until(`document.querySelector('.prompt textarea')?.offsetParent`);
    await browser.evaluate(`document.querySelector('.prompt textarea').focus()`);
    await browser.type('refuse me');
    await browser.press('Enter', 'Enter', 13);
    await browser.until(`document.querySelector('.prompt-note').textContent.includes('Cancel some first')`);
    expect(await browser.evaluate(`document.querySelector('.prompt textarea').value`)).toBe('refuse me');
    await browser.evaluate(`document.querySelector('.prompt textarea').select()`);
    await browser.type('do it');
    await browser.press('Enter', 'Enter', 13);
    await until(() => running.prompts.length === 1);
    expect(running.prompts[0]).toMatchObject({ prompt: 'do it', key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    await browser.until(`document.querySelector('.prompt-note').textContent === '1 prompt waits its turn.'`);
    expect(await browser.evaluate(`document.querySelector('.prompt textarea').value`)).toBe('');
  });

  test('is moved through by keys', async () => {
    for (const [n, title] of ['one', 'two', 'three'].entries()) {
      running.change(newSession({ title, createdAt: `2026-01-0${4 - n}T00:00:00.000Z` }));
    }
    await login();
    await browser.until(`document.querySelectorAll('.row').length === 3`);
    await browser.press('j', 'KeyJ', 74);
    await browser.press('j', 'KeyJ', 74);
    await browser.press('j', 'KeyJ', 74);
    await browser.press('k', 'KeyK', 75);
    await browser.press('Enter', 'Enter', 13);
    await browser.until(`document.querySelector('.work-header h2')?.textContent === 'two'`);
    expect(await browser.evaluate(`document.querySelector('.row[aria-current] .title').textContent`)).toBe('two');
  });
});

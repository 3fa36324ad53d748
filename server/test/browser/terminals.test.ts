import { VIEWER_SILENT_MS } from '@agent-console/shared/limits/streams';
import { expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { openSession, POLL, screenText, terminalOf, typeLine, untilPrompt, untilScreen } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('a terminal in the dashboard', {}, ({ c, open }) => {
  async function shell(title: string) {
    const session = await c.client.call('sessions.create', { cwd: c.folder, title });
    const worker = await c.client.call('workers.create', { sessionId: session.id, type: 'terminal' });
    return { session, worker };
  }

  it('resumes at the next byte after the server was killed, with input typed meanwhile', async () => {
    const { session } = await shell('killed');
    const { page } = await open();
    await openSession(page, 'killed');
    const terminal = terminalOf(page);
    await terminal.click();
    await typeLine(page, 'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo "line $i of it"; done; echo all-printed');
    await untilScreen(page, 'line ');
    await killServer(c);
    await typeLine(page, 'echo typed-while-away');
    await untilScreen(page, 'typed-while-away\n');
    const { workers } = await c.client.call('sessions.get', { sessionId: session.id });
    const { text } = await c.client.call('workers.screen', { workerId: workers[0]?.id ?? '' });
    await expect.poll(async () => trimmed(await screenText(page)), POLL).toBe(trimmed(text));
    expect(text.split('typed-while-away')).toHaveLength(3);
  });

  it('reports being offline, keeps input and drafts, and sends input after reconnecting', async () => {
    await shell('offline');
    const { page, screenshot } = await open();
    await openSession(page, 'offline');
    await untilPrompt(page);
    await page.getByLabel('Prompt').fill('a draft');
    await c.runner.stopServer();
    await page.getByTestId('offline').waitFor();
    await terminalOf(page).click();
    await typeLine(page, 'echo kept-and-sent');
    await page.getByText(/will be sent after reconnecting/).waitFor();
    await screenshot('offline');
    await c.serve();
    await page.getByTestId('offline').waitFor({ state: 'detached' });
    await untilScreen(page, 'kept-and-sent\n');
    expect(await page.getByLabel('Prompt').inputValue()).toBe('a draft');
  });

  it('shows the right screen after a 100 MB flood that it did not read, without blocking the shell', async () => {
    const { worker } = await shell('flood');
    const { page } = await open();
    await openSession(page, 'flood');
    await untilPrompt(page);
    await terminalOf(page).click();
    await page.keyboard.type('seq 1 12500000; echo flood-over\r');
    await untilScreen(page, '1');
    // Blocks the page until the flood is over.
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let silentAt = Number.POSITIVE_INFINITY;
    await page.route('**/flood', async (route) => {
      silentAt = performance.now() + VIEWER_SILENT_MS;
      await ended;
      await route.fulfill();
    });
    const blocked = page.evaluate(() => {
      const request = new XMLHttpRequest();
      request.open('GET', '/flood', false);
      request.send();
    });
    await c.until('the end of the flood', async () => {
      const { text } = await c.client.call('workers.screen', { workerId: worker.id });
      return text.includes('flood-over\n') || text.endsWith('flood-over');
    });
    // A viewer that acknowledges output before it counts as silent gets all 100 MB instead of a snapshot.
    await c.until(
      'the end of the time after which the viewer counts as silent',
      async () => performance.now() > silentAt,
    );
    end();
    await blocked;
    await untilScreen(page, '12500000\nflood-over\n');
    const { text } = await c.client.call('workers.screen', { workerId: worker.id });
    await expect.poll(async () => trimmed(await screenText(page)), POLL).toBe(trimmed(text));
  });

  it('asks before opening a link from a program, and does not let programs use the clipboard', async () => {
    const { worker } = await shell('links');
    const { page, context } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openSession(page, 'links');
    await untilPrompt(page);
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    await c.client.call('workers.input', {
      workerId: worker.id,
      data: "clear; printf '\\033]52;c;c3RvbGVu\\007\\033]8;;https://example.com/there\\033\\\\click-me\\033]8;;\\033\\\\ done\\n'\r",
    });
    await untilScreen(page, 'click-me done');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    const at = await terminalOf(page).getByText('click-me').first().boundingBox();
    await page.mouse.move((at?.x ?? 0) + 20, (at?.y ?? 0) + 8);
    await page.mouse.click((at?.x ?? 0) + 20, (at?.y ?? 0) + 8);
    await page.getByRole('dialog').getByText('https://example.com/there').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(context.pages()).toHaveLength(1);
  });

  it('sends every key while twenty terminals stream', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `stream ${n + 1}`);
    for (const name of names) {
      const { worker } = await shell(name);
      // `read -t` pauses the loop without starting a process for each line, unlike `sleep`.
      const data = "exec bash -c 'while :; do echo $RANDOM; read -rst 0.1; done'\r";
      await c.client.call('workers.input', { workerId: worker.id, data });
    }
    const { worker } = await shell('typed into');
    const { page, screenshot } = await open();
    for (const name of names.slice(0, 12)) await openSession(page, name);
    await openSession(page, 'typed into');
    await untilPrompt(page);
    await terminalOf(page).click();
    const words = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    await page.keyboard.type(`echo ${words}\r`);
    await c.until('the echo', async () => {
      const { text } = await c.client.call('workers.output', { workerId: worker.id, format: 'text' });
      return (text ?? '').replaceAll('\n', '').includes(words);
    });
    await untilScreen(page, 'word39');
    await screenshot('twenty-streams');
  });
});

function trimmed(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

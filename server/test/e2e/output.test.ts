import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { refusal } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

let c: TestConsole;
let sessionId: string;
beforeAll(async () => {
  c = await startConsole();
  sessionId = (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
});
afterAll(() => c.close());

type Format = 'text' | 'ansi' | 'base64';

const read = (workerId: string, format: Format, sinceOffset: number, maxBytes: number) =>
  c.client.call('workers.output', { workerId, format, sinceOffset, maxBytes });

/** Returns a generator of random page sizes in bytes, from the minimum of 64. The same seed gives the same sizes. */
function sizes(): () => number {
  const drawn = fc.sample(fc.oneof(fc.integer({ min: 64, max: 300 }), fc.integer({ min: 64, max: 5_000 })), {
    numRuns: 200,
    seed: SEED,
  });
  let at = 0;
  return () => drawn[at++ % drawn.length] ?? 64;
}

/** Reads all pages from an offset on, and checks offset and size of each. */
async function pages(workerId: string, format: Format, sizeOf: () => number, from = 0): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (let offset = from; ; ) {
    const size = sizeOf();
    const page = await read(workerId, format, offset, size);
    expect(page.offset).toBe(offset);
    const data = format === 'base64' ? Buffer.from(page.data ?? '', 'base64') : Buffer.from(page.text ?? '');
    expect(data.length).toBeLessThanOrEqual(size);
    if (format !== 'text') expect(page.nextOffset - page.offset).toBe(data.length);
    if (page.nextOffset === page.offset) {
      expect(page.truncated).toBe(false);
      return found;
    }
    found.push(data);
    offset = page.nextOffset;
  }
}

const whole = async (workerId: string) => Buffer.concat(await pages(workerId, 'base64', () => 262_144));

/** Prints a text in a new terminal of the session, and waits until the terminal has ended. Returns the worker's id. */
async function print(output: string): Promise<string> {
  const file = join(c.folder, 'shown.txt');
  writeFileSync(file, output);
  const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal' });
  await c.client.call('workers.input', { workerId, data: `stty -opost; clear >/dev/null; exec cat '${file}'\r` });
  await c.until('the end', async () => (await c.client.call('workers.get', { workerId })).state === 'exited');
  return workerId;
}

const ESC = '\x1b';
const sequences = fc.constantFrom(
  `${ESC}[31m`,
  `${ESC}[0m`,
  `${ESC}[38;2;10;20;30m`,
  `${ESC}]0;a title äöü\x07`,
  `${ESC}]8;;https://example.com/${'x'.repeat(90)}${ESC}\\`,
  `${ESC}]0;x${'日本語'.repeat(40)}\x07`,
  `${ESC}(B`,
  `${ESC}[?25l`,
  `${ESC}7`,
);
const words = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abc XYZ 019 äöüß € 日本語 🌍 👩‍👩‍👧 ~|[];m'), minLength: 1, maxLength: 30 }),
  fc.constantFrom('plain words ', '日本語のテキスト', '🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍🌍'),
);
/** Random lines, each as a program prints it and as a person sees it. */
const lines = fc.array(
  fc.array(fc.tuple(words, fc.option(sequences, { nil: '' })), { maxLength: 12 }).map((parts) => ({
    printed: parts.map(([word, sequence]) => sequence + word).join(''),
    shown: parts.map(([word]) => word).join(''),
  })),
  { minLength: 150, maxLength: 150 },
);

describe(`output (seed ${SEED})`, () => {
  it('of a flood is the same in pages of any size, also while it is being printed', async () => {
    const bytes = process.env.LONG ? 5_000_000 : 300_000;
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: `@flood ${bytes}\n@say the end` });
    const agent = await c.until(
      'the agent',
      async () => (await c.client.call('sessions.get', { sessionId })).workers[0],
    );
    const size = sizes();
    const live: Buffer[] = [];
    let offset = 0;
    await c.until('the end of the flood', async () => {
      const over = (await c.client.call('tasks.get', { taskId })).status === 'completed';
      for (;;) {
        const page = await read(agent.id, 'base64', offset, size());
        expect(page.offset).toBe(offset);
        live.push(Buffer.from(page.data ?? '', 'base64'));
        if (page.nextOffset === offset) return over;
        offset = page.nextOffset;
      }
    });
    const log = await whole(agent.id);
    const followed = Buffer.concat(live);
    expect(followed.equals(log.subarray(0, followed.length))).toBe(true);
    expect(followed.includes('the end')).toBe(true);
    const flood = log.subarray(log.indexOf('0 flood flood'));
    const numbers = [...flood.toString().matchAll(/^(\d+) flood/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: Math.floor(bytes / 80) }, (_, number) => number));
    expect(Buffer.concat(await pages(agent.id, 'ansi', sizes())).equals(log)).toBe(true);
    expect((await c.client.call('workers.get', { workerId: agent.id })).logOffset).toBe(log.length);
  });

  it('is never split inside an escape sequence or a character of several bytes', async () => {
    const [drawn = []] = fc.sample(lines, { numRuns: 1, seed: SEED });
    const printed = `${drawn.map((line) => line.printed).join('\n')}\n`;
    const workerId = await print(printed);
    const log = await whole(workerId);
    expect(log.includes(printed)).toBe(true);
    const exact = await pages(workerId, 'base64', sizes());
    expect(Buffer.concat(exact).equals(log)).toBe(true);
    for (const sizeOf of [sizes(), () => 64, () => 4_096]) {
      const ansi = await pages(workerId, 'ansi', sizeOf);
      expect(Buffer.concat(ansi).equals(log)).toBe(true);
    }
    for (const page of await pages(workerId, 'ansi', () => 4_096)) {
      // No page ends within an escape sequence, so the last sequence, if any, is complete.
      expect(page.toString().slice(page.lastIndexOf(ESC))).not.toMatch(/^\x1b(\[[0-9;?]*|\][^\x07\x1b]*|\(|)$/);
    }
  });

  it('as text is what a person sees, in complete lines', async () => {
    const [drawn = []] = fc.sample(lines, { numRuns: 1, seed: SEED + 1 });
    const shown = drawn.map((line) => line.shown);
    const workerId = await print(`BEGIN\n${drawn.map((line) => line.printed).join('\n')}\nEND\nno newline here`);
    const wanted = ['BEGIN', ...shown, 'END', 'no newline here'].join('\n');
    for (const sizeOf of [() => 262_144, () => 16_384]) {
      const found = await pages(workerId, 'text', sizeOf);
      const text = Buffer.concat(found).toString();
      expect(text.slice(text.lastIndexOf('BEGIN'))).toBe(wanted);
      for (const page of found.slice(0, -1)) expect(page.at(-1)).toBe(0x0a);
    }
    // A line longer than a page is split between pages. All pages together are the original text.
    const parts = Buffer.concat(await pages(workerId, 'text', sizes())).toString();
    expect(parts.slice(parts.lastIndexOf('BEGIN'))).toBe(wanted);
  });

  it('without an offset is the newest output, from the start of a line on', async () => {
    const workerId = await print(`${Array.from({ length: 2_000 }, (_, line) => `line ${line} ä`).join('\n')}\n`);
    const log = await whole(workerId);
    for (const format of ['text', 'ansi'] as const) {
      const page = await c.client.call('workers.output', { workerId, format, maxBytes: 1_000 });
      expect(page.text).toMatch(/^line \d+ ä\n/);
      expect(page.text?.endsWith('line 1999 ä\n')).toBe(true);
      expect(page).toMatchObject({ nextOffset: log.length, truncated: false });
      expect(Buffer.byteLength(page.text ?? '')).toBeLessThanOrEqual(1_000);
      expect(log.subarray(page.offset).toString()).toBe(page.text);
    }
    const byDefault = await c.client.call('workers.output', { workerId });
    expect(byDefault).toMatchObject({ rendered: 'lines', truncated: false });
    expect(byDefault.nextOffset - byDefault.offset).toBeLessThanOrEqual(32_768);
  });

  it('is empty at its end, and says whether there is more after a page', async () => {
    const workerId = await print('one line\n');
    const end = (await whole(workerId)).length;
    const nothing = { text: '', truncated: false };
    expect(await read(workerId, 'text', end, 64)).toMatchObject({ ...nothing, offset: end, nextOffset: end });
    expect(await read(workerId, 'ansi', end, 64)).toMatchObject({ ...nothing, offset: end, nextOffset: end });
    const first = await read(workerId, 'base64', 0, 64);
    expect(first).toMatchObject({ offset: 0, nextOffset: Math.min(64, end), truncated: end > 64, rendered: 'raw' });
    expect(first.text).toBeUndefined();
  });

  it('as text contains a repeatedly redrawn line once, in its last form', async () => {
    const bar = Array.from({ length: 50 }, (_, done) => `\rloading ${'#'.repeat(done % 7)}${ESC}[K ${done}`).join('');
    const block = (n: number) => `${ESC}[2K${ESC}[1A${ESC}[2K${ESC}[1A${ESC}[2K\rspinner ${n}\r\n+--+\r\n| >|`;
    const drawn = Array.from({ length: 40 }, (_, n) => block(n)).join('');
    const kept = `${ESC}[2K${ESC}[1A${ESC}[2K${ESC}[1A${ESC}[2K\rthe answer\r\nspinner 99\r\n+--+\r\n| >|`;
    const workerId = await print(`BEGIN\n${bar}\r\nspinner\r\n+--+\r\n| >|${drawn}${kept}${drawn}`);
    for (const size of [262_144, 700, 300]) {
      const text = Buffer.concat(await pages(workerId, 'text', () => size)).toString();
      const shown = text.slice(text.lastIndexOf('BEGIN'));
      expect(shown).not.toContain(ESC);
      expect(shown.match(/the answer/g)).toHaveLength(1);
      expect(shown.match(/loading/g)).toHaveLength(1);
      expect(shown).toContain('loading  49');
      if (size === 262_144) expect(shown).toBe('BEGIN\nloading  49\nthe answer\nspinner 39\n+--+\n| >|');
    }
    const screen = await c.client.call('workers.screen', { workerId });
    expect(screen.text.endsWith('the answer\nspinner 39\n+--+\n| >|')).toBe(true);
    expect(screen).toMatchObject({ workerId, complete: true, alternateScreen: false });
  });

  it('on a screen is the same after the server was killed', async () => {
    const agent = (await c.client.call('sessions.get', { sessionId })).workers.findLast(({ type }) => type === 'agent');
    const workerId = agent?.id ?? '';
    const before = await c.client.call('workers.screen', { workerId, scrollback: 1_000 });
    expect(before.text).not.toBe('');
    const killed = c.serverPid();
    process.kill(killed, 'SIGKILL');
    await c.until('the next server', async () => c.serverPid() !== killed);
    expect(await c.client.call('workers.screen', { workerId, scrollback: 1_000 })).toEqual(before);
  });

  it('as text is the screen, if the agent draws on the alternate screen', async () => {
    const draw =
      "printf 'before\\n\\033[?1049h\\033[H\\033[2Jold\\n\\033[H\\033[31mnew\\033[0m\\033[3;1Hbox'; exec cat";
    await c.client.call('agents.create', { id: 'drawer', name: 'Drawer', command: ['/bin/sh', '-c', draw] });
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'drawer' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    const page = await c.until('the picture', async () => {
      const now = await c.client.call('sessions.output', { sessionId: id, sinceOffset: 'before\r\n'.length });
      return now.rendered === 'screen' && now.text?.includes('box') && now;
    });
    expect(page).toMatchObject({ text: 'new\n\nbox', offset: 'before\r\n'.length, truncated: false });
    expect((await read(workerId, 'text', 0, 4_096)).text).toBe('before\n');
    expect(page.nextOffset).toBe((await whole(workerId)).length);
    const screen = await c.client.call('workers.screen', { workerId });
    expect(screen).toMatchObject({ text: 'new\n\nbox', alternateScreen: true, scrollback: 0, complete: true });
    expect((await read(workerId, 'ansi', 0, 4_096)).text).toContain('before');
    await c.client.call('sessions.stop', { sessionId: id });
    // After the agent has ended, its lines can still be read, but not what it drew on the alternate screen.
    const after = await c.client.call('sessions.output', { sessionId: id, workerId, sinceOffset: 0 });
    expect(after.rendered).toBe('lines');
    expect(after.text).toContain('before');
    expect(after.text).not.toContain('box');
  });

  it('of a worker without a terminal is refused', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      prompt: '@say hello',
      baseBranch: 'main',
      agentId: 'scripted',
    });
    const { id: workerId } = await c.client.call('workers.create', { sessionId: made.sessionId, type: 'git-diff' });
    expect(await refusal(c.client.call('workers.screen', { workerId }))).toMatchObject({
      code: 'UNSUPPORTED',
      details: { workerId },
    });
  });

  it('that asks for the position of the cursor gets one answer while there is a viewer', async () => {
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    const viewer = new WebSocket(`ws://127.0.0.1:${c.port}/ws/session/${sessionId}/worker/${workerId}`);
    await new Promise((resolve, reject) => {
      viewer.once('message', resolve);
      viewer.once('error', reject);
    });
    const ask = "stty raw -echo; printf '\\033[5;7H\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane";
    await c.client.call('workers.input', { workerId, data: `${ask}\r` });
    const screen = await c.until('the answer', async () => {
      const now = await c.client.call('workers.screen', { workerId });
      return /033 +\[ +5 +; +7 +R/.test(now.text) && now;
    });
    expect(screen.complete).toBe(true);
    expect((await c.client.call('workers.get', { workerId })).state).toBe('running');
    viewer.terminate();
    await c.client.call('workers.remove', { workerId });
  });

  it('is refused for an invalid offset or page size', async () => {
    const { workers } = await c.client.call('sessions.get', { sessionId });
    const workerId = workers[0]?.id ?? '';
    for (const maxBytes of [63, 262_145, 0, -1, 1.5]) {
      expect(await refusal(read(workerId, 'ansi', 0, maxBytes))).toMatchObject({ code: 'VALIDATION' });
    }
    expect(await refusal(read(workerId, 'ansi', -1, 64))).toMatchObject({ code: 'VALIDATION' });
  });

  it('of a session is that of its newest agent, unless another worker is named', async () => {
    const agent = (await c.client.call('sessions.get', { sessionId })).workers.findLast(({ type }) => type === 'agent');
    const terminal = await print('said in a terminal\n');
    const bySession = (workerId?: string) =>
      c.client.call('sessions.output', {
        sessionId,
        format: 'ansi',
        sinceOffset: 0,
        ...(workerId ? { workerId } : {}),
      });
    expect(await bySession()).toEqual(await read(agent?.id ?? '', 'ansi', 0, 32_768));
    expect((await bySession(terminal)).text).toContain('said in a terminal');
    const other = (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
    expect(await refusal(c.client.call('sessions.output', { sessionId: other }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(c.client.call('sessions.output', { sessionId: other, workerId: terminal }))).toMatchObject({
      code: 'NOT_FOUND',
      details: { workerId: terminal },
    });
  });

  it.runIf(process.env.LONG)('beyond the limit starts at the first stored byte', { timeout: 300_000 }, async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    await c.client.call('sessions.prompt', { sessionId: id, prompt: `@flood ${90 * 2 ** 20}` });
    await c.until('the end', async () => {
      const { reached } = await c.client.call('sessions.wait', { sessionId: id, timeoutSeconds: 45 });
      return reached === 'finished';
    });
    const page = await c.client.call('sessions.output', { sessionId: id, sinceOffset: 0 });
    expect(page.offset).toBeGreaterThan(0);
    expect(page.nextOffset).toBeGreaterThan(page.offset);
  });
});

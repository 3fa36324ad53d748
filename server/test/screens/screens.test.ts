import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputStreams } from '../../src/ports/terminals.ts';
import type { LocalRunner } from '../../src/runner/client.ts';
import { createScreens, type ServerScreens } from '../../src/screens/screens.ts';
import { ScreenTerminal } from '../../src/screens/terminal.ts';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import { shell, terminal, useRunner } from '../runner/helpers.ts';
import { until } from '../support/until.ts';

const serverFolder = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Number of lines, and number of frames, that a program prints: about 6 MB each. With LONG, the output exceeds
 * SCREEN_LAG_BYTES, so the screen skips a part of it.
 */
const FLOOD_LINES = process.env.LONG ? 12_000_000 : 750_000;
const FLOOD_FRAMES = process.env.LONG ? 10_000 : 2_500;

const tests = useRunner();
const folder = mkdtempSync(join(serverFolder, '.test-screens-'));
const program = pathToFileURL(join(folder, 'screens.mjs'));
const faults: unknown[] = [];
let home: string;
let runner: LocalRunner;
let screens: ServerScreens;
let streams: OutputStreams;

/**
 * The screens thread of the server, changed so that it ends or hangs when it gets a message while a file named `end` or
 * `hang` is in its folder.
 */
const BREAKABLE = `
  import './src/screens/thread.ts';
  import { existsSync, rmSync } from 'node:fs';
  import { parentPort } from 'node:worker_threads';
  const isWanted = (name) => {
    const file = new URL(name, import.meta.url);
    if (!existsSync(file)) return false;
    rmSync(file);
    return true;
  };
  parentPort.on('message', () => {
    if (isWanted('end')) process.exit(1);
    if (isWanted('hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

beforeAll(async () => {
  await build({
    absWorkingDir: serverFolder,
    stdin: { contents: BREAKABLE, resolveDir: serverFolder, loader: 'ts' },
    outfile: fileURLToPath(program),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  ({ home, runner } = await tests.start());
  begin();
});

afterAll(async () => {
  await screens.close();
  runner.close();
  rmSync(folder, { recursive: true });
});

/** Creates the screens, as a server does at its start. */
function begin(hangMs?: number): void {
  screens = createScreens({
    runner,
    streams: () => streams,
    home,
    program,
    onError: (error) => faults.push(error),
    ...(hangMs === undefined ? {} : { hangMs }),
  });
  streams = createOutputStreams(runner, { snapshotOf: screens.snapshotOf });
}

const ended = (workerId: string) =>
  until(
    'the end',
    async () => (await runner.list()).find((process) => process.workerId === workerId)?.exit ?? undefined,
  );

/** Returns what a terminal shows after all output in the log of a worker, with `scrollback` lines of history. */
async function whole(workerId: string, scrollback: number) {
  const { first, next } = await runner.extent(workerId);
  const reference = new ScreenTerminal({ cols: 80, rows: 24, offset: first });
  for (let at = first; at < next; ) {
    const { data } = await runner.read(workerId, at, 1_048_576);
    reference.write(Buffer.from(data));
    at += data.length;
  }
  const view = reference.view(scrollback, 'text');
  const drawn = reference.snapshot(0).data;
  reference.dispose();
  return { view, drawn };
}

const shown = (workerId: string, scrollback = 0) => screens.view(workerId, { scrollback, format: 'text' });

describe('a screen', () => {
  it('shows what a program printed, where its cursor is, and its title', async () => {
    const worker = shell("printf 'one\\n\\033]2;work\\007two\\033[31m three\\033[?25l'; read x");
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    const view = await until('the text', async () => {
      const now = await shown(worker.workerId);
      return now.text.includes('three') && now;
    });
    expect(view).toMatchObject({
      text: 'one\ntwo three',
      cursor: { x: 9, y: 1, visible: false },
      title: 'work',
      alternateScreen: false,
      complete: true,
      cols: 80,
      rows: 24,
    });
    await runner.end(worker.workerId, 100);
    expect(await shown(worker.workerId)).toEqual(view);
  });

  it('is correct after a flood of numbered lines, with its history', async () => {
    const worker = terminal('seq', ['1', `${FLOOD_LINES}`]);
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    await ended(worker.workerId);
    const { next } = await runner.extent(worker.workerId);
    // On a busy machine, `view` may reach its time limit and return a screen without the last output, so the test
    // repeats it.
    const view = await until('the last line', async () => {
      const now = await shown(worker.workerId, 1_000);
      return now.offset === next && now;
    });
    const reference = await whole(worker.workerId, 1_000);
    expect(view.text).toBe(reference.view.text);
    expect(view).toEqual({ ...reference.view, complete: true });
    expect((await screens.view(worker.workerId, { scrollback: 0, format: 'ansi' })).text).toBe(reference.drawn);
  });

  it('is correct after a flood of full-screen repaints', async () => {
    const file = join(home, 'frame.txt');
    const frame = (n: number) =>
      `\x1b[H\x1b[2J${Array.from({ length: 23 }, (_, y) => `\x1b[${30 + ((n + y) % 8)}mframe ${n} row ${y} ${'#'.repeat((n + y) % 50)}\x1b[0m\r\n`).join('')}`;
    writeFileSync(file, `\x1b[?1049h${Array.from({ length: FLOOD_FRAMES }, (_, n) => frame(n)).join('')}`);
    // The terminal does not convert newlines, so all output has been read when the offset is twice the size of the
    // file.
    const worker = shell(`stty -opost; cat ${file} ${file}; read x`);
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    const size = 2 * readFileSync(file).length;
    const view = await until('the last frame', async () => {
      const now = await shown(worker.workerId);
      return now.offset === size && now;
    });
    const reference = await whole(worker.workerId, 0);
    expect(view).toEqual(reference.view);
    expect(view).toMatchObject({ alternateScreen: true, complete: true });
    expect(view.text).toContain(`frame ${FLOOD_FRAMES - 1} row 22`);
    await runner.end(worker.workerId, 100);
  });

  it('goes on after sequences with the largest counts', async () => {
    const largest = [...'bLMSTIZ'].map((final) => `\\033[2147483647${final}`).join('');
    const worker = shell(`printf 'a${largest}\\033[2J\\033[Hafter'; read x`);
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    const view = await until('the text', async () => {
      const now = await shown(worker.workerId);
      return now.text !== '' && now;
    });
    expect(view.text).toBe('after');
    await runner.end(worker.workerId, 100);
  });

  it('answers each query of a program once', async () => {
    const ask = [
      'stty raw -echo',
      "printf 'abc\\033[6n\\033[c\\033]11;?\\033\\\\'",
      'dd bs=1 count=38 2>/dev/null | od -An -c | tr -d " \\n"',
      'read x',
    ].join('; ');
    const worker = shell(ask);
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    const view = await until('the answers', async () => {
      const now = await shown(worker.workerId);
      return now.text.replaceAll('\n', '').includes('1d1d') && now;
    });
    expect(view.text.replaceAll('\n', '')).toContain('033[1;4R033[?1;2c033]11;rgb:1616/1818/1d1d033');
    await screens.close();
    begin();
    screens.opened(worker.workerId);
    expect(await shown(worker.workerId)).toEqual(view);
    await runner.end(worker.workerId, 100);
  });

  it('is the same after the server was killed, from its stored state and the log', async () => {
    const worker = shell("seq 1 30000; printf '\\033[2;10r\\033[5;5Hmargins'; read x; seq 1 7; printf done; read x");
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    await until('the margins', async () => (await shown(worker.workerId)).text.includes('margins'));
    const file = join(home, 'workers', worker.workerId, 'screen.json');
    const stored = await until('a stored state', async () => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    });
    await runner.resize(worker.workerId, 60, 20);
    await runner.input(worker.workerId, 'go', Buffer.from('\r'));
    const before = await until('the rest', async () => {
      const now = await shown(worker.workerId, 100);
      return now.cols === 60 && now.text.includes('done') && now;
    });
    await screens.close();
    // Simulates a kill of the server: the stored screen is older than the log of the output.
    writeFileSync(file, stored);
    begin();
    expect(await shown(worker.workerId, 100)).toEqual(before);
    await screens.close();
    for (const broken of ['', stored.slice(0, -20), stored.replace('"version":1', '"version":2'), '{}']) {
      writeFileSync(file, broken);
      begin();
      expect(await shown(worker.workerId, 100)).toEqual(before);
      await screens.close();
    }
    begin();
    await runner.end(worker.workerId, 100);
  });

  it.each([
    ['end', undefined, []],
    // A shorter limit could restart a thread that only starts slowly because the machine is busy.
    ['hang', 3_000, ['Error: The screen thread did not respond for 3000 ms and is being restarted.']],
  ])('recovers when its thread is made to %s', async (fate, hangMs, reported) => {
    await screens.close();
    begin(hangMs);
    const worker = shell('seq 1 100; read x; printf "\\033[44mmore"; read x');
    await runner.spawn(worker);
    screens.opened(worker.workerId);
    const before = await until('the lines', async () => {
      const now = await shown(worker.workerId, 200);
      return now.text.includes('\n100') && now;
    });
    writeFileSync(join(folder, fate), '');
    await screens.view(worker.workerId, { scrollback: 0, format: 'text' }).catch(() => undefined);
    await until('the fate', async () => !existsSync(join(folder, fate)));
    const after = await until('a screen', () => shown(worker.workerId, 200).catch(() => undefined));
    expect(after).toEqual(before);
    await runner.input(worker.workerId, 'go', Buffer.from('\r'));
    await until('the rest', async () => (await shown(worker.workerId)).text.includes('more'));
    expect(faults.splice(0).map(String)).toEqual(expect.arrayContaining(reported));
    await runner.end(worker.workerId, 100);
  });

  it('has reported no other faults in these tests', () => {
    expect(faults).toEqual([]);
  });
});

import { SCREEN_POLL_MAX_MS, SCREEN_POLL_MS, SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pollScreen } from '../../src/engine/processes/screen-poller.ts';
import type { ScreenSnapshot } from '../../src/ports/agents.ts';
import type { ScreenView } from '../../src/ports/screens.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Polls a simulated screen, which by default shows all printed output. */
function setUp() {
  const pictures: ScreenSnapshot[] = [];
  const looks: number[] = [];
  let printed = 0;
  let peek = async (): Promise<ScreenView> => view(printed);
  const screen = pollScreen(
    () => {
      looks.push(Date.now());
      return peek();
    },
    (picture) => pictures.push(picture),
    Date.now,
  );
  return {
    pictures,
    looks,
    screen,
    print(bytes = 10) {
      printed += bytes;
      screen.printed(printed);
    },
    answer(next: () => Promise<ScreenView>) {
      peek = next;
    },
    seen: () => pictures.map(({ offset, settled }) => `${offset}${settled ? ' settled' : ''}`),
  };
}

function view(offset: number, more: Partial<ScreenView> = {}): ScreenView {
  const cursor = { x: 0, y: 0, visible: true };
  const size = { cols: 80, rows: 24, scrollback: 0 };
  const shown = { text: 'one\ntwo', title: 'title', alternateScreen: true, complete: true };
  return { offset, cursor, ...size, ...shown, ...more };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Time in milliseconds that is longer than any interval between reads. */
const LONG_MS = 10 * SCREEN_POLL_MAX_MS;

it('is read soon after output, and once more when it has settled', async () => {
  const { print, seen, pictures, looks } = setUp();
  await pass(LONG_MS);
  expect(looks).toHaveLength(0);
  print();
  await pass(SCREEN_POLL_MS);
  expect(seen()).toEqual(['10']);
  await pass(SCREEN_SETTLED_MS);
  expect(seen().at(-1)).toBe('10 settled');
  expect(pictures.at(-1)).toMatchObject({ lines: ['one', 'two'], title: 'title', alternateScreen: true });
  const settled = looks.length;
  await pass(LONG_MS);
  expect(looks).toHaveLength(settled);
  print();
  await pass(LONG_MS);
  expect(seen().at(-1)).toBe('20 settled');
  expect(seen().filter((each) => each.endsWith('settled'))).toHaveLength(2);
});

it('is read repeatedly, and not treated as settled, while output continues', async () => {
  const { print, seen, looks } = setUp();
  const began = Date.now();
  for (let n = 0; n < 50; n += 1) {
    print();
    await pass(SCREEN_SETTLED_MS / 3);
  }
  expect(seen().some((each) => each.endsWith('settled'))).toBe(false);
  const most = (Date.now() - began) / SCREEN_POLL_MS;
  expect(looks.length).toBeGreaterThan(most / 3);
  expect(looks.length).toBeLessThanOrEqual(most);
});

it('is read at growing intervals while it has not drawn everything', async () => {
  const { print, seen, looks, answer } = setUp();
  answer(async () => view(5));
  print();
  await pass(LONG_MS);
  expect(seen().some((each) => each.endsWith('settled'))).toBe(false);
  const pauses = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  expect(Math.max(...pauses)).toBe(SCREEN_POLL_MAX_MS);
  answer(async () => view(10));
  await pass(SCREEN_POLL_MAX_MS);
  expect(seen().at(-1)).toBe('10 settled');
});

it('is read again when it could not be read', async () => {
  const { print, seen, answer } = setUp();
  answer(() => Promise.reject(new Error('busy')));
  print();
  await pass(LONG_MS);
  expect(seen()).toEqual([]);
  answer(async () => view(10));
  await pass(SCREEN_POLL_MAX_MS);
  expect(seen()).toEqual(['10 settled']);
});

it('is ignored while a flood of output made it incomplete', async () => {
  const { print, seen, answer } = setUp();
  answer(async () => view(10, { complete: false }));
  print();
  await pass(LONG_MS);
  expect(seen()).toEqual([]);
  answer(async () => view(20));
  print();
  await pass(LONG_MS);
  expect(seen().at(-1)).toBe('20 settled');
});

it('is not treated as settled when output arrived during the read', async () => {
  const { print, seen, answer } = setUp();
  print();
  // One millisecond later, a read would find the screen settled, unless the program prints more.
  await pass(SCREEN_SETTLED_MS - 1);
  expect(seen().some((each) => each.endsWith('settled'))).toBe(false);
  let show = (_: ScreenView) => {};
  answer(
    () =>
      new Promise((resolve) => {
        show = resolve;
      }),
  );
  await pass(SCREEN_POLL_MS);
  print();
  answer(async () => view(20));
  show(view(20));
  await pass(0);
  expect(seen().at(-1)).toBe('20');
  await pass(LONG_MS);
  expect(seen().at(-1)).toBe('20 settled');
});

it('is read again when another signal requests it', async () => {
  const { print, looks, seen, screen } = setUp();
  print();
  await pass(LONG_MS);
  const before = looks.length;
  screen.again();
  await pass(LONG_MS);
  expect(looks).toHaveLength(before + 1);
  expect(seen().at(-1)).toBe('10 settled');
});

it('is never read twice at the same time', async () => {
  const { print, looks, seen, answer } = setUp();
  let show = (_: ScreenView) => {};
  answer(
    () =>
      new Promise((resolve) => {
        show = resolve;
      }),
  );
  print();
  await pass(SCREEN_POLL_MS);
  for (let n = 0; n < 20; n += 1) {
    print();
    await pass(SCREEN_POLL_MS);
  }
  expect(looks).toHaveLength(1);
  answer(async () => view(210));
  show(view(10));
  await pass(LONG_MS);
  expect(seen()[0]).toBe('10');
  expect(seen().at(-1)).toBe('210 settled');
});

it('is not read after close, and a pending read is discarded', async () => {
  const { print, looks, seen, screen, answer } = setUp();
  let show = (_: ScreenView) => {};
  answer(
    () =>
      new Promise((resolve) => {
        show = resolve;
      }),
  );
  print();
  await pass(SCREEN_POLL_MS);
  screen.close();
  show(view(10));
  print();
  await pass(LONG_MS);
  expect(looks).toHaveLength(1);
  expect(seen()).toEqual([]);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoredOutput } from '../../src/terminal/stored-output.ts';
import { ConsoleSockets } from './console-sockets.ts';

let sockets: ConsoleSockets;
let output: StoredOutput;
/** What the reader would show: its size, if it was set, and its text. */
let screen: string;
let result: string | undefined;

beforeEach(async () => {
  sockets = await ConsoleSockets.start();
});

afterEach(async () => {
  output.close();
  await sockets.close();
});

function read(from: number, until: number): void {
  screen = '';
  result = undefined;
  const end = (how: string) => {
    result = how;
    sockets.changed();
  };
  output = new StoredOutput(
    { sessionId: 'session', workerId: 'worker', from, until },
    {
      onOutput(bytes, shown) {
        screen += Buffer.from(bytes).toString();
        shown();
      },
      onResized: ({ cols, rows }) => {
        screen += `(${cols}x${rows})`;
      },
      onRestart: ({ cols, rows }) => {
        screen = `(${cols}x${rows})`;
      },
      onEnd: () => end('end'),
      onFailed: end,
    },
  );
}

const ended = () => sockets.until(() => result);
const snapshot = (offset: number, data = '') => ({ type: 'snapshot', offset, cols: 80, rows: 24, data }) as const;
const PATH = '/ws/session/session/worker/worker?fromOffset=';

test('is read up to the last offset, from the first line that is complete', async () => {
  read(10, 30);
  const peer = await sockets.peer(0);
  peer.send({ type: 'resized', offset: 10, cols: 90, rows: 20 });
  peer.print(10, 'half\nfirst ');
  peer.print(21, 'second third');
  expect(await ended()).toBe('end');
  expect(peer.path).toBe(`${PATH}10&watch=1`);
  expect(screen).toBe('(90x20)first second th');
  expect(output.beginsWithOldest).toBe(false);
});

test('that the log no longer contains is read from the first stored byte', async () => {
  read(10, 30);
  const peer = await sockets.peer(0);
  peer.send(snapshot(20));
  peer.print(20, 'half\nwhole');
  expect(await ended()).toBe('end');
  expect(screen).toBe('(80x24)whole');
  expect(output.beginsWithOldest).toBe(true);
});

test('of which nothing is stored any more is reported', async () => {
  read(10, 30);
  (await sockets.peer(0)).send(snapshot(30));
  expect(await ended()).toBe('The console no longer stores the earlier output.');
});

test('that the log drops while it is read is read again, as far as it is still stored', async () => {
  read(0, 30);
  const first = await sockets.peer(0);
  first.print(0, 'first ');
  first.send(snapshot(1_000, 'screen'));
  const second = await sockets.peer(1);
  expect(second.path).toBe(`${PATH}0&watch=1`);
  second.send(snapshot(20));
  second.print(20, 'half\nwhole');
  expect(await ended()).toBe('end');
  expect(screen).toBe('(80x24)whole');
  expect(output.beginsWithOldest).toBe(true);
});

test('is read again if the log drops the first stored byte before it is read', async () => {
  read(0, 30);
  const first = await sockets.peer(0);
  first.send(snapshot(10));
  first.send(snapshot(1_000, 'screen'));
  const second = await sockets.peer(1);
  second.send(snapshot(20));
  second.print(20, 'half\nwhole');
  expect(await ended()).toBe('end');
  expect(screen).toBe('(80x24)whole');
});

test('that is missed again and again is reported', async () => {
  read(0, 30);
  for (let number = 0; number < 4; number += 1) {
    const peer = await sockets.peer(number);
    peer.print(0, 'first ');
    peer.send(snapshot(1_000));
  }
  expect(await ended()).toContain('Try again.');
  expect(sockets.peers).toHaveLength(4);
});

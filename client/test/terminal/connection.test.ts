import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TerminalConnection } from '../../src/terminal/connection.ts';
import { ConsoleSockets } from './console-sockets.ts';

let sockets: ConsoleSockets;
let link: TerminalConnection;
/** Terminal output and other frames from the server, in the order in which they arrived. */
let screen: string[];
let state: string;
let problems: string[];

function open(fromOffset?: number): void {
  screen = [];
  problems = [];
  state = '';
  const note = (line: string) => {
    screen.push(line);
    sockets.changed();
  };
  link = new TerminalConnection(
    'session',
    'worker',
    {
      onOutput(bytes, shown) {
        note(Buffer.from(bytes).toString());
        shown();
      },
      onSnapshot: ({ cols, rows, data }) => note(`[${cols}x${rows}]${data}`),
      onResized: ({ cols, rows }) => note(`(${cols}x${rows})`),
      onExit: (code, signal) => note(`end ${code ?? signal}`),
      onDriver: (you) => note(`driver ${you}`),
      onState: ({ kind }) => {
        state = kind;
        sockets.changed();
      },
      onInput: () => sockets.changed(),
      onProblem: (message) => {
        problems.push(message);
        sockets.changed();
      },
    },
    fromOffset === undefined ? {} : { fromOffset },
  );
}

beforeEach(async () => {
  sockets = await ConsoleSockets.start();
});

afterEach(async () => {
  link.close();
  await sockets.close();
});

const seen = (count: number) => sockets.until(() => screen.length >= count);
const snapshot = (offset: number, data = '') => ({ type: 'snapshot', offset, cols: 80, rows: 24, data }) as const;

describe('output', () => {
  test('starts with a screen snapshot and continues after it', async () => {
    open();
    const peer = await sockets.peer(0);
    peer.send(snapshot(100, 'old'));
    peer.print(100, 'new');
    await seen(2);
    expect(peer.path).toBe('/ws/session/session/worker/worker');
    expect(screen).toEqual(['[80x24]old', 'new']);
  });

  test('stops while it is suspended, and continues without a gap', async () => {
    open();
    const first = await sockets.peer(0);
    first.send(snapshot(0));
    first.print(0, 'one ');
    await seen(2);
    link.suspend();
    await sockets.until(() => first.isClosed);
    expect(state).toBe('open');
    link.resume();
    link.resume();
    const second = await sockets.peer(1);
    expect(second.path).toBe('/ws/session/session/worker/worker?fromOffset=4');
    second.print(4, 'two');
    await seen(3);
    expect(screen.at(-1)).toBe('two');
    expect(sockets.peers).toHaveLength(2);
  });

  test('is suspended only after all input is accepted', async () => {
    open();
    const peer = await sockets.peer(0);
    peer.send(snapshot(0));
    await seen(1);
    link.type('x');
    link.suspend();
    await sockets.until(() => peer.inputIds.length === 1);
    expect(peer.isClosed).toBe(false);
    peer.send({ type: 'accepted', inputId: peer.inputIds[0] ?? '' });
    await sockets.until(() => peer.isClosed);
    expect(link.bufferedChars).toBe(0);
  });

  test('resumes at the next byte after a disconnect, with resizes in order', async () => {
    open();
    const first = await sockets.peer(0);
    first.send(snapshot(0));
    first.print(0, 'one ');
    await seen(2);
    first.cut();
    const second = await sockets.peer(1);
    expect(second.path).toBe('/ws/session/session/worker/worker?fromOffset=4');
    second.print(4, 'two ');
    second.send({ type: 'resized', offset: 8, cols: 100, rows: 30 });
    second.print(8, 'three');
    await seen(5);
    expect(screen.slice(1)).toEqual(['one ', 'two ', '(100x30)', 'three']);
  });

  test('received twice is shown once', async () => {
    open(0);
    const peer = await sockets.peer(0);
    peer.print(0, 'abcdef');
    peer.print(2, 'cd');
    peer.print(4, 'efgh');
    await seen(2);
    expect(screen).toEqual(['abcdef', 'gh']);
  });

  test('with a gap is not shown; the screen restarts from a snapshot', async () => {
    open();
    const first = await sockets.peer(0);
    first.send(snapshot(0));
    first.print(0, 'abc');
    first.print(10, 'xyz');
    const second = await sockets.peer(1);
    expect(second.path).toBe('/ws/session/session/worker/worker');
    second.send(snapshot(13, 'abc…xyz'));
    await seen(3);
    expect(screen).toEqual(['[80x24]', 'abc', '[80x24]abc…xyz']);
  });

  test('with repeated gaps ends the connection with an error', async () => {
    open();
    for (let number = 0; number < 3; number += 1) (await sockets.peer(number)).print(5, 'x');
    await sockets.until(() => state === 'ended');
    expect(screen).toEqual([]);
    expect(sockets.peers).toHaveLength(3);
  });

  test('is acknowledged in intervals, and after a pause', async () => {
    open(0);
    const peer = await sockets.peer(0);
    const block = 'x'.repeat(140_000);
    peer.print(0, block);
    peer.print(140_000, block);
    peer.print(280_000, 'end');
    const acks = () => peer.received.flatMap((frame) => (frame.type === 'ack' ? [frame.offset] : []));
    await sockets.until(() => acks().length === 3);
    expect(acks()).toEqual([140_000, 280_000, 280_003]);
  });
});

describe('a reconnection', () => {
  test('closes the connection that it replaces', async () => {
    open();
    const first = await sockets.peer(0);
    await sockets.until(() => first.isIdentified);
    link.retryNow();
    const second = await sockets.peer(1);
    second.send(snapshot(0));
    await sockets.until(() => state === 'open' && first.isClosed);
    expect(second.isClosed).toBe(false);
  });
});

describe('input', () => {
  test('while disconnected is sent after connecting, as one input', async () => {
    open();
    for (const key of 'hello') expect(link.type(key)).toBe(true);
    expect(link.bufferedChars).toBe(5);
    const peer = await sockets.peer(0);
    peer.send(snapshot(0));
    await sockets.until(() => peer.inputs.length > 0);
    expect(peer.inputs).toEqual(['hello']);
  });

  test('that was not accepted before a disconnect is sent again with its id, and nothing else is', async () => {
    open();
    const first = await sockets.peer(0);
    first.send(snapshot(0));
    await sockets.until(() => state === 'open');
    link.type('a');
    link.type('b');
    await sockets.until(() => first.inputs.length === 2);
    const [a, b] = first.inputIds;
    first.send({ type: 'accepted', inputId: a ?? '' });
    await sockets.until(() => link.bufferedChars === 1);
    first.cut();
    await sockets.until(() => state === 'waiting');
    link.type('c');
    const second = await sockets.peer(1);
    second.send({ type: 'resized', offset: 0, cols: 80, rows: 24 });
    await sockets.until(() => second.inputs.length === 2);
    expect(second.inputs).toEqual(['b', 'c']);
    expect(second.inputIds[0]).toBe(b);
    expect(second.inputIds[1]).not.toBe(a);
  });

  test('that is rejected permanently is not sent again, and the reason is shown', async () => {
    open();
    const peer = await sockets.peer(0);
    peer.send(snapshot(0));
    await sockets.until(() => state === 'open');
    link.type('x');
    const inputId = await sockets.until(() => peer.inputIds[0]);
    const error = { code: 'NOT_FOUND', message: 'No such worker.', details: { inputId }, retryable: false } as const;
    peer.send({ type: 'error', error });
    await sockets.until(() => problems.length > 0);
    expect(problems).toEqual(['No such worker.']);
    expect(link.bufferedChars).toBe(0);
  });

  test('that the program did not read before it ended is reported', async () => {
    open();
    const peer = await sockets.peer(0);
    peer.send(snapshot(0));
    await sockets.until(() => state === 'open');
    link.type('make test');
    peer.send({ type: 'exited', offset: 0, exitCode: 1, signal: null });
    await sockets.until(() => problems.length > 0);
    expect(screen).toEqual(['[80x24]', 'end 1']);
    expect(problems[0]).toContain('9 characters');
    expect(link.type('more')).toBe(false);
  });
});

import { ConsoleError } from '@agent-console/shared/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bytesAt, FileRunner } from '../../streams/file-runner.ts';
import { until } from '../../streams/recorder.ts';
import { type Client, createFixture, type Fixture, OWNER_TOKEN, SESSION, WATCHER_TOKEN } from './fixture.ts';

let runner: FileRunner;
let fixture: Fixture;
let path: string;

beforeEach(async () => {
  runner = await FileRunner.create(() => 30_000);
  fixture = await createFixture(runner);
  path = `/ws/session/${SESSION}/worker/${runner.workerId}`;
});

afterEach(async () => {
  await fixture.close();
  await runner.dispose();
  expect(fixture.bugs).toEqual([]);
});

const owner = (query = '') => fixture.connect(path + query, { token: OWNER_TOKEN });
const watcher = (query = '') => fixture.connect(path + query, { token: WATCHER_TOKEN });

/** Expects that the received bytes are the output from `from` on, without gaps. Returns the offset of the next byte. */
function expectStretch(client: Client, from: number): number {
  let next = from;
  for (const { offset, data } of client.output) {
    expect(offset).toBe(next);
    expect(data.equals(bytesAt(offset, data.length))).toBe(true);
    next += data.length;
  }
  return next;
}

describe('output', () => {
  test('begins with a snapshot at the end, continues as bytes with their offsets, and ends with the exit', async () => {
    runner.print(1_000);
    const client = owner();
    expect(await client.first('snapshot')).toEqual({ type: 'snapshot', offset: 1_000, cols: 100, rows: 30, data: '' });
    expect(client.frames[0]?.type).toBe('snapshot');
    runner.print(5_000);
    runner.resizeNow(90, 20);
    runner.print(5);
    runner.exit(2);
    expect(await client.first('exited')).toEqual({ type: 'exited', offset: 6_005, exitCode: 2, signal: null });
    expect(client.of('resized')).toEqual([{ type: 'resized', offset: 6_000, cols: 90, rows: 20 }]);
    expect(expectStretch(client, 1_000)).toBe(6_005);
  });

  test('resumes exactly at an offset, without a snapshot', async () => {
    runner.print(100_000);
    runner.exit(0);
    const client = owner('?fromOffset=12345');
    await client.first('exited');
    expect(expectStretch(client, 12_345)).toBe(100_000);
    expect(client.of('snapshot')).toEqual([]);
  });

  test('stops one window after the last acknowledgement, and continues after the next', async () => {
    const client = owner('?fromOffset=0');
    await client.first('driver');
    runner.print(3_000_000);
    runner.exit(0);
    await client.until(() => client.received >= 1_048_576);
    await client.send({ type: 'ping' });
    await client.first('pong');
    expect(client.received).toBe(1_048_576);
    for (let acked = 0; client.of('exited').length === 0; ) {
      const reached = client.received;
      if (reached > acked) {
        acked = reached;
        await client.send({ type: 'ack', offset: acked });
      }
      await client.until(() => client.received > acked || client.of('exited').length > 0);
    }
    expect(expectStretch(client, 0)).toBe(3_000_000);
  });

  test('is limited to one window for a viewer that does not read, and complete for another viewer', async () => {
    const stuck = owner('?fromOffset=0');
    await stuck.first('driver');
    stuck.socket.pause();
    const reading = owner('?fromOffset=0');
    await reading.first('driver');
    runner.print(4_000_000);
    for (let acked = 0; reading.received < 4_000_000; ) {
      await reading.until(() => reading.received > acked);
      acked = reading.received;
      await reading.send({ type: 'ack', offset: acked });
    }
    expect(expectStretch(reading, 0)).toBe(4_000_000);
    stuck.socket.resume();
    await stuck.until(() => stuck.received >= 1_048_576);
    expect(expectStretch(stuck, 0)).toBe(1_048_576);
    stuck.socket.terminate();
    await stuck.closed;
  });
});

describe('the keyboard', () => {
  test('confirms each input that has an id, when the terminal has accepted it', async () => {
    const client = owner();
    await client.send({ type: 'input', data: 'a' });
    await client.send({ type: 'input', data: 'b', inputId: 'two' });
    expect(await client.first('accepted')).toEqual({ type: 'accepted', inputId: 'two' });
    await client.send({ type: 'input', data: 'b', inputId: 'two' });
    await client.until(() => client.of('accepted').length === 2);
    expect(client.of('accepted')).toHaveLength(2);
  });

  test('does not confirm an input that still waits for the terminal', async () => {
    let open = () => {};
    fixture.typing.gate = new Promise((resolve) => {
      open = resolve;
    });
    const client = owner();
    await client.send({ type: 'input', data: 'a', inputId: 'one' });
    await client.send({ type: 'ping' });
    await client.first('pong');
    expect(client.of('accepted')).toEqual([]);
    open();
    await client.first('accepted');
  });

  test('reports an error with the id of an input that the terminal did not accept', async () => {
    fixture.typing.gate = Promise.reject(new ConsoleError('NOT_FOUND', 'It has ended', { workerId: 'w' }));
    fixture.typing.gate.catch(() => {});
    const client = owner();
    await client.send({ type: 'input', data: 'a', inputId: 'one' });
    const { error } = await client.first('error');
    expect(error).toMatchObject({ code: 'NOT_FOUND', details: { workerId: 'w', inputId: 'one' } });
    expect(client.of('accepted')).toEqual([]);
  });

  test('types inputs in order, with their ids, and gives ids to inputs without one', async () => {
    const client = owner();
    await client.send({ type: 'input', data: 'a', inputId: 'one' });
    await client.send({ type: 'input', data: 'ü\r' });
    await until(() => fixture.typed.length === 2);
    expect(fixture.typed[0]).toEqual({ inputId: 'one', text: 'a' });
    expect(fixture.typed[1]?.text).toBe('ü\r');
    expect(fixture.typed[1]?.inputId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('types everything it received, even if the peer has disconnected', async () => {
    let open = () => {};
    fixture.typing.gate = new Promise((resolve) => {
      open = resolve;
    });
    const client = owner();
    await client.send({ type: 'input', data: 'first' });
    await client.send({ type: 'input', data: 'second' });
    client.socket.close();
    await client.closed;
    open();
    await until(() => fixture.typed.length === 2);
    expect(fixture.typed.map(({ text }) => text)).toEqual(['first', 'second']);
  });

  test('stops reading frames while too many inputs wait for the terminal', async () => {
    let open = () => {};
    fixture.typing.gate = new Promise((resolve) => {
      open = resolve;
    });
    const client = owner();
    await client.first('snapshot');
    const line = 'x'.repeat(200_000);
    for (let n = 0; n < 60; n += 1) client.socket.send(JSON.stringify({ type: 'input', data: line }));
    client.socket.send(JSON.stringify({ type: 'ping' }));
    const other = owner();
    await other.send({ type: 'ping' });
    await other.first('pong');
    expect(client.of('pong')).toEqual([]);
    open();
    await client.first('pong');
    await until(() => fixture.typed.length === 60);
  });

  test('is refused to callers who may only watch', async () => {
    const client = watcher();
    expect(await client.first('driver')).toEqual({ type: 'driver', you: false });
    for (const frame of [
      { type: 'input', data: 'x' },
      { type: 'resize', cols: 80, rows: 24 },
      { type: 'takeDriver' },
    ]) {
      await client.send(frame);
    }
    await client.until(() => client.of('error').length === 3);
    for (const frame of client.of('error')) expect(frame).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
    expect(fixture.typed).toEqual([]);
    expect(fixture.sizes).toEqual([]);
  });
});

describe('the size', () => {
  test('is set by one driver: the first that can type, then one that takes over, then a remaining one', async () => {
    const watching = watcher();
    await watching.first('driver');
    const first = owner();
    expect(await first.first('driver')).toEqual({ type: 'driver', you: true });
    const second = owner();
    expect(await second.first('driver')).toEqual({ type: 'driver', you: false });

    await second.send({ type: 'resize', cols: 50, rows: 10 });
    expect(await second.first('error')).toMatchObject({ error: { code: 'CONFLICT' } });
    await first.send({ type: 'resize', cols: 60, rows: 20 });
    await until(() => fixture.sizes.length === 1);

    await second.send({ type: 'takeDriver' });
    await second.until(() => second.of('driver').length === 2);
    await first.until(() => first.of('driver').length === 2);
    expect([first.of('driver')[1]?.you, second.of('driver')[1]?.you]).toEqual([false, true]);
    await second.send({ type: 'resize', cols: 70, rows: 30 });
    await until(() => fixture.sizes.length === 2);
    expect(fixture.sizes).toEqual([
      [60, 20],
      [70, 30],
    ]);

    second.socket.close();
    await first.until(() => first.of('driver').length === 3);
    expect(first.of('driver')[2]?.you).toBe(true);
    expect(watching.of('driver')).toHaveLength(1);
  });

  test('is never set by a viewer that only watches', async () => {
    const watching = owner('?watch=1');
    expect(await watching.first('driver')).toEqual({ type: 'driver', you: false });
    const first = owner();
    expect(await first.first('driver')).toEqual({ type: 'driver', you: true });
    first.socket.close();
    await owner().first('driver');
    expect(watching.of('driver')).toHaveLength(1);
  });

  test('is taken over "when idle" only from a viewer that has not typed', async () => {
    const first = owner();
    await first.first('driver');
    const second = owner();
    await second.first('driver');
    await second.send({ type: 'takeDriver', whenIdle: true });
    await second.until(() => second.of('driver').length === 2);
    expect(second.of('driver')[1]?.you).toBe(true);

    await second.send({ type: 'input', data: 'x', inputId: 'typed' });
    await second.first('accepted');
    await first.send({ type: 'takeDriver', whenIdle: true });
    await first.send({ type: 'ping' });
    await first.first('pong');
    expect(first.of('driver').map(({ you }) => you)).toEqual([true, false]);
  });
});

describe('a peer that sends an invalid frame', () => {
  test.each([
    ['not JSON', '{'],
    ['an unknown type', { type: 'dance' }],
    ['an unknown field', { type: 'ack', offset: 1, extra: true }],
    ['a negative offset', { type: 'ack', offset: -1 }],
    ['a size beyond all terminals', { type: 'resize', cols: 5_000, rows: 2 }],
    ['empty input', { type: 'input', data: '' }],
    ['input beyond the limit', { type: 'input', data: 'x'.repeat(262_145) }],
  ])('gets an error: %s', async (_name, frame) => {
    const client = owner();
    await client.send(frame);
    expect(await client.first('error')).toMatchObject({ error: { code: 'VALIDATION' } });
    await client.send({ type: 'input', data: 'still here' });
    await until(() => fixture.typed.length === 1);
  });

  test('is disconnected after too many such frames, without effect on others', async () => {
    const other = owner();
    await other.first('snapshot');
    const client = owner();
    await client.first('snapshot');
    for (let n = 0; n < 30; n += 1) client.socket.send(Buffer.from([n]), { binary: true });
    expect((await client.closed).code).toBe(4400);
    runner.print(10);
    await other.until(() => other.received === 10);
  });

  test('is disconnected if a frame is larger than any valid one', async () => {
    const client = owner();
    await client.send({ type: 'input', data: 'x'.repeat(1_100_000) });
    expect((await client.closed).code).toBe(1009);
  });
});

test('for an unknown worker, an error is sent and the connection closed', async () => {
  const client = fixture.connect(`/ws/session/${SESSION}/worker/01900000-dead`, { token: OWNER_TOKEN });
  expect(await client.first('error')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect((await client.closed).code).toBe(4404);
});

test('when the runner ends, the terminal gets the last output and an exit without code or signal', async () => {
  const client = owner('?fromOffset=0');
  await client.first('driver');
  runner.print(100);
  runner.goAway();
  expect(await client.first('exited')).toEqual({ type: 'exited', offset: 100, exitCode: null, signal: null });
  expect(expectStretch(client, 0)).toBe(100);
});

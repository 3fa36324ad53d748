import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Worker } from '@agent-console/shared/models/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { toPublicEvent } from '../../src/engine/access/public-event.ts';
import { createEventHub } from '../../src/events/hub.ts';
import type { Gate } from '../../src/operations/operation.ts';
import type { EventRow } from '../../src/ports/rows.ts';
import type { StoreReader } from '../../src/ports/storage.ts';
import type { OutputStreams } from '../../src/ports/terminals.ts';
import type { LocalRunner } from '../../src/runner/client.ts';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import { createWebSocketSurface, type WebSocketSurface } from '../../src/surfaces/websocket/surface.ts';
import { seqOutput, sha256, shell, terminal, useRunner } from '../runner/helpers.ts';

const FLOOD_LINES = process.env.LONG ? 5_000_000 : 200_000;

const tests = useRunner();
let runner: LocalRunner;
let streams: OutputStreams;
let surface: WebSocketSurface;
let port: number;
const server = createServer();

beforeAll(async () => {
  ({ runner } = await tests.start());
  streams = createOutputStreams(runner);
  surface = createWebSocketSurface({
    gate: {} as Gate,
    events: createEventHub({} as StoreReader<EventRow>, 0, toPublicEvent),
    identity: {
      identify: async () => ({ kind: 'user', userId: 'u', scopes: ['read', 'write'], via: 'peer' }),
      identifyToken: async () => ({ kind: 'nobody', reason: 'no tokens here' }),
      isOwnUser: async () => true,
      isOtherUser: async () => false,
    },
    terminals: {
      open: async (_caller, _sessionId, workerId) => ({
        worker: { id: ids.get(workerId), type: 'agent' } as Worker,
        canType: true,
      }),
      type: async (workerId, inputId, data) => void (await runner.input(workerId, inputId, data)),
      resize: (workerId, cols, rows) => runner.resize(workerId, cols, rows),
    },
    streams,
    guard: () => undefined,
  });
  server.on('upgrade', surface.handleUpgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  await surface.close();
  server.close();
  runner.close();
});

/** Maps the worker ids in URLs, which must be complete UUIDs, to the worker ids of the runner. */
const ids = new Map<string, string>();
let lastId = 0;

function address(workerId: string, query: string): string {
  lastId += 1;
  const id = `0190000${lastId.toString(16)}-0000-7000-8000-000000000000`.slice(0, 36);
  ids.set(id, workerId);
  return `ws://127.0.0.1:${port}/ws/session/${id}/worker/${id}${query}`;
}

interface Watched {
  next: number;
  hash: string;
  exited: { offset: number; exitCode: number | null };
}

/**
 * Watches a worker to its end, and acknowledges every 128 kB. Disconnects after every `breakAfter` bytes, and continues
 * on a new connection.
 */
async function watch(workerId: string, breakAfter = Number.POSITIVE_INFINITY): Promise<Watched> {
  const hash = createHash('sha256');
  let next = 0;
  for (;;) {
    const end = next + breakAfter;
    const socket = new WebSocket(address(workerId, `?fromOffset=${next}`), { perMessageDeflate: false });
    let acked = next;
    const exited = await new Promise<Watched['exited'] | undefined>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => resolve(undefined));
      socket.on('message', (data, isBinary) => {
        // Frames that were still on the way when the connection was closed are ignored.
        if (socket.readyState !== socket.OPEN) return;
        const bytes = data as Buffer;
        if (!isBinary) {
          const frame = JSON.parse(bytes.toString());
          if (frame.type === 'exited') resolve(frame);
          if (frame.type === 'snapshot' || frame.type === 'error') reject(new Error(bytes.toString()));
          return;
        }
        if (Number(bytes.readBigUInt64BE(0)) !== next) reject(new Error(`expected ${next}`));
        hash.update(bytes.subarray(8));
        next += bytes.length - 8;
        if (next - acked >= 131_072) {
          acked = next;
          socket.send(JSON.stringify({ type: 'ack', offset: next }));
        }
        if (next >= end) socket.terminate();
      });
    });
    socket.terminate();
    if (exited !== undefined) return { next, hash: hash.digest('hex'), exited };
  }
}

test('a flood completely reaches a viewer that stays connected and viewers that reconnect', async () => {
  const flood = terminal('seq', ['1', `${FLOOD_LINES}`]);
  await runner.spawn(flood);
  const watched = await Promise.all([
    watch(flood.workerId),
    watch(flood.workerId, 700_001),
    watch(flood.workerId, 1_234_567),
  ]);
  const wanted = seqOutput(FLOOD_LINES);
  for (const { next, hash, exited } of watched) {
    expect(next).toBe(wanted.length);
    expect(hash).toBe(sha256(wanted));
    expect(exited).toMatchObject({ offset: wanted.length, exitCode: 0 });
  }
});

test('a worker that has ended, or that the runner has forgotten, can be watched to its end', async () => {
  const short = shell('printf hello; exit 3');
  await runner.spawn(short);
  expect((await watch(short.workerId)).exited).toMatchObject({ offset: 5, exitCode: 3 });
  await runner.forget(short.workerId);
  const again = await watch(short.workerId);
  expect(again.hash).toBe(sha256('hello'));
  expect(again.exited).toMatchObject({ offset: 5, exitCode: 3 });
});

test('keys and sizes reach the terminal, and viewers are told the new size', async () => {
  const cat = shell('stty size; read line; stty size; echo "got $line"');
  await runner.spawn(cat);
  const socket = new WebSocket(address(cat.workerId, '?fromOffset=0'), { perMessageDeflate: false });
  let text = '';
  const marks: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      if (isBinary) {
        const first = text === '';
        text += bytes.subarray(8).toString();
        if (first) socket.send(JSON.stringify({ type: 'resize', cols: 61, rows: 17 }));
        return;
      }
      const frame = JSON.parse(bytes.toString());
      if (frame.type === 'resized') {
        marks.push(`${frame.cols}x${frame.rows}`);
        if (frame.cols === 61) socket.send(JSON.stringify({ type: 'input', data: 'words\r' }));
      }
      if (frame.type === 'exited') resolve();
    });
  });
  socket.terminate();
  expect([...new Set(marks)]).toEqual(['80x24', '61x17']);
  expect(text.replaceAll('\r', '')).toBe('24 80\nwords\n17 61\ngot words\n');
});

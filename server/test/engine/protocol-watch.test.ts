import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACP_INITIALIZE_MS, ACP_OPENING_MS } from '@agent-console/shared/limits/acp';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAcp } from '../../src/acp/protocol.ts';
import { NEW_CONNECTION, OPENING_FILE, type ProtocolState } from '../../src/domain/protocol.ts';
import { watchProtocol } from '../../src/engine/processes/protocol-watch.ts';
import { createHost } from '../../src/machine/host.ts';
import type { ProcessExit } from '../../src/ports/runner.ts';
import { bootId, sessionMembers, startTimeOf } from '../../src/runner/processes.ts';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';
import { createMemoryRunner } from '../support/memory-runner/runner.ts';
import { sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const deps = { now: () => new Date(), newId: uuidv7 };
const author = { actor: 'system' };
const workerId = uuidv7();
const CHUNK = JSON.stringify({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: 's',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(1_000) } },
  },
});
/** Number of bytes that exceeds the window and all buffers of the stream. */
const FLOOD_BYTES = 8 * STREAM_WINDOW_BYTES;

const over: (() => unknown)[] = [];
let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
  over.push(() => opened.close());
});
afterEach(async () => {
  vi.useRealTimers();
  for (const end of over.splice(0).reverse()) await end();
});

/** Runs this program as an agent, and watches its output. Each write to the database first waits for `hold`. */
async function watch(program: OpenProgram, protocol: ProtocolState, hold: () => Promise<void> = async () => {}) {
  const { storage } = opened;
  const cwd = mkdtempSync(join(tmpdir(), 'agent-console-watch-'));
  over.push(() => rmSync(cwd, { recursive: true }));
  const { session, worker } = await storage.write(author, async (tx) => {
    const row = await tx.sessions.insert(sessionRow(uuidv7(), { cwd, nativeId: 's' }));
    const task = { id: uuidv7(), sessionId: row.id, kind: 'prompt', prompt: 'Hello', sourceKind: 'person' } as const;
    await tx.tasks.insert({
      ...task,
      status: 'running',
      notifyOnCompletion: true,
      position: 1,
      createdAt: row.createdAt,
    });
    const at = { activitySince: row.createdAt, createdAt: row.createdAt };
    const fields = { sessionId: row.id, type: 'agent', cols: 80, rows: 24, state: 'running', ...at } as const;
    return { session: row, worker: await tx.workers.insert({ ...fields, id: workerId, protocol }) };
  });
  const files = join(cwd, 'workers', workerId, 'process');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, OPENING_FILE), '{"own":null,"others":[]}');
  const memory = createMemoryRunner({ program: () => program });
  over.push(() => memory.close());
  const runner = memory.connect();
  await runner.spawn({ workerId, mode: 'pipe', file: process.execPath, args: [], cwd, env: {}, cols: 80, rows: 24 });
  const acp = createAcp('1.0.0');
  let received = 0;
  let onExit: (exit: ProcessExit) => void = () => {};
  const exited = new Promise<ProcessExit>((resolve) => {
    onExit = resolve;
  });
  const watched = watchProtocol(
    {
      ...deps,
      storage: {
        ...storage,
        write: async (...args) => {
          await hold();
          return storage.write(...args);
        },
      },
      orchestrationFiles: { sharedFolder: () => '' },
      streams: createOutputStreams(runner),
      runner,
      protocol: {
        ...acp,
        createReader(offset) {
          const reader = acp.createReader(offset);
          return {
            push(at, data, nativeId) {
              received = at + data.length;
              return reader.push(at, data, nativeId);
            },
          };
        },
      },
      host: createHost({ home: cwd, port: 1, environment: {}, processes: { startTimeOf, sessionMembers, bootId } }),
      audit: { row: async () => expect.fail('nothing is refused') },
      terminals: () => expect.fail('no terminal is opened'),
      onError: (error) => {
        throw error;
      },
    },
    {
      worker,
      session,
      agent: { name: 'Agent', command: [], kind: { protocolModes: {} } },
      retryUntilDone: (work) => work(),
      onOutput() {},
      onExit: async (exit) => onExit(exit),
      onFailed(error) {
        throw error;
      },
    },
  );
  over.push(() => watched.close());
  return { storage, exited, received: () => received };
}

it('reads at most a window ahead of the database, however fast the agent writes, and misses nothing', async () => {
  const lines = Math.ceil(FLOOD_BYTES / (CHUNK.length + 1));
  const program: OpenProgram = ({ print, ended }) => {
    setImmediate(() => {
      print(`${CHUNK}\n`.repeat(lines));
      ended({ exitCode: 0, signal: null });
    });
    return { input() {}, signal() {}, stop() {} };
  };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { storage, exited, received } = await watch(program, { ...NEW_CONNECTION, phase: 'ready' }, () => released);
  await vi.waitFor(() => expect(received()).toBeGreaterThan(0));
  // After 100 ticks of the event loop, only work that waits for the database is left, so no more output is read.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(received()).toBeLessThanOrEqual(STREAM_WINDOW_BYTES);
  release();
  expect(await exited).toMatchObject({ exitCode: 0, offset: lines * (CHUNK.length + 1) });
  expect((await storage.read.workers.get(workerId))?.scanOffset).toBe(lines * (CHUNK.length + 1));
});

it.each([
  {
    what: 'introduce itself',
    said: 'Usage: agent [--acp]\n',
    begun: ({ fault }: ProtocolState) => fault !== undefined,
    limit: ACP_INITIALIZE_MS,
    why: /did not answer the first request within 30 s.*not JSON: Usage: agent \[--acp\]/,
  },
  {
    what: 'open its conversation',
    said: '{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":1}}\n',
    begun: (_: ProtocolState, heard: string) => heard.includes('session/'),
    limit: ACP_OPENING_MS,
    why: /did not open its conversation within 180 s/,
  },
])('ends an agent that does not $what within the time limit, and says so', async ({ said, begun, limit, why }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let heard = '';
  const program: OpenProgram = ({ print, ended }) => ({
    input(data) {
      heard += data;
      if (!data.includes('initialize')) return;
      // The agent answers `initialize` just before the time limit for this answer. The time until then does not count
      // towards the time limit for opening the conversation.
      if (limit !== ACP_INITIALIZE_MS) vi.advanceTimersByTime(ACP_INITIALIZE_MS - 1);
      print(said);
    },
    signal: (signal) => ended({ exitCode: null, signal }),
    stop() {},
  });
  const { storage, exited } = await watch(program, NEW_CONNECTION);
  const state = async () => (await storage.read.workers.get(workerId))?.protocol ?? NEW_CONNECTION;
  while (!begun(await state(), heard)) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(limit - 1);
  expect((await state()).phase).not.toBe('failed');
  vi.advanceTimersByTime(1);
  expect(await exited).toMatchObject({ signal: 'SIGHUP' });
  expect((await state()).phase).toBe('failed');
  expect(await storage.read.tasks.find({})).toMatchObject([
    { status: 'failed', errorMessage: expect.stringMatching(why) },
  ]);
});

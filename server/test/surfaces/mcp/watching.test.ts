import { once } from 'node:events';
import { connect } from 'node:net';
import {
  MCP_STREAM_BYTES_MAX,
  RESOURCE_SUBSCRIPTIONS_MAX,
  RESOURCE_UPDATE_EVENTS_MAX,
} from '@agent-console/shared/limits/mcp';
import type { ConsoleEvent, EventType } from '@agent-console/shared/models/event';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/caller.ts';
import type { CommittedEvent } from '../../../src/ports/events.ts';
import { createAccessMonitor } from '../../../src/surfaces/http/access-monitor.ts';
import { createListeners } from '../../../src/surfaces/mcp/listening.ts';
import { createStreams } from '../../../src/surfaces/mcp/streams.ts';
import { type Changes, createWatchers, createWatchList } from '../../../src/surfaces/mcp/watching.ts';
import { AGENT, createTestGate, deferred, SESSION, STRANGER, startServer, WORKER } from '../http/harness.ts';

let seq = 0;
function event(type: EventType, subject: ConsoleEvent['subject'], sessionId: string | null): CommittedEvent {
  seq += 1;
  return { event: { seq, at: new Date().toISOString(), type, subject, actor: 'system', data: {} }, sessionId };
}
const changed = () => event('session.updated', { kind: 'session', id: SESSION }, SESSION);

function hub() {
  let listener: (events: readonly CommittedEvent[]) => void = () => {};
  const watchers = createWatchers({
    filterFor: async () => undefined,
    onEvents(each) {
      listener = each;
      return () => {};
    },
  });
  return { watchers, commit: (...events: CommittedEvent[]) => listener(events) };
}

describe('a watcher', () => {
  it('is told of changes to the session that it watches and what belongs to that, and of no others', async () => {
    const { watchers, commit } = hub();
    const told: string[] = [];
    const second = deferred();
    await watchers.add(SESSION, AGENT, (changes) => {
      told.push(...changes.map(({ type }) => type));
      if (told.length === 2) second.resolve();
    });
    commit(event('session.created', { kind: 'session', id: 'another' }, 'another'));
    commit(changed());
    commit(event('worker.exited', { kind: 'worker', id: WORKER }, SESSION));
    await second.promise;
    expect(told).toEqual(['session.updated', 'worker.exited']);
  });

  it('is told the first change of a burst at once, and then the newest of the others together', async () => {
    const { watchers, commit } = hub();
    const calls: Changes[] = [];
    const second = deferred();
    await watchers.add(SESSION, AGENT, (changes) => {
      calls.push(changes);
      if (calls.length === 2) second.resolve();
    });
    const first = seq + 1;
    for (let n = 0; n < 1_000; n += 1) commit(changed());
    expect(calls.map((call) => call.length)).toEqual([1]);
    await second.promise;
    expect(calls[0]?.[0]?.seq).toBe(first);
    expect(calls[1]).toHaveLength(RESOURCE_UPDATE_EVENTS_MAX);
    expect(calls[1]?.at(-1)?.seq).toBe(first + 999);
  });
});

describe('a list of watched resources', () => {
  it('has a limit, and stops watching all its resources when it is closed', async () => {
    const watching = new Set<string>();
    const list = createWatchList(
      async (uri) => {
        watching.add(uri);
        return () => watching.delete(uri);
      },
      () => {},
    );
    for (let n = 0; n < RESOURCE_SUBSCRIPTIONS_MAX; n += 1) await list.add(`agor://session/${n}`, AGENT);
    await list.add('agor://session/0', AGENT);
    await expect(list.add('agor://session/more', AGENT)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    list.remove('agor://session/0');
    await list.add('agor://session/more', AGENT);
    expect(watching.size).toBe(RESOURCE_SUBSCRIPTIONS_MAX);
    list.close();
    expect(watching.size).toBe(0);
  });
});

describe('a stream of the 2026 era', () => {
  const listen = (resourceSubscriptions: unknown) => ({
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions } },
  });

  it('watches its resources until it ends, and none if it is refused', async () => {
    const watching = new Set<string>();
    const listeners = createListeners(
      async (uri) => {
        watching.add(uri);
        return () => watching.delete(uri);
      },
      () => {},
    );
    const told: unknown[] = [];
    let leave = () => {};
    await listeners.answer(listen(['a', 'b', 'a']), AGENT, async () => {
      leave = listeners.bus.subscribe((each) => told.push(each));
      return new Response('');
    });
    expect([...watching]).toEqual(['a', 'b']);
    leave();
    expect(watching.size).toBe(0);
    await listeners.answer(listen(['c']), AGENT, async () => new Response('refused'));
    expect(watching.size).toBe(0);
    await expect(
      listeners.answer(
        listen(Array.from({ length: RESOURCE_SUBSCRIPTIONS_MAX + 1 }, (_, n) => `${n}`)),
        AGENT,
        async () => new Response(''),
      ),
    ).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});

describe('a forwarded stream', () => {
  const accessMonitor = (heartbeatMs?: number) =>
    createAccessMonitor({ onEvents: () => () => {} }, () => {}, heartbeatMs);
  const endless = (bytes: number) => {
    const cancelled = deferred();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(bytes)),
      cancel: () => cancelled.resolve(),
    });
    return { cancelled, response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }) };
  };

  it('ends when too much of it is unread', async () => {
    const streams = createStreams(accessMonitor());
    const { cancelled, response } = endless(MCP_STREAM_BYTES_MAX / 4);
    const forwarded = streams.forward(response, AGENT, async () => AGENT);
    await cancelled.promise;
    let read = 0;
    for await (const chunk of forwarded.body ?? []) read += chunk.length;
    expect(read).toBeGreaterThanOrEqual(MCP_STREAM_BYTES_MAX);
    streams.close();
  });

  it('ends when its caller is no longer identified, but not if the caller never was', async () => {
    let caller: Caller = AGENT;
    const streams = createStreams(accessMonitor(10));
    const quiet = () =>
      new Response(new ReadableStream<Uint8Array>(), { headers: { 'content-type': 'text/event-stream' } });
    const ofStranger = streams.forward(quiet(), STRANGER, async () => STRANGER);
    const forwarded = streams.forward(quiet(), AGENT, async () => caller);
    caller = STRANGER;
    expect(await forwarded.body?.getReader().read()).toEqual({ done: true, value: undefined });
    const reading = ofStranger.body?.getReader().read();
    streams.close();
    expect(await reading).toEqual({ done: true, value: undefined });
  });

  it('is removed when its client disconnects', async () => {
    const gate = createTestGate({});
    const server = await startServer({ gate, identify: async () => AGENT });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /sse HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAccept: text/event-stream\r\n\r\n`);
    let text = '';
    while (!text.includes('session=')) text += String((await once(socket, 'data'))[0]);
    const session = /session=(\S+)/.exec(text)?.[1];
    const post = () =>
      fetch(`${server.url}/sse?session=${session}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
    expect((await post()).status).toBe(202);
    socket.destroy();
    let status = 202;
    while (status === 202) ({ status } = await post());
    expect(status).toBe(404);
    await server.close();
  });
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import type { HttpEnv } from '../../src/surfaces/http/context.ts';
import { createGuard } from '../../src/surfaces/http/guard.ts';
import { createMcpSurface } from '../../src/surfaces/mcp/surface.ts';
import { AGENT, createMemorySessions } from '../surfaces/http/harness.ts';
import { createFixtureServer } from './fixture.ts';

/**
 * A store in memory for messages that were sent on streams. The console itself needs none, because it answers calls
 * without streams.
 */
function createEventStore(): EventStore {
  const events: { id: string; streamId: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(streamId, message) {
      const id = randomUUID();
      events.push({ id, streamId, message });
      return id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const from = events.findIndex(({ id }) => id === lastEventId);
      const streamId = events[from]?.streamId ?? '';
      for (const event of events.slice(from + 1)) {
        if (event.streamId === streamId && 'jsonrpc' in event.message) await send(event.id, event.message);
      }
      return streamId;
    },
  };
}

/** Serves the fixtures of the suite with the console's own guard, sessions, streams and subscriptions. */
export async function serveFixtures(): Promise<{ url: string; errors: unknown[]; close(): Promise<void> }> {
  const ports: number[] = [];
  const errors: unknown[] = [];
  const surface = createMcpSurface({
    build: createFixtureServer((event) => surface.publish(event)),
    identify: async () => AGENT,
    store: createMemorySessions(),
    events: { onEvents: () => () => {} },
    watch: async () => () => {},
    callStreams: createEventStore(),
    onError: (error) => errors.push(error),
  });
  const app = new Hono<HttpEnv>();
  app.use(createGuard({ ports: () => ports, extraHosts: [] }));
  app.all('/mcp', surface.serve);
  const http = createAdaptorServer({ fetch: app.fetch }) as Server;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  ports.push(port);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    errors,
    async close() {
      surface.endStreams();
      await surface.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

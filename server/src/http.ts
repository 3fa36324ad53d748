import type { IncomingMessage, Server } from 'node:http';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import type { Identity } from './ports/identity.ts';
import { connectionOf, type HttpEnv } from './surfaces/http/context.ts';
import { createDrain } from './surfaces/http/drain.ts';
import { mountFallback } from './surfaces/http/fallback.ts';
import { createGuard, type GuardOptions, refusalOf } from './surfaces/http/guard.ts';
import { mountHealth } from './surfaces/http/health.ts';
import { createLazy } from './surfaces/http/lazy.ts';
import { createListener } from './surfaces/http/listener.ts';
import { mountStatic } from './surfaces/http/static.ts';
import type { McpSurface } from './surfaces/mcp/surface.ts';
import { mountDefinitionSchema } from './surfaces/rest/definition-schema.ts';
import { mountDocs } from './surfaces/rest/docs.ts';
import { mountOpenApi } from './surfaces/rest/openapi.ts';
import { mountRest, mountRestFallback } from './surfaces/rest/routes.ts';
import { mountEventStream } from './surfaces/websocket/event-stream.ts';
import { createWebSocketSurface } from './surfaces/websocket/surface.ts';

export interface HttpOptions {
  app: App;
  config: Config;
  version: string;
  programs: string;
  ports: () => readonly number[];
  onError: (error: unknown, about: Record<string, unknown>) => void;
}

/** Creates the surfaces that use HTTP. The guard checks every request before a surface receives it. */
export function createHttp({ app, config, version, programs, ports, onError }: HttpOptions) {
  const { gate } = app;
  const identity: Identity = {
    ...app.identity,
    async identify(evidence) {
      const caller = await app.identity.identify(evidence);
      if (caller.kind !== 'nobody') listener.identified(evidence.connection);
      return caller;
    },
  };
  const { identify } = identity;
  const drain = createDrain();
  const guard: GuardOptions = { ports, extraHosts: config.extraHosts };
  const onBug = (error: unknown, requestId?: string) => onError(error, { requestId });

  const hono = new Hono<HttpEnv>();
  hono.use(async (c, next) => {
    // A GET of these paths opens an event stream of an older MCP revision, which does not end by itself. So `drain`
    // must not wait for it when the server closes.
    if (!['/mcp', '/sse'].includes(c.req.path) || c.req.method === 'POST') drain.follow(c.env.outgoing);
    await next();
  });
  hono.use(createGuard(guard));
  mountHealth(hono, { gate, identify, version, runnerState: app.runnerState });
  const eventStream = mountEventStream(hono, {
    gate,
    events: app.hub,
    identify,
    onError: (error) => onError(error, { surface: 'events' }),
  });
  mountOpenApi(hono, version);
  mountDefinitionSchema(hono);
  mountDocs(hono, join(programs, 'docs'));
  mountRest(hono, { gate, identify, isOtherUser: app.identity.isOtherUser, drain, onBug });
  mountRestFallback(hono);
  // The MCP packages take longer to load than all other modules together, so the first MCP request loads them.
  const mcp = createLazy(loadMcp);
  async function loadMcp(): Promise<McpSurface> {
    const [{ createMcpSurface }, { createToolServer }, { watchResources }, { createWatchers }] = await Promise.all([
      import('./surfaces/mcp/surface.ts'),
      import('./surfaces/mcp/server.ts'),
      import('./surfaces/mcp/resources.ts'),
      import('./surfaces/mcp/watching.ts'),
    ]);
    return createMcpSurface({
      build: createToolServer({ gate, version, drain, onBug }),
      identify,
      events: app.hub,
      store: app.mcpSessions,
      onCaller: (caller) => {
        if (caller.kind === 'worker') app.toolReach.note(caller.workerId);
      },
      watch: watchResources(gate, createWatchers(app.hub)),
      onError: (error) => onError(error, { surface: 'mcp' }),
    });
  }
  hono.all('/mcp', async (c) => (await mcp.get()).serve(c));
  hono.all('/sse', async (c) => (await mcp.get()).serveSse(c));
  mountStatic(hono, join(programs, 'client'));
  mountFallback(hono, onBug);

  const listener = createListener({
    fetch: hono.fetch,
    isOwnUser: (socket) => app.identity.isOwnUser(connectionOf(socket)),
    onBug,
  });
  const webSockets = createWebSocketSurface({
    gate,
    identity,
    events: app.hub,
    terminals: app.terminals,
    streams: app.streams,
    guard: (request: IncomingMessage) => refusalOf(request.headers, request.url ?? '', guard),
    onIdentified: listener.identified,
    onBug: (error) => onError(error, { surface: 'websocket' }),
  });

  return {
    /** Creates one more HTTP server for the same surfaces, which does not listen yet. */
    createServer(): Server {
      const server = listener.createServer();
      server.on('upgrade', webSockets.handleUpgrade);
      return server;
    },
    /** Waits for open requests to finish, then closes all surfaces. */
    async close(servers: readonly Server[]): Promise<void> {
      // The runner owns the listening sockets and keeps them open, so new callers wait for the next server.
      const requestsFinished = listener.leave(servers);
      eventStream.close();
      (await mcp.loaded())?.endStreams();
      await Promise.all([webSockets.close(), requestsFinished]);
      await drain.stop(servers);
      await (await mcp.loaded())?.close();
    },
  };
}

import { ConsoleError, ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import type { AnySchema } from '@agent-console/shared/operation';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/caller.ts';
import { inputSchema } from '../../../src/surfaces/json-schema.ts';
import { TOOLS } from '../../../src/surfaces/mcp/tools.ts';
import { DEFAULT_TOOLS } from '../../support/tool-names.ts';
import { AGENT, createTestGate, deferred, OWNER, SESSION, STRANGER, startServer, WORKER } from '../http/harness.ts';

type Result = { isError?: boolean; content: { type: string; text: string }[]; structuredContent?: unknown };

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }, signal?: AbortSignal): Promise<Result>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function modern(url: string): Promise<AnyClient> {
  const client = new ModernClient({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport(new URL(url)));
  expect(client.getProtocolEra()).toBe('modern');
  closers.push(() => client.close());
  return {
    listTools: () => client.listTools(),
    callTool: (call, signal) => client.callTool(call, signal === undefined ? {} : { signal }) as Promise<Result>,
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

async function legacy(url: string): Promise<AnyClient> {
  const client = new LegacyClient({ name: 'legacy', version: '1' });
  await client.connect(new LegacyTransport(new URL(url)) as Parameters<typeof client.connect>[0]);
  closers.push(() => client.close());
  return {
    listTools: () => client.listTools(),
    callTool: (call, signal) =>
      client.callTool(call, undefined, signal === undefined ? {} : { signal }) as Promise<unknown> as Promise<Result>,
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

const delegated = {
  sessionId: SESSION,
  workerId: WORKER,
  worktreePath: '/tmp/wt-001',
  branch: 'fix-login',
  delegationId: 'd',
  taskId: 't',
  state: 'prompting',
  warnings: [],
};

async function start(answers: Parameters<typeof createTestGate>[0], caller: Caller | (() => Caller) = AGENT) {
  const gate = createTestGate(answers);
  const server = await startServer({ gate, identify: async () => (typeof caller === 'function' ? caller() : caller) });
  closers.push(() => server.close());
  return { gate, server };
}

/** Returns arguments with arbitrary values that are valid for a tool's schema. */
function argumentsFor(schema: AnySchema): Record<string, unknown> {
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, { type?: string; enum?: unknown[]; description?: string }>;
    required?: string[];
  };
  // A tool that changes an entity needs at least one of its optional fields, so `title` is passed.
  const names = [...required, ...('title' in properties && !required.includes('title') ? ['title'] : [])];
  return Object.fromEntries(
    names.map((name) => {
      const { type, enum: words, description = '' } = properties[name] ?? {};
      const sample: unknown = words?.[0] ?? { number: 1, integer: 1, boolean: true, array: [] }[type ?? ''] ?? 'sample';
      return [name, description.startsWith('Id of the') ? SESSION : sample];
    }),
  );
}

const ERAS = [
  ['2026', modern],
  ['2025', legacy],
] as const;

describe.each(ERAS)('a client of the %s era', (_, connect) => {
  it('lists the default tools, delegates, and gets a result as the output schema declares', async () => {
    const { gate, server } = await start({ 'delegations.create': () => delegated });
    const client = await connect(`${server.url}/mcp`);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(DEFAULT_TOOLS);
    const result = await client.callTool({
      name: 'delegate_to_worktree',
      arguments: { prompt: 'fix the login', idempotencyKey: 'k-1' },
    });
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toEqual(delegated);
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(delegated);
    expect(gate.calls[0]).toMatchObject({
      name: 'delegations.create',
      input: { prompt: 'fix the login', notifyOnCompletion: true },
      call: { caller: AGENT, surface: 'mcp', idempotencyKey: 'k-1' },
    });
  });

  it('gets an error unchanged, even of a tool with an output schema', async () => {
    const { server } = await start({
      'delegations.create': () => {
        throw new ConsoleError('LIMIT_EXCEEDED', 'Session has 5 open children; wait for one.', { limit: 5 });
      },
    });
    const client = await connect(`${server.url}/mcp`);
    await client.listTools();
    const result = await client.callTool({ name: 'delegate_to_worktree', arguments: { prompt: 'x' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    const [head, body] = (result.content[0]?.text ?? '').split('\n');
    expect(head).toBe('LIMIT_EXCEEDED: Session has 5 open children; wait for one.');
    expect(JSON.parse(body ?? '')).toEqual({
      error: {
        code: 'LIMIT_EXCEEDED',
        message: 'Session has 5 open children; wait for one.',
        details: { limit: 5 },
        retryable: true,
      },
    });
  });

  it('gets every error code, and an error of every tool, unchanged, whatever the output schema', async () => {
    const codes = Object.keys(ERRORS) as ErrorCode[];
    const errorOf = (code: ErrorCode) =>
      new ConsoleError(code, `What to do about ${code}: say "no\n{".`, { field: 'x', list: [1, null] });
    let code: ErrorCode = 'INTERNAL';
    const refuse = () => {
      throw errorOf(code);
    };
    const { server } = await start(Object.fromEntries(TOOLS.map(({ operation }) => [operation, refuse])));
    const client = await connect(`${server.url}/mcp?toolsets=all`);
    await client.listTools();
    expect(TOOLS.length).toBeGreaterThan(3 * codes.length);
    // Tests each tool with only one error code, because all tools handle error codes in the same way.
    for (const [at, { form, input }] of TOOLS.entries()) {
      code = codes[at % codes.length] ?? 'INTERNAL';
      const result = await client.callTool({ name: form.name, arguments: argumentsFor(input) });
      const wanted = errorOf(code);
      expect(result.structuredContent, form.name).toBeUndefined();
      expect(result, form.name).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: `${code}: ${wanted.message}\n${JSON.stringify(wanted.toBody())}` }],
      });
    }
  });

  it('gets an error that names the argument if that is unknown, missing or of a wrong type', async () => {
    const { gate, server } = await start({});
    const client = await connect(`${server.url}/mcp`);
    const cases = [
      ['list_sessions', { status: 'idle' }, 'VALIDATION: status: unknown field'],
      ['delegate_to_worktree', {}, 'VALIDATION: prompt: is required'],
      [
        'wait_for_session',
        { sessionId: SESSION, timeoutSeconds: 'long' },
        'VALIDATION: timeoutSeconds: expected number',
      ],
    ] as const;
    for (const [name, args, words] of cases) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text.split('\n')[0]).toBe(words);
    }
    expect(gate.calls).toHaveLength(0);
  });

  it('gets a protocol error with the nearest names for an unknown tool', async () => {
    const { server } = await start({});
    const client = await connect(`${server.url}/mcp`);
    await expect(client.callTool({ name: 'delegate_to_worktre' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('delegate_to_worktree'),
    });
  });

  it('of an unidentified caller, or a person without a token, gets only a reason and UNAUTHENTICATED', async () => {
    const people: Caller = { ...OWNER, via: 'peer' } as Caller;
    for (const caller of [STRANGER, people]) {
      const { gate, server } = await start({}, caller);
      const client = await connect(`${server.url}/mcp`);
      expect((await client.listTools()).tools).toEqual([]);
      expect(client.getInstructions()).toMatch(/token/);
      const result = await client.callTool({ name: 'list_sessions', arguments: {} });
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toMatch(/^UNAUTHENTICATED: .+\n\{/);
      expect(gate.calls).toHaveLength(0);
    }
  });

  it('has no tools from the next request on when its token is revoked', async () => {
    let caller: Caller = AGENT;
    const { server } = await start(
      { 'sessions.list': () => ({ total: 0, limit: 20, skip: 0, data: [] }) },
      () => caller,
    );
    const client = await connect(`${server.url}/mcp`);
    expect((await client.callTool({ name: 'list_sessions' })).isError).toBeFalsy();
    caller = STRANGER;
    expect((await client.callTool({ name: 'list_sessions' })).content[0]?.text).toMatch(/^UNAUTHENTICATED/);
    expect((await client.listTools()).tools).toEqual([]);
  });

  it('stops waiting when it cancels a call, which is also aborted in the server', async () => {
    const heard = deferred();
    const began = deferred();
    const { server } = await start({
      'sessions.wait': async (_input: never, call) => {
        began.resolve();
        call.signal.addEventListener('abort', () => heard.resolve());
        await heard.promise;
        return { sessionId: SESSION, reached: null, stillRunning: true, activityState: 'active' };
      },
    });
    const client = await connect(`${server.url}/mcp`);
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait_for_session', arguments: { sessionId: SESSION } }, abort.signal);
    await began.promise;
    abort.abort();
    await expect(call).rejects.toThrow();
    await heard.promise;
    expect((await client.listTools()).tools).toHaveLength(DEFAULT_TOOLS.length);
  });

  it('is told to call again if a planned stop begins during its call', async () => {
    const began = deferred();
    const { server } = await start({
      'sessions.wait': () => {
        began.resolve();
        return new Promise(() => {});
      },
    });
    const client = await connect(`${server.url}/mcp`);
    const call = client.callTool({ name: 'wait_for_session', arguments: { sessionId: SESSION } });
    await began.promise;
    const stopped = server.drain.stop([server.http]);
    const result = await call;
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^BUSY: The console is restarting\. Call again in a second\.\n\{/);
    await stopped;
  });
});

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findRunner } from '../../src/runner/supervisor.ts';
import { findOrStart } from '../../src/surfaces/cli/find-or-start.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { DEFAULT_TOOLS } from '../support/tool-names.ts';
import { isAlive, killServer } from './support/kill.ts';
import { startRoot } from './support/root.ts';

const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

interface Answer {
  id?: unknown;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** A process of `agent-console mcp serve`, to which tests write single lines. */
class Bridge {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  stderr = '';
  readonly #waiting = new Set<() => void>();

  constructor(env: Record<string, string>, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [CLI, 'mcp', 'serve', ...args], { env });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.lines.push(line);
      for (const wake of this.#waiting) wake();
    });
  }

  write(message: unknown): void {
    this.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  /** Waits for the first message that matches. Every line of stdout must be JSON. */
  async message(fits: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const found = this.lines.map((line) => JSON.parse(line) as Answer).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  async ask(id: number, method: string, params: object = {}): Promise<Answer> {
    this.write({ jsonrpc: '2.0', id, method, params });
    return this.message((answer) => answer.id === id);
  }

  open(): Promise<Answer> {
    const clientInfo = { name: 'plain', version: '1' };
    return this.ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  }

  async end(): Promise<number | null> {
    const exited = once(this.child, 'exit');
    this.child.stdin.end();
    return ((await exited) as [number | null])[0];
  }
}

describe('agent-console mcp serve', () => {
  let c: TestConsole;
  let token: string;
  const started: Bridge[] = [];
  const start = (env: Record<string, string>, ...args: string[]) => {
    const bridge = new Bridge(env, args);
    started.push(bridge);
    return bridge;
  };

  beforeAll(async () => {
    c = await startConsole();
    token = (await startRoot(c)).token;
  });
  afterEach(() => {
    for (const { child } of started.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => c.close());

  const titled = async (wanted: string) => {
    const { data } = await c.client.call('sessions.list', { limit: 500 });
    return data.filter(({ title }) => title === wanted);
  };
  const asRoot = () => ({ ...c.env, AGENT_CONSOLE_TOKEN: token });

  it('answers on stdout only, and exits with status 0 at the end of its input', async () => {
    const bridge = start(asRoot());
    expect((await bridge.open()).result).toMatchObject({ serverInfo: { name: 'agent-console' } });
    bridge.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { result } = await bridge.ask(2, 'tools/list');
    expect(result?.tools).toHaveLength(DEFAULT_TOOLS.length);
    expect(await bridge.end()).toBe(0);
    expect(bridge.stderr).toBe('');
    for (const line of bridge.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  it('answers all requests that it read before the end of its input', async () => {
    const bridge = start(asRoot());
    bridge.open();
    bridge.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.write({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await bridge.end()).toBe(0);
    expect((await bridge.message(({ id }) => id === 2)).result?.tools).toHaveLength(DEFAULT_TOOLS.length);
  });

  it('refuses invalid messages and continues', async () => {
    const bridge = start(asRoot());
    bridge.write('{"jsonrpc":');
    bridge.write([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
    bridge.write(`{"jsonrpc":"2.0","id":9,"method":"ping","x":"${'x'.repeat(2_000_000)}"}`);
    await bridge.message(({ error }) => error?.code === -32700);
    await bridge.message(({ error }) => error?.message.includes('TOO_LARGE') === true);
    expect((await bridge.open()).result).toBeDefined();
    expect(bridge.lines.map((line) => (JSON.parse(line) as Answer).error?.code).slice(0, 3)).toEqual([
      -32700, -32600, -32600,
    ]);
    expect(await bridge.end()).toBe(0);
  });

  it('offers the tools that its flag names', async () => {
    const bridge = start(asRoot(), '--toolsets', 'worktrees');
    await bridge.open();
    const { result } = await bridge.ask(2, 'tools/list');
    expect(JSON.stringify(result)).not.toContain('delegate_to_worktree');
    expect(result?.tools).toEqual(expect.any(Array));
    const wrong = start(asRoot(), '--toolsets', 'worktres');
    expect((await wrong.open()).error?.message).toContain('worktrees');
  });

  it('is not identified outside a session without a token, even if the owner has a token file', async () => {
    const bridge = start(c.env);
    expect((await bridge.open()).result?.instructions).toMatch(/did not start this agent/);
    expect((await bridge.ask(2, 'tools/list')).result?.tools).toEqual([]);
  });

  it('is identified as the worker in whose process tree it was started', async () => {
    const program = join(c.folder, 'bridged.sh');
    const lines = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sh', version: '1' } },
      },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const out = join(c.folder, 'bridged.out');
    const words = `printf '%s\\n' '${lines.map((line) => JSON.stringify(line)).join("' '")}'`;
    const script = `#!/bin/sh\n${words} | '${process.execPath}' '${CLI}' mcp serve > '${out}.new'\nmv '${out}.new' '${out}'\n`;
    writeFileSync(program, script, { mode: 0o755 });
    await c.client.call('agents.create', { id: 'bridged', name: 'Bridged', command: [program] });
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'bridged' });
    await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    await c.until('what it saw', async () => existsSync(out));
    const [opened, listed] = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    expect(opened?.result?.instructions).toContain(id);
    expect(listed?.result?.tools).toHaveLength(DEFAULT_TOOLS.length);
  });

  it('waits while the console is stopped, and a writing call takes effect once', async () => {
    const bridge = start(asRoot());
    await bridge.open();
    await c.runner.stopServer();
    const asked = bridge.ask(2, 'tools/call', {
      name: 'delegate_to_worktree',
      arguments: { prompt: '@report succeeded once', title: 'Asked while away' },
    });
    await c.serve();
    const { result } = await asked;
    expect(result?.isError).toBeFalsy();
    expect(await titled('Asked while away')).toHaveLength(1);
  });

  it('waits for a server that does not answer yet, and does not replace it by one with other settings', async () => {
    const pid = c.serverPid();
    process.kill(pid, 'SIGSTOP');
    const found = await findOrStart(undefined, PROGRAMS, { ...c.env, HOST: '', PORT: '0', OTHER: 'setting' }).finally(
      () => isAlive(pid) && process.kill(pid, 'SIGCONT'),
    );
    expect(found.baseUrl).toBe(c.baseUrl);
    expect((await c.runner.status()).server).toMatchObject({ pid, port: c.port });
  });

  it('repeats a call whose answer was lost with the server, and the call takes effect once', async () => {
    const bridge = start(asRoot());
    await bridge.open();
    const asked = bridge.ask(2, 'tools/call', {
      name: 'delegate_to_worktree',
      arguments: { prompt: '@report succeeded once', title: 'Asked before a crash' },
    });
    await c.until('the beginning of the work', async () => {
      return (await titled('Asked before a crash')).length > 0;
    });
    await killServer(c);
    expect((await asked).result?.isError).toBeFalsy();
    expect(await titled('Asked before a crash')).toHaveLength(1);
  });

  it('does not wait for a cancelled call', async () => {
    const bridge = start(asRoot());
    await bridge.open();
    const { data } = await c.client.call('sessions.list', { live: true });
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@sleep 600000',
    });
    expect(data.length).toBeGreaterThan(0);
    const args = { sessionId: made.sessionId, timeoutSeconds: 45 };
    bridge.write({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'wait_for_session', arguments: args },
    });
    bridge.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(await bridge.end()).toBe(0);
  });
});

describe('agent-console mcp serve without a running console', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-bridge-')));
  const home = join(folder, 'console');
  afterAll(async () => {
    await (await findRunner(home))?.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts a console, and says so on stderr', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, AGENT_CONSOLE_HOME: home, PORT: '0' };
    const first = new Bridge(env);
    expect((await first.open()).result).toMatchObject({ serverInfo: { name: 'agent-console' } });
    expect(await first.end()).toBe(0);
    expect(first.stderr).toMatch(/^Started Agent Console at http:/);
    const second = new Bridge(env);
    expect((await second.open()).result).toBeDefined();
    expect(await second.end()).toBe(0);
    expect(second.stderr).toBe('');
  });
});

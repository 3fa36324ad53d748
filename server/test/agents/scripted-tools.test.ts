import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IDLE, WORKING } from './support/agent-terminal.ts';
import { type ConsoleStub, startConsoleStub } from './support/console-stub.ts';
import { useWorkplaceInProcess } from './support/workplace.ts';

describe("the scripted agent calling the console's tools", () => {
  const place = useWorkplaceInProcess();
  let stub: ConsoleStub;
  beforeEach(async () => {
    stub = await startConsoleStub();
  });
  afterEach(() => stub.stop());
  const start = (...more: string[]) =>
    place.start(['--transcript', place.transcript, ...more], { AGENT_CONSOLE_MCP_URL: stub.url });
  const keys = () => stub.calls.map((call) => call.args.idempotencyKey);

  it('calls a tool with its arguments and prints the answer', async () => {
    const agent = await start();
    const shown = await agent.turn(
      '@tool delegate_to_worktree {"prompt":"do @say x"}\n@tool list_sessions\n@report failed it broke',
    );
    expect(shown).toBe(
      [1, 2, 3]
        .map((call) => ({ name: ['delegate_to_worktree', 'list_sessions', 'report_result'][call - 1], call }))
        .map((answer) => `tool ${answer.name}: ${JSON.stringify(answer)}\n`)
        .join(''),
    );
    expect(stub.calls).toEqual([
      {
        name: 'delegate_to_worktree',
        args: { prompt: 'do @say x', idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
      { name: 'list_sessions', args: {} },
      { name: 'report_result', args: { outcome: 'failed', summary: 'it broke', idempotencyKey: expect.any(String) } },
    ]);
    expect(new Set(keys()).size).toBe(3);
  });

  it('keeps an idempotency key from the prompt', async () => {
    const agent = await start();
    await agent.turn('@tool delegate_to_worktree {"prompt":"x","idempotencyKey":"mine"}');
    expect(keys()).toEqual(['mine']);
  });

  it("prints a tool's error unchanged and continues", async () => {
    stub.next({
      error:
        'NOT_FOUND: Session x not found\n{"error":{"code":"NOT_FOUND","message":"m","details":{},"retryable":false}}',
    });
    const agent = await start();
    const shown = await agent.turn(
      '@tool list_sessions\n@tool no_such_tool\n@tool list_sessions [1]\n@report maybe\n@say on',
    );
    expect(shown).toContain('error: tool list_sessions: NOT_FOUND: Session x not found\n{"error"');
    expect(shown).toMatch(/error: tool no_such_tool: .*no_such_tool/);
    expect(shown).toContain('error: usage: @tool name {json}; the arguments are one JSON object');
    expect(shown).toContain('error: usage: @report succeeded|failed summary');
    expect(shown).toMatch(/on\n$/);
  });

  it('waits until the server is reachable, then calls once', async () => {
    await stub.stop();
    const agent = await start();
    agent.submit('@tool delegate_to_worktree {"prompt":"x"}');
    await agent.expect(WORKING);
    await stub.start();
    expect(await agent.expect(IDLE)).toContain('tool delegate_to_worktree: ');
    expect(stub.calls).toHaveLength(1);
  });

  it('survives a restart of the server between two calls', async () => {
    const agent = await start();
    await agent.turn('@tool list_sessions');
    await stub.stop();
    agent.submit('@tool delegate_to_worktree {"prompt":"x"}');
    await agent.expect(WORKING);
    await stub.start();
    expect(await agent.expect(IDLE)).toContain('"call":2');
    expect(stub.calls).toHaveLength(2);
  });

  it('repeats an interrupted call if it has an idempotency key or only reads', async () => {
    stub.next('drop');
    const agent = await start();
    expect(await agent.turn('@tool delegate_to_worktree {"prompt":"x"}')).toContain('"call":2');
    expect(new Set(keys()).size).toBe(1);
    stub.next('drop');
    expect(await agent.turn('@tool list_sessions')).toContain('"call":4');
  });

  it('does not repeat an interrupted call that may have changed something', async () => {
    stub.next('drop');
    const agent = await start();
    expect(await agent.turn('@tool write_once')).toContain(
      'error: tool write_once: the connection broke before the response',
    );
    expect(stub.calls).toHaveLength(1);
    expect(await agent.turn('@tool write_once')).toContain('"call":2');
  });

  it.each([
    'BUSY: too much at once\n{"error":{"code":"BUSY","message":"m","details":{},"retryable":true}}',
    'RUNNER_UNAVAILABLE: the server is restarting, call again',
  ])('calls again with the same key after %j', async (error) => {
    stub.next({ error });
    const agent = await start();
    expect(await agent.turn('@tool delegate_to_worktree {"prompt":"x"}')).toContain('"call":2');
    expect(new Set(keys()).size).toBe(1);
  });

  it('stops waiting for the server at Ctrl-C', async () => {
    await stub.stop();
    const agent = await start();
    agent.submit('@tool list_sessions');
    await agent.expect(WORKING);
    agent.write('\x03');
    expect(await agent.expect(IDLE)).toContain('interrupted');
    await stub.start();
  });

  it('sends the token from its file as a bearer token', async () => {
    const file = join(place.folder, 'token');
    writeFileSync(file, 'secret-token\n', { mode: 0o600 });
    const agent = await start('--mcp-token-file', file);
    const shown = await agent.turn('@tool list_sessions');
    expect(shown).toContain('"call":1');
    expect([...stub.tokens]).toEqual(['Bearer secret-token']);
    expect(agent.output()).not.toContain('secret-token');
  });

  it('says what is missing if it was not started by a console', async () => {
    const agent = await place.start();
    expect(await agent.turn('@tool list_sessions')).toContain(
      'error: tool list_sessions: AGENT_CONSOLE_MCP_URL is not set',
    );
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUNNER_CAPABILITIES } from '../../src/runner/capabilities.ts';
import { ensureRunner } from '../../src/runner/supervisor.ts';
import type { Finding } from '../../src/surfaces/cli/doctor/finding.ts';
import { isAlive } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

/** The runner program of the first build. Its agents may still run when the server is newer. */
const FIRST_RUNNER = fileURLToPath(new URL('../runner/fixtures/first-runner.js', import.meta.url));
const RUNNER = fileURLToPath(new URL('../../dist/runner.js', import.meta.url));
const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole({ runnerProgram: FIRST_RUNNER });
});
afterAll(() => c.close());

async function run(args: string[]): Promise<{ status: number | null; stdout: string }> {
  const child = spawn(process.execPath, args, { env: { ...c.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout };
}

describe('a server under a runner of an earlier build', () => {
  it('adopts its agents, and reports missing capabilities without asking a person to end the agents', async () => {
    const make = { cwd: c.folder, agentId: 'scripted', initialPrompt: '@say one' };
    const { id: sessionId } = await c.client.call('sessions.create', make);
    const ended = async () => (await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 })).task;
    expect(await ended()).toMatchObject({ status: 'completed' });
    const worker = async () => (await c.client.call('sessions.get', { sessionId })).workers[0];
    const agent = await worker();

    const killed = c.serverPid();
    process.kill(killed, 'SIGKILL');
    await c.until('the next server', () => c.serverPid() !== killed);
    await c.serve({ env: { RESTARTED: 'yes' } });
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say two' });
    expect(await ended()).toMatchObject({ status: 'completed' });
    expect(await worker()).toMatchObject({ id: agent?.id, pid: agent?.pid, state: 'running' });
    expect(await (await fetch(`${c.baseUrl}/health`)).json()).toMatchObject({ status: 'ok' });

    const doctor = await run([CLI, 'doctor', '--json']);
    const findings = JSON.parse(doctor.stdout) as Finding[];
    const [build] = findings.filter(({ check }) => check === 'runner build');
    expect(build).toMatchObject({ result: 'note', mend: expect.stringContaining('No action needed') });
    for (const missing of Object.values(RUNNER_CAPABILITIES)) expect(build?.detail).toContain(missing);
    expect(findings.filter(({ check, result }) => check.startsWith('runner') && result === 'problem')).toEqual([]);

    // The runner of the first build locks the data directory in another way. The current runner must also detect that
    // lock.
    const { pid } = await c.runner.status();
    expect((await run([RUNNER, '--home', c.home])).status).toBe(0);
    const found = await ensureRunner({ home: c.home, program: RUNNER });
    expect((await found.status()).pid).toBe(pid);
    found.close();
    expect(isAlive(agent?.pid ?? 0)).toBe(true);

    const { id: endedSession } = await c.client.call('sessions.create', { ...make, initialPrompt: '@sleep 60000' });
    await c.until('its agent', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId: endedSession });
      return workers[0]?.state === 'running';
    });
    const stopped = await c.client.call('sessions.stop', { sessionId: endedSession });
    expect(stopped.workers).toMatchObject([{ state: 'exited' }]);
  });

  it('continues with an agent over ACP in the middle of its prompt', async () => {
    const initialPrompt = '@say one\n@permission Bash npm test\n@say two';
    const make = { cwd: c.folder, agentId: 'scripted-acp', initialPrompt };
    const { id: sessionId } = await c.client.call('sessions.create', make);
    const asked = async () => (await c.client.call('approvals.list', { sessionId, state: 'pending' })).data[0];
    const approval = await c.until('its question', asked);
    const conversation = async () =>
      (await c.client.call('sessions.messages', { sessionId })).data.map(({ kind, parts }) => [kind, parts[0]?.text]);
    const [before, { workers }] = [await conversation(), await c.client.call('sessions.get', { sessionId })];

    const killed = c.serverPid();
    process.kill(killed, 'SIGKILL');
    await c.until('the next server', () => c.serverPid() !== killed);
    await c.serve({ env: { RESTARTED: 'yes' } });
    expect(await asked()).toMatchObject({ id: approval.id });
    const optionId = approval.options.find(({ kind }) => kind === 'allow')?.id ?? '';
    await c.client.call('approvals.answer', { approvalId: approval.id, optionId });
    const { task } = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    expect(task).toMatchObject({ status: 'completed' });
    expect(await conversation()).toEqual([...before, ['text', 'Bash allowed'], ['text', 'two']]);
    const { workers: after } = await c.client.call('sessions.get', { sessionId });
    expect(after).toMatchObject([{ id: workers[0]?.id, pid: workers[0]?.pid, state: 'running' }]);
  });
});

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AGENT_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/orchestrations';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker } from '../support/calling.ts';
import { busy, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

type Agent = Partial<RequestOf<'orchestrations.create'>['agents'][number]>;

/** Runs an orchestration with these agents, waits until it has ended, and returns its status. */
async function outcomeOf(...agents: (Agent & { task: string })[]): Promise<OrchestrationStatus> {
  const { id } = await c.client.call('orchestrations.create', {
    objective: 'Say something',
    repositoryId: c.repository.id,
    start: true,
    agents: agents.map((agent) => ({ role: 'worker', agenticTool: 'scripted', ...agent })),
  });
  return c.until('the orchestration has ended', async () => {
    const status = await c.client.call('orchestrations.get', { orchestrationId: id });
    return ['completed', 'failed', 'cancelled'].includes(status.state) ? status : undefined;
  });
}

const pathOf = ({ sharedDirectory }: Pick<OrchestrationStatus, 'sharedDirectory'>, agentId: string, attempt: number) =>
  join(dirname(sharedDirectory), 'agents', agentId, `output-${attempt}.log`);

/** Waits until a file contains a text, and returns its content. */
const written = (path: string, text: string) =>
  c.until(`${text} in ${path}`, () => {
    const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return found.includes(text) ? found : undefined;
  });

describe('the folder of an agent', () => {
  it('contains the messages of the agent, for each attempt and for each kind of driver', async () => {
    const end = await outcomeOf(
      { agentId: 'twice', maxAttempts: 2, task: '@say I tried it\n@report failed no luck' },
      { agentId: 'typed', task: '@say typed words\n@report succeeded done' },
      { agentId: 'spoken', agenticTool: 'scripted-acp', task: '@say spoken words\n@report succeeded done' },
    );
    await written(pathOf(end, 'twice', 1), 'I tried it\n');
    await written(pathOf(end, 'twice', 2), 'I tried it\n');
    await written(pathOf(end, 'typed', 1), 'typed words\n');
    const spoken = await written(pathOf(end, 'spoken', 1), 'spoken words');
    expect(spoken).not.toContain('jsonrpc');
  });

  it('contains the messages before the process ends, also if an agent created the orchestration', async () => {
    const root = await startRoot(c);
    const agents = [
      { agentId: 'early', role: 'worker', agenticTool: 'scripted', task: `@say early words\n${busy}` },
      { agentId: 'late', role: 'worker', agenticTool: 'scripted', task: busy },
    ];
    const creation = { objective: 'Say something', agents, start: true };
    const { id, sharedDirectory } = await asWorker(c, root.workerId).call('orchestrations.create', creation);
    const { reportAs, workerOf, agentOf } = orchestrationsIn(() => c);
    const worker = await workerOf(id, 'early');
    await c.until('its words', () => transcriptOf(c, worker.sessionId).some(({ text }) => text === 'early words'));
    await reportAs(id, 'early');
    await written(pathOf({ sharedDirectory }, 'early', 1), 'early words\n');
    expect(c.runner.lives(worker.id)).toBe(true);
    const [ended] = (
      await c.events(0, ({ type, subject }) => type === 'orchestration.agent_completed' && subject.id === id)
    ).slice(-1);
    expect(ended?.data).toMatchObject({ agentId: 'early', sessionId: (await agentOf(id, 'early')).sessionId });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });

  it('contains the terminal output of an agent without a transcript', async () => {
    await c.client.call('agents.create', { id: 'cat', name: 'Cat', command: ['cat'] });
    const { id, sharedDirectory } = await c.client.call('orchestrations.create', {
      objective: 'Wait',
      repositoryId: c.repository.id,
      start: true,
      agents: [{ agentId: 'silent', role: 'worker', agenticTool: 'cat', task: 'Repeat this.' }],
    });
    const workerId = await c.until('its process', async () => {
      const { agents } = await c.client.call('orchestrations.get', { orchestrationId: id });
      if (agents[0]?.sessionId == null) return undefined;
      const { workers } = await c.client.call('sessions.get', { sessionId: agents[0].sessionId });
      return workers.find(({ state }) => state === 'running')?.id;
    });
    await c.client.call('workers.input', { workerId, data: 'Repeat this.\r' });
    await c.until('its answer', async () =>
      (await c.client.call('workers.output', { workerId })).text?.includes('Repeat this.'),
    );
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    await written(pathOf({ sharedDirectory }, 'silent', 1), 'Repeat this.');
  });

  it('contains the end of a long output', async () => {
    const recalls = Array.from({ length: 14 }, () => '@recall 1').join('\n');
    const end = await outcomeOf({
      agentId: 'long',
      task: `${'word '.repeat(16_000)}\n${recalls}\n@report succeeded done`,
    });
    const text = await written(pathOf(end, 'long', 1), 'report_result');
    expect(text).toMatch(/^\[cut; this file does not contain the beginning of the output\]\n\S/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(AGENT_OUTPUT_MAX_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(AGENT_OUTPUT_MAX_BYTES * 0.5);
  });

  it('gets the output from the next server if the server ended too early', async () => {
    const end = await outcomeOf({ agentId: 'late', task: '@say late words\n@report succeeded done' });
    const path = pathOf(end, 'late', 1);
    await written(path, 'late words');
    await c.until('its process has ended', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId: end.agents[0]?.sessionId ?? '' });
      return workers.every(({ state }) => state === 'exited');
    });
    await c.restart();
    rmSync(path, { force: true });
    await c.restart();
    await written(path, 'late words');
  });
});

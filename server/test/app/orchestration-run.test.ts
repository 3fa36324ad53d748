import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { defaultAgentId: 'scripted' });
});
afterAll(() => c.close());

const run = (definition: string, ...args: string[]) => {
  const line = ['--url', c.baseUrl, 'orchestrations', 'run', definition, '--repository-id', c.repository.id, ...args];
  return runInProcess(line, { PATH: process.env.PATH ?? '' });
};

/** Writes a definition file whose agent makes this report. Returns its path. */
function file(name: string, report: string): string {
  const path = join(c.folder, name);
  const agent = `agents:\n  - { role: worker, task: "@report ${report}" }\n`;
  writeFileSync(path, `name: mine\ndescription: d\nobjective: o\n${agent}`);
  return path;
}

describe('orchestrations run', () => {
  it('waits for the end of a template, with its progress on stderr', async () => {
    const task = 'Do it.\n@report succeeded done';
    const done = await run('race', '--param', 'attempts=1', '--param', `task=${task}`, '--watch', '--json');
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.out)).toMatchObject({ state: 'completed', agentCount: 2 });
    const lines = done.err.trim().split('\n');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}orchestration {2}created$/);
    expect(lines.filter((line) => line.endsWith('judge  completed'))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/orchestration {2}completed$/);
  });

  it('shows the plan of a file, and runs it once it was accepted', async () => {
    const path = file('mine.yaml', 'succeeded fine');
    const refused = await run(path);
    expect(refused).toMatchObject({ code: 6, out: '' });
    expect(refused.err).toContain('worker');
    expect(refused.err).toMatch(/CONFLICT: .* repeat the command with --yes, or with --content-hash [0-9a-f]{64}\./);
    const done = await run(path, '--yes');
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toMatch(/^worker\tcompleted\t/m);
    expect(await run(path, '--json')).toMatchObject({ code: 0, err: '' });
  });

  it('exits with status 1 if the orchestration fails, and with that of the error if the input is wrong', async () => {
    const failed = await run(file('failing.yaml', 'failed no way'), '--yes', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ state: 'failed' });
    const path = join(c.folder, 'wrong.yaml');
    writeFileSync(path, 'name: wrong\nagents: 3\n');
    expect(await run(path)).toMatchObject({
      code: 2,
      err: expect.stringContaining('wrong.yaml:2:9: agents: expected Array'),
    });
    expect(await run('nothing')).toMatchObject({
      code: 5,
      err: expect.stringContaining('no definition has the name "nothing"'),
    });
    expect(await run(join(c.folder, 'none.yaml'))).toMatchObject({ code: 2 });
    expect(await run('map', '--param', 'items')).toMatchObject({ code: 2, err: expect.stringContaining('name=value') });
  });

  it('stops waiting after --timeout with status 16, and says that a used-up budget needs a person', async () => {
    const path = join(c.folder, 'costly.yaml');
    const agent = (text: string) => `  - { role: worker, task: "@say ${text}\\n@report succeeded done" }\n`;
    const head = 'name: costly\ndescription: d\nobjective: o\nstrategy: sequential\nbudget: { tokens: 1000 }\n';
    writeFileSync(path, `${head}agents:\n${agent('word'.repeat(2_000))}${agent('more')}`);
    const key = ['--idempotency-key', 'costly', '--json'];
    const { out } = await run(path, '--yes', '--no-wait', ...key);
    const orchestrationId = JSON.parse(out).id;
    await c.until('the pause', async () => {
      const { pausedBy } = await c.client.call('orchestrations.get', { orchestrationId });
      return pausedBy === 'budget';
    });
    const held = await run(path, '--timeout', '0.1', ...key);
    expect(held.code).toBe(16);
    expect(JSON.parse(held.out)).toMatchObject({ id: orchestrationId, state: 'paused', pausedBy: 'budget' });
    expect(held.err).toContain('has not ended within 0.1 s: it is paused, because its budget is used up');
    await c.client.call('orchestrations.cancel', { orchestrationId });
    const cancelled = await run(path, '--timeout', '60', ...key);
    expect(cancelled).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^\S+ {2}orchestration {2}paused: budget\n$/),
    });
    expect(await run(path, '--timeout', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('seconds') });
    const done = await run(file('quick.yaml', 'succeeded fine'), '--yes', '--timeout', '60');
    expect(done).toMatchObject({ code: 0 });
  });

  it('shows a plan without running it, and does not wait with --no-wait', async () => {
    const planned = await run('map', '--param', 'items=a=b', '--param', 'items=c', '--param', 'task=x', '--dry-run');
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.out).toContain('1. item-1, item-2; 2. collector');
    const started = await run(file('asks.yaml', 'succeeded later'), '--yes', '--no-wait', '--json');
    expect(JSON.parse(started.out)).toMatchObject({ startedAt: expect.any(String) });
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { startRoot } from './support/root.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

it.skipIf(process.platform !== 'linux')(
  'shows the resource use of a worker with its descendants, alone, in its session and in total',
  async () => {
    const { sessionId, workerId } = await startRoot(c);
    const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    await c.client.call('workers.input', {
      workerId: terminal.id,
      data: 'sleep 1000 & setsid -f tail --pid=$$ -f /dev/null\r',
    });
    const taken = await c.until('the processes of the terminal', async () => {
      const { resources } = await c.client.call('workers.get', { workerId: terminal.id });
      return resources?.processes === 3 && resources;
    });
    expect(taken.memoryBytes).toBeGreaterThan(0);

    const { data, total } = await c.client.call('workers.resources', {});
    expect(total).toBe(2);
    // The agent comes first, because it is a Node.js process, which uses more memory than the processes of the
    // terminal.
    expect(data.map((row) => [row.workerId, row.title, row.resources?.processes])).toEqual([
      [workerId, 'Root', 1],
      [terminal.id, 'Root', 3],
    ]);
    for (const { resources } of data) expect(resources?.cpuPercent).toEqual(expect.any(Number));
    expect((await c.client.call('system.status', {})).resources?.processes).toBe(4);
    const session = await c.client.call('sessions.get', { sessionId });
    expect(session.workers.map(({ resources }) => resources?.processes)).toEqual([1, 3]);

    await c.client.call('sessions.stop', { sessionId });
    expect((await c.client.call('workers.get', { workerId })).resources).toBeNull();
    expect((await c.client.call('workers.resources', { sessionId })).data).toEqual([]);
  },
);

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { putInto } from '../e2e/support/planted.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

it('a clone that was complete when the server died is registered by the next server', async () => {
  const clone = (number: number, folder: string, name?: string) => {
    const target = join(c.home, 'repositories', 'team', folder, 'repository');
    mkdirSync(dirname(target), { recursive: true });
    c.git(['clone', '--quiet', c.repository.path, target]);
    const id = `01900000-0000-7000-8000-00000000000${number}`;
    putInto(c, [
      `insert into jobs (id, kind, state, fraction, phase, params, actor, "createdAt")
       values (?, 'repository-clone', 'running', 0.9, 'Updating files', ?, 'system', '2026-01-01T00:00:00.000Z')`,
      id,
      JSON.stringify({ url: `https://example.com/team/${folder}.git`, target, name }),
    ]);
    return { id, expected: { path: target, name: name ?? folder } };
  };
  const clones = [clone(1, 'tool', 'Our tool'), clone(2, 'hammer')];
  await killServer(c);
  for (const { id, expected } of clones) {
    const job = await c.client.call('jobs.get', { jobId: id });
    expect(job).toMatchObject({ state: 'succeeded', result: { repositoryId: expect.any(String) } });
    const repositoryId = String(job.result?.repositoryId);
    expect(await c.client.call('repositories.get', { repositoryId })).toMatchObject(expected);
  }
});

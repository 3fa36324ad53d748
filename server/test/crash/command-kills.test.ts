import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
let worktreeId: string;
let path: string;
beforeAll(async () => {
  c = await startConsole();
  const input = { repositoryId: c.repository.id, mode: 'custom', branch: 'work', wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', input);
  worktreeId = worktree?.id ?? '';
  path = worktree?.path ?? '';
});
afterAll(() => c.close());

async function ended(jobId: string) {
  return c.until('the end of the job', async () => {
    const job = await c.client.call('jobs.get', { jobId });
    return job.state === 'running' ? undefined : job;
  });
}

const HELD = 'echo running > "$HOME/held"; while [ ! -f "$HOME/go" ]; do sleep 0.05; done; rm "$HOME/held" "$HOME/go"';
const home = (name: string) => join(c.env.HOME ?? '', name);

/** Kills the server while a command is waiting, then lets the command continue. */
async function killMeanwhile(): Promise<void> {
  await c.until('the command', async () => existsSync(home('held')));
  await killServer(c);
  writeFileSync(home('go'), '');
}

it('a check in a real terminal survives a killed server, and its result is stored once', async () => {
  await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: `${HELD}; tty && exit 4` });
  const { jobId } = await c.client.call('worktrees.check', { worktreeId });
  await killMeanwhile();
  const job = await ended(jobId);
  expect(job).toMatchObject({ state: 'succeeded', result: { check: { passed: false, exitCode: 4, clean: true } } });
  expect(job.result?.output).toMatch(/^\/dev\/pts\/\d+$/);
});

it('a commit with hooks survives a killed server, and is made once', async () => {
  const hooks = join(c.repository.path, '.git/hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'pre-commit'), `#!/bin/sh\n${HELD}\n`);
  chmodSync(join(hooks, 'pre-commit'), 0o755);
  writeFileSync(join(path, 'file'), 'text\n');
  const before = c.git(['rev-parse', 'HEAD'], path);
  const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Once' });
  await killMeanwhile();
  const job = await ended(jobId);
  expect(job).toMatchObject({ state: 'succeeded', result: { hooks: true, files: 1 } });
  expect(c.git(['log', '--format=%H %s', `${before}..`], path)).toBe(`${job.result?.commit} Once`);
  expect(c.git(['status', '--porcelain'], path)).toBe('');
});

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { stored } from '../e2e/support/people.ts';
import { refuseWrite } from '../e2e/support/planted.ts';
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

const hook = (name: string) => join(c.repository.path, '.git/hooks', name);
function setHook(name: string, script: string): void {
  mkdirSync(join(c.repository.path, '.git/hooks'), { recursive: true });
  writeFileSync(hook(name), `#!/bin/sh\n${script}\n`);
  chmodSync(hook(name), 0o755);
}
const running = () => stored(c, `select id from workers where state in ('starting', 'running')`);

it('a commit with hooks survives a killed server, and is made once', async () => {
  setHook('pre-commit', HELD);
  writeFileSync(join(path, 'file'), 'text\n');
  const before = c.git(['rev-parse', 'HEAD'], path);
  const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Once' });
  await killMeanwhile();
  const job = await ended(jobId);
  expect(job).toMatchObject({ state: 'succeeded', result: { hooks: true, files: 1 } });
  expect(c.git(['log', '--format=%H %s', `${before}..`], path)).toBe(`${job.result?.commit} Once`);
  expect(c.git(['status', '--porcelain'], path)).toBe('');
});

it('a push survives a killed server, and sends the branch once', async () => {
  const remote = join(c.folder, 'remote.git');
  c.git(['init', '--quiet', '--bare', '-b', 'main', remote], c.folder);
  c.git(['remote', 'add', 'origin', remote], c.repository.path);
  rmSync(hook('pre-commit'));
  setHook('pre-push', `echo push >> "$HOME/pushes"; ${HELD}`);
  c.git(['commit', '--quiet', '--allow-empty', '-m', 'Pushed'], path);
  const { jobId } = await c.client.call('worktrees.push', { worktreeId });
  await killMeanwhile();
  const commit = c.git(['rev-parse', 'HEAD'], path);
  expect(await ended(jobId)).toMatchObject({ state: 'succeeded', result: { branch: 'work', commit } });
  expect(readFileSync(home('pushes'), 'utf8')).toBe('push\n');
  expect(c.git(['for-each-ref', '--format=%(refname) %(objectname)'], remote)).toBe(`refs/heads/work ${commit}`);
  expect(c.git(['rev-parse', '--abbrev-ref', '@{upstream}'], path)).toBe('origin/work');
  const { data } = await c.client.call('events.list', { order: 'newest', limit: 100 });
  expect(data.filter(({ type }) => type === 'worktree.pushed')).toHaveLength(1);
  expect(running()).toEqual([]);
});

it('a pull request survives killed servers while it is pushed and while it is created, and is created once', async () => {
  const pullRequestCommand = `${HELD}; echo made >> "$HOME/made"; echo https://forge.example/o/r/pulls/12`;
  await c.client.call('repositories.update', { repositoryId: c.repository.id, pullRequestCommand });
  c.git(['commit', '--quiet', '--allow-empty', '-m', 'Requested'], path);
  const { jobId } = await c.client.call('worktrees.pullRequest', { worktreeId, title: 'Once' });
  await killMeanwhile();
  await c.until('the end of the push', async () => !existsSync(home('go')));
  await killMeanwhile();
  expect(await ended(jobId)).toMatchObject({ state: 'succeeded', result: { created: true } });
  expect(readFileSync(home('made'), 'utf8')).toBe('made\n');
  expect(readFileSync(home('pushes'), 'utf8')).toBe('push\npush\n');
  expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ pullRequest: { number: 12 } });
  expect(running()).toEqual([]);
});

it('a dry run that a killed server did not end is not made into the change that it shows', async () => {
  writeFileSync(join(path, 'planned'), '');
  const before = c.git(['rev-parse', 'HEAD'], path);
  const lift = refuseWrite(c, { event: 'update', table: 'jobs', when: `new.state = 'succeeded'` });
  const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Planned', dryRun: true });
  await killServer(c);
  lift();
  expect(await ended(jobId)).toMatchObject({ state: 'failed', error: { code: 'BUSY' } });
  expect(c.git(['rev-parse', 'HEAD'], path)).toBe(before);
  expect(c.git(['status', '--porcelain'], path)).toBe('?? planned');
});

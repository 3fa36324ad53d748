import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

it('a worktree that is created again for a session is complete before its agent runs, even after a kill', async () => {
  const about = { repositoryId: c.repository.id, mode: 'custom', branch: 'again', wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', about);
  if (worktree === undefined) throw new Error('was not waited for');
  const { id: worktreeId, path } = worktree;
  const session = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted', title: 'Again' });
  const bin = join(c.folder, 'bin');
  const [held, over] = [join(c.folder, 'held'), join(c.folder, 'over')];
  mkdirSync(bin);
  const real = (process.env.PATH ?? '').split(delimiter).find((folder) => existsSync(join(folder, 'git')));
  const wrapper = `#!/bin/sh
case "$*" in *"reset --hard"*)
  if [ ! -e '${held}' ]; then touch '${held}'; while [ ! -e '${over}' ]; do sleep 0.05; done; exit 1; fi ;;
esac
exec '${real}/git' "$@"
`;
  writeFileSync(join(bin, 'git'), wrapper);
  chmodSync(join(bin, 'git'), 0o755);
  await c.serve({ env: { PATH: `${bin}${delimiter}${process.env.PATH}` } });
  rmSync(path, { recursive: true });
  const { taskId } = await c.client.call('sessions.prompt', {
    sessionId: session.id,
    prompt: '@report succeeded in a whole tree',
  });
  await c.until('the checkout', async () => existsSync(held));
  await killServer(c);
  writeFileSync(over, '');
  const task = await c.until('the end of the task', async () => {
    const found = await c.client.call('tasks.get', { taskId });
    return found.endedAt !== null && found;
  });
  expect(task).toMatchObject({ status: 'completed' });
  expect(readFileSync(join(path, 'readme.md'), 'utf8')).toBe('# shop\n');
  expect(c.git(['status', '--porcelain'], path)).toBe('');
});

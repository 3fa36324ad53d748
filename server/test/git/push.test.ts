import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFixture, type Fixture } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

it('a push tells which commit it sent, also if the branch moved after its target was read', async () => {
  const remote = fixture.path('remote.git');
  fixture.sh(['init', '--quiet', '--bare', remote]);
  fixture.sh(['remote', 'add', 'origin', remote]);
  const tree = fixture.path('trees/work');
  const checkout = fixture.checkout(tree, 'work');
  await fixture.git.addWorktree(checkout, { startPoint: 'main' });
  const target = await fixture.git.pushTarget(checkout, 'work');
  fixture.sh(['commit', '--quiet', '--allow-empty', '-m', 'Later'], tree);
  const { file, args, env } = await fixture.git.pushCommand(checkout, target, false);
  execFileSync(file, args, { cwd: tree, env: { ...process.env, ...env }, stdio: 'ignore' });
  const sent = fixture.sh(['rev-parse', 'work'], remote);
  expect(sent).not.toBe(target.commit);
  expect(await fixture.git.pushedCommit(checkout, target)).toBe(sent);
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { sweepWorktrees } from '../../src/engine/recovery.ts';
import type { Jobs } from '../../src/engine/scheduling/jobs.ts';
import { createMaker, type WorktreeMaker } from '../../src/engine/worktrees/maker.ts';
import { recoverWorktrees, removalOf } from '../../src/engine/worktrees/recover.ts';
import type { Git } from '../../src/ports/git.ts';
import type { Host } from '../../src/ports/host.ts';
import type { WorktreeRow } from '../../src/ports/rows.ts';
import { openStorage } from '../support/storage.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const author = { actor: 'system' };
const fail = (error: unknown) => {
  throw error;
};

let opened: ReturnType<typeof openStorage>;
let events: string[];
beforeEach(async () => {
  events = [];
  opened = openStorage({ onCommit: (committed) => void events.push(...committed.map(({ type }) => type)) });
  await opened.storage.write(author, async (tx) => {
    const fields = { name: 'shop', defaultBranch: 'main', worktreesDir: '/trees', createdAt };
    await tx.repositories.insert({ id: 'r', path: '/shop', commonDir: '/shop/.git', ...fields });
  });
});
afterEach(() => opened.close());

function insertWorktree(state: WorktreeRow['state']): Promise<unknown> {
  const fields = { repositoryId: 'r', kind: 'managed', name: 'work', index: 1, branch: 'work' } as const;
  return opened.storage.write(author, (tx) =>
    tx.worktrees.insert({ id: 'w', path: '/trees/work', ...fields, state, createdAt }),
  );
}

it('a removal that has begun is not undone, although its folder still exists', async () => {
  await insertWorktree('removing');
  const { storage } = opened;
  const host = { isPresent: async () => true } as Partial<Host> as Host;
  const git = {} as Git;
  const maker = createMaker({ storage, git, host, now: () => new Date(), newId: () => 'id' });
  let finish = () => {};
  const begun = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const removal = maker.alone(removalOf('w'), async () => {
    await begun;
    await storage.write(author, (tx) => tx.worktrees.update('w', { state: 'removed' }));
  });
  const recovery = recoverWorktrees({ storage, git, host, maker }, fail);
  finish();
  await Promise.all([removal, recovery]);
  expect((await storage.read.worktrees.get('w'))?.state).toBe('removed');
  expect(events).not.toContain('worktree.updated');
});

it('a worktree whose creation begins during the sweep is not discarded', async () => {
  const { storage } = opened;
  const discarded: string[] = [];
  const maker: Pick<WorktreeMaker, 'discard'> = { discard: async (id) => void discarded.push(id) };
  const jobs: Pick<Jobs, 'unfinished'> = {
    async unfinished() {
      const found = await storage.read.jobs.find({ state: 'running' });
      await insertWorktree('creating');
      return found;
    },
  };
  await sweepWorktrees({ storage, maker: maker as WorktreeMaker, jobs: jobs as Jobs }, fail);
  expect(discarded).toEqual([]);
  expect((await storage.read.worktrees.get('w'))?.state).toBe('creating');
});

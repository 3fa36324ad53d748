import { existsSync } from 'node:fs';
import { ConsoleError } from '@agent-console/shared/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Call } from '../../src/domain/call.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { cleanUpAfter } from '../../src/operations/integration-cleanup.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { removeWorktree } from '../../src/operations/worktree-removal.ts';
import type { Git } from '../../src/ports/git.ts';
import type { IntegrationRow } from '../../src/ports/rows.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { createFixture, type Fixture } from '../git/fixture.ts';
import { openStorage } from '../support/storage.ts';

const caller: Caller = { kind: 'user', userId: 'ann', scopes: ['read', 'write'], via: 'peer' };
const createdAt = '2026-01-01T00:00:00.000Z';
const worktreeId = 'worktree';

let opened: ReturnType<typeof openStorage>;
let fixture: Fixture;
let tree: string;
beforeEach(async () => {
  opened = openStorage();
  fixture = createFixture();
  tree = fixture.path('work');
  fixture.sh(['worktree', 'add', '--quiet', '-b', 'work', tree]);
  await opened.storage.write({ actor: 'system' }, async (tx) => {
    const fields = { name: 'shop', defaultBranch: 'main', worktreesDir: fixture.root, createdAt };
    await tx.repositories.insert({ id: 'repository', ...fixture.row, ...fields });
    const worktree = { id: worktreeId, repositoryId: 'repository', kind: 'managed', name: 'work', index: 1 } as const;
    await tx.worktrees.insert({ ...worktree, path: tree, branch: 'work', state: 'ready', createdAt });
  });
});
afterEach(() => {
  opened.close();
  fixture.remove();
});

function contextWith(git: Partial<Git>, storage: Storage = opened.storage): OperationContext {
  const maker = { alone: <T>(_: string, work: () => Promise<T>) => work() };
  const host = { isPresent: async ({ path }: { path: string }) => existsSync(path) };
  const context: unknown = { storage, git: { ...fixture.git, ...git }, maker, host, now: () => new Date() };
  return context as OperationContext;
}

it('a clean-up keeps a worktree in which a file appears while the removal reads the git status', async () => {
  const context = contextWith({
    async compareWithBase(...args) {
      fixture.write('late.txt', 'late\n', tree);
      return fixture.git.compareWithBase(...args);
    },
  });
  const integration: Partial<IntegrationRow> = { id: 'integration', worktreeId, repositoryId: 'repository', createdAt };
  const request = { archiveSessions: false, removeWorktree: true, deleteBranch: false };
  const result = await cleanUpAfter(context, integration as IntegrationRow, request, caller);
  expect(result).toMatchObject({ worktreeRemoved: false, problems: [expect.stringContaining('late.txt')] });
  expect(existsSync(`${tree}/late.txt`)).toBe(true);
});

it('a removal that fails leaves the worktree ready, even if the database was busy, and reports its own error', async () => {
  let isBusy = false;
  const storage: Storage = {
    ...opened.storage,
    async write(...args) {
      if (!isBusy) return opened.storage.write(...args);
      isBusy = false;
      throw new ConsoleError('BUSY', 'the disk is full');
    },
  };
  const context = contextWith(
    {
      async removeWorktree() {
        isBusy = true;
        throw new ConsoleError('GIT_FAILED', 'git failed');
      },
    },
    storage,
  );
  const call: Call = { caller, surface: 'rest', signal: new AbortController().signal };
  await expect(removeWorktree(context, call, worktreeId, { force: true })).rejects.toThrow('git failed');
  expect((await opened.storage.read.worktrees.get(worktreeId))?.state).toBe('ready');
});

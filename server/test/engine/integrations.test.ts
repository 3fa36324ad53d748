import { ConsoleError } from '@agent-console/shared/errors';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createIntegrations } from '../../src/engine/integrations/integrations.ts';
import { createJobs } from '../../src/engine/scheduling/jobs.ts';
import { baseUpdateWork } from '../../src/engine/worktree-changes/base-update.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { createFixture, type Fixture } from '../git/fixture.ts';
import { openStorage } from '../support/storage.ts';

const author = { actor: 'system' };
const createdAt = '2026-01-01T00:00:00.000Z';
const now = () => new Date();
const maker = { alone: <T>(_: string, work: () => Promise<T>) => work() };

let opened: ReturnType<typeof openStorage>;
let fixture: Fixture;
beforeEach(async () => {
  opened = openStorage();
  fixture = createFixture();
  fixture.sh(['config', '--global', 'user.name', 'Tester']);
  fixture.sh(['config', '--global', 'user.email', 'tester@example.com']);
  const [path, repositoryId, branch] = [fixture.path('work'), 'repository', 'work'];
  fixture.sh(['worktree', 'add', '--quiet', '-b', branch, path]);
  await opened.storage.write(author, async (tx) => {
    const fields = { name: 'shop', defaultBranch: 'main', worktreesDir: fixture.root, createdAt };
    await tx.repositories.insert({ id: repositoryId, ...fixture.row, ...fields });
    const worktree = { id: 'worktree', repositoryId, kind: 'managed', name: 'work', index: 1 } as const;
    await tx.worktrees.insert({ ...worktree, path, branch, state: 'ready', createdAt });
  });
});
afterEach(() => {
  opened.close();
  fixture.remove();
});

const tip = (branch: string) => fixture.sh(['rev-parse', branch]);

/** Returns the storage, except that its first write after the branch has moved fails with `error`. */
function refusingAfterMove(branch: string, error: Error): Storage {
  const before = tip(branch);
  let hasRefused = false;
  const { storage } = opened;
  return {
    ...storage,
    write(...args) {
      if (hasRefused || tip(branch) === before) return storage.write(...args);
      hasRefused = true;
      return Promise.reject(error);
    },
  };
}

const locked = new ConsoleError('BUSY', 'Another process is writing to the database. Try again.');

it.each([['a locked database', locked] as const, ['a bug', new TypeError('no such property')] as const])(
  'an integration whose end is refused by %s after its branch was moved is integrated, and can be undone',
  async (_, error) => {
    fixture.write('work.txt', 'work\n', fixture.path('work'));
    const sourceSha = fixture.commit('Work', fixture.path('work'));
    const storage = refusingAfterMove('main', error);
    const deps = { storage, git: fixture.git, maker, now, newId: uuidv7 };
    const jobs = createJobs({ ...deps, onError: () => {} });
    const unused = () => Promise.reject(new Error('neither a hook nor a follow-up was asked for'));
    const integrations = createIntegrations({
      ...deps,
      jobs,
      hooks: { run: unused, startedOn: () => Promise.resolve(null) },
      followUps: { cleanUp: unused, resolve: unused },
      onError: () => {},
    });
    const beforeSha = tip('main');
    const { job, integration } = await storage.write(author, (tx) => {
      const ids = { repositoryId: 'repository', worktreeId: 'worktree' };
      const plan = {
        ...ids,
        strategy: 'merge',
        branch: 'work',
        sourceSha,
        into: 'main',
        beforeSha,
        message: 'M',
      } as const;
      const caller = { kind: 'nobody', reason: 'a test' } as const;
      return integrations.create(tx, author, plan, { caller, cleanup: null, resolve: false });
    });
    await integrations.run(job);
    expect(await storage.read.jobs.get(job.id)).toMatchObject({ state: 'succeeded', result: { commit: tip('main') } });
    const events = await storage.read.events.find({ subjectId: integration.id });
    expect(events.map(({ type }) => type)).toEqual(['integration.started', 'integration.integrated']);
    expect(await integrations.undo(author, integration.id)).toMatchObject({ state: 'undone' });
    expect(tip('main')).toBe(beforeSha);
  },
);

it('an update from the base whose end is refused by a locked database succeeds once it is free', async () => {
  fixture.write('base.txt', 'base\n');
  const commit = fixture.commit('Base');
  const storage = refusingAfterMove('work', locked);
  const deps = { storage, git: fixture.git, maker, now, newId: uuidv7 };
  const jobs = createJobs({ ...deps, onError: () => {} });
  const params = { worktreeId: 'worktree', branch: 'work', base: 'main', strategy: 'merge', fetch: false };
  const job = await storage.write(author, (tx) => jobs.create(tx, author, 'base-update', params));
  await jobs.run(job, (progress) => baseUpdateWork(deps)(job, progress));
  expect(tip('work')).toBe(commit);
  expect(await storage.read.jobs.get(job.id)).toMatchObject({ state: 'succeeded', result: { commit } });
  expect(await storage.read.worktrees.get('worktree')).toMatchObject({ currentSha: commit });
});

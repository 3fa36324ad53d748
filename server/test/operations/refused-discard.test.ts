import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Call } from '../../src/domain/call.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { worktreeChangeOperations } from '../../src/operations/worktree-changes.ts';
import type { Git } from '../../src/ports/git.ts';
import { createFixture, type Fixture } from '../git/fixture.ts';
import { openStorage } from '../support/storage.ts';

const CALL = { caller: { kind: 'user', userId: 'ann', scopes: ['write'] } } as unknown as Call;
const createdAt = '2026-01-01T00:00:00.000Z';
const maker = { alone: <T>(_: string, work: () => Promise<T>) => work() };
const worktreeId = 'worktree';

let opened: ReturnType<typeof openStorage>;
let fixture: Fixture;
let tree: string;
/** Runs when the start of a discard has been stored, before a file changes. */
let afterStart = () => {};
beforeEach(async () => {
  afterStart = () => {};
  opened = openStorage({
    onCommit(events) {
      if (events.some(({ type }) => type === 'worktree.discard_started')) afterStart();
    },
  });
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

const operations = (git: Git = fixture.git) =>
  worktreeChangeOperations({ storage: opened.storage, git, maker } as OperationContext);
const discard = (git?: Git) => operations(git)['worktrees.discard']({ worktreeId, paths: undefined }, CALL);
const undo = (recoveryRef?: string) => operations()['worktrees.undoDiscard']({ worktreeId, recoveryRef }, CALL);
const read = (name: string) => readFileSync(`${tree}/${name}`, 'utf8');

it('a discard that is refused after its start was stored leaves the discard before it as the one to undo', async () => {
  fixture.write('first.txt', 'first\n', tree);
  await discard();
  expect(existsSync(`${tree}/first.txt`)).toBe(false);
  fixture.write('second.txt', 'second\n', tree);
  for (const text of ['later\n', 'still later\n']) {
    afterStart = () => fixture.write('second.txt', text, tree);
    await expect(discard()).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'second.txt' } });
  }
  expect(await undo()).toMatchObject({ files: 1 });
  expect([read('first.txt'), read('second.txt')]).toEqual(['first\n', 'still later\n']);
});

it('an undo with nothing left to bring back names an earlier discard that was cut off while it discarded', async () => {
  fixture.write('first.txt', 'first\n', tree);
  fixture.write('second.txt', 'second\n', tree);
  let cutOffRef = '';
  const cutOff: Git = {
    ...fixture.git,
    discard: (checkout, name, what) =>
      fixture.git.discard(checkout, name, {
        ...what,
        async onSaved(ref) {
          cutOffRef = ref;
          await what.onSaved(ref);
          rmSync(`${tree}/first.txt`);
          throw new Error('the server dies here');
        },
      }),
  };
  await expect(discard(cutOff)).rejects.toThrow('the server dies here');
  await discard();
  await undo();
  expect([existsSync(`${tree}/first.txt`), read('second.txt')]).toEqual([false, 'second\n']);
  await expect(undo()).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(`${cutOffRef} as \`recoveryRef\``),
  });
  await undo(cutOffRef);
  expect([read('first.txt'), read('second.txt')]).toEqual(['first\n', 'second\n']);
});

it('if a discard was cut off before it changed a file, an undo names the discard before it', async () => {
  fixture.write('first.txt', 'first\n', tree);
  const { recoveryRef } = await discard();
  fixture.write('second.txt', 'second\n', tree);
  const cutOff: Git = {
    ...fixture.git,
    discard: (checkout, name, what) =>
      fixture.git.discard(checkout, name, {
        ...what,
        async onSaved(ref) {
          await what.onSaved(ref);
          throw new Error('the server dies here');
        },
      }),
  };
  await expect(discard(cutOff)).rejects.toThrow('the server dies here');
  await expect(undo()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(recoveryRef) });
  await undo(recoveryRef);
  expect([read('first.txt'), read('second.txt')]).toEqual(['first\n', 'second\n']);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, resultOf } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

async function make(branch: string, files: Record<string, string> = {}) {
  const fields = { repositoryId: c.repository.id, mode: 'either', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  if (Object.keys(files).length > 0) commit(worktree.path, files, `Work of ${branch}`);
  return { worktreeId: worktree.id, path: worktree.path };
}

function commit(path: string, files: Record<string, string>, message: string): string {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  c.git(['add', '.'], path);
  c.git(['commit', '--quiet', '-m', message], path);
  return c.git(['rev-parse', 'HEAD'], path);
}

type Request = Parameters<typeof c.client.call<'worktrees.integrate'>>[1];
async function integrate(input: Request) {
  const { job } = await c.client.call('worktrees.integrate', { ...input, wait: true });
  if (job?.error !== undefined) throw ConsoleError.fromBody({ error: job.error });
  return job?.result as Record<string, unknown> & { integrationId: string; commit: string };
}

const main = () => c.repository.path;
const tip = (branch: string) => c.git(['rev-parse', branch], main());
const read = (name: string) => readFileSync(join(main(), name), 'utf8');

describe('the message of a squash commit', () => {
  it('is the title of the session that got a prompt, not of one that only ran commands', async () => {
    c.git(['branch', 'titled'], main());
    const { worktreeId } = await make('named', { 'named.txt': 'named\n' });
    const create = { worktreeId, agentId: 'scripted' } as const;
    await c.client.call('sessions.create', {
      ...create,
      title: 'Name things',
      initialPrompt: '@report succeeded done',
    });
    await c.client.call('sessions.create', { ...create, title: 'Commands only' });
    await integrate({ worktreeId, strategy: 'squash', into: 'titled' });
    expect(c.git(['log', '-1', '--format=%s', 'titled'], main())).toBe('Name things');
  });
});

describe('integrating a worktree', () => {
  it('merges into the checked out default branch with its files, and resets both on undo', async () => {
    const before = tip('main');
    const { worktreeId } = await make('one', { 'one.txt': 'one\n' });
    const result = await integrate({ worktreeId });
    expect(result).toMatchObject({ into: 'main', conflicts: [], undoableUntil: expect.any(String) });
    expect(tip('main')).toBe(result.commit);
    expect(c.git(['log', '-1', '--format=%P', 'main'], main()).split(' ')).toEqual([before, tip('one')]);
    expect(read('one.txt')).toBe('one\n');
    expect(c.git(['status', '--porcelain'], main())).toBe('');
    const undone = await c.client.call('integrations.undo', { integrationId: result.integrationId });
    expect(undone).toMatchObject({ state: 'undone', undoableUntil: null });
    expect(tip('main')).toBe(before);
    expect(existsSync(join(main(), 'one.txt'))).toBe(false);
    expect(await refusal(c.client.call('integrations.undo', { integrationId: result.integrationId }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('its state is undone'),
    });
  });

  it('refuses an undo once the target has moved, and changes nothing', async () => {
    const { worktreeId } = await make('built-upon', { 'built-upon.txt': 'work\n' });
    const { integrationId, commit: integrated } = await integrate({ worktreeId });
    const next = commit(main(), { 'next.txt': 'next\n' }, 'Next');
    const { code, message } = await refusal(c.client.call('integrations.undo', { integrationId }));
    expect({ code, message }).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('main has moved') });
    expect(tip('main')).toBe(next);
    expect([read('built-upon.txt'), read('next.txt')]).toEqual(['work\n', 'next\n']);
    expect(await c.client.call('integrations.get', { integrationId })).toMatchObject({ state: 'integrated' });
    // After the new commit is removed from `main`, the integration can be undone.
    c.git(['reset', '--quiet', '--hard', integrated], main());
    expect(await c.client.call('integrations.undo', { integrationId })).toMatchObject({ state: 'undone' });
  });

  it('squashes, and rebases with authors and messages, into a branch that is not checked out', async () => {
    c.git(['branch', 'release'], main());
    const { worktreeId, path } = await make('two', { 'two.txt': 'two\n' });
    commit(path, { 'two.txt': 'two\nmore\n' }, 'Add more');
    const squashed = await integrate({ worktreeId, strategy: 'squash', into: 'release', message: 'All of two' });
    expect(c.git(['log', '--format=%s', 'main..release'], main())).toBe('All of two');
    expect(c.git(['rev-parse', `${squashed.commit}^{tree}`], main())).toBe(c.git(['rev-parse', 'two^{tree}'], main()));
    c.git(['branch', 'linear'], main());
    const other = await make('other', { 'other.txt': 'other\n' });
    await integrate({ worktreeId: other.worktreeId, into: 'linear' });
    await integrate({ worktreeId, strategy: 'rebase', into: 'linear' });
    expect(c.git(['log', '--format=%s', '-2', 'linear'], main())).toBe('Add more\nWork of two');
  });

  it('changes nothing if there are conflicts, and lists them with the change of each side', async () => {
    const { worktreeId } = await make('left', { 'same.txt': 'left\n' });
    c.git(['branch', 'conflicting', 'main'], main());
    const right = await make('right', { 'same.txt': 'right\n' });
    await integrate({ worktreeId: right.worktreeId, into: 'conflicting' });
    const before = tip('conflicting');
    const conflicts = [{ path: 'same.txt', kind: 'add/add', ours: 'added', theirs: 'added' }];
    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      expect(await integrate({ worktreeId, strategy, into: 'conflicting' })).toMatchObject({ commit: null, conflicts });
    }
    expect(await integrate({ worktreeId, into: 'conflicting', dryRun: true })).toMatchObject({
      dryRun: true,
      conflicts,
    });
    expect(tip('conflicting')).toBe(before);
  });

  it('refuses, also in a dry run, a target that is checked out twice or being rebased', async () => {
    const { worktreeId } = await make('source', { 'source.txt': 'source\n' });
    const target = await make('target', { 'target.txt': 'target\n' });
    const both = async (expected: object) => {
      for (const dryRun of [true, false]) {
        const refused = await refusal(integrate({ worktreeId, into: 'target', dryRun }));
        expect(refused).toMatchObject({ code: 'CONFLICT', ...expected });
      }
    };
    const twice = join(c.folder, 'twice');
    c.git(['worktree', 'add', '--quiet', '--force', twice, 'target'], main());
    await both({ message: expect.stringContaining('is checked out in 2 worktrees') });
    c.git(['worktree', 'remove', twice], main());
    expect(() => c.git(['rebase', '--exec', 'false', 'HEAD~1'], target.path)).toThrow();
    await both({ details: { operation: 'rebase' } });
    c.git(['rebase', '--abort'], target.path);
    expect(await integrate({ worktreeId, into: 'target', dryRun: true })).toMatchObject({ conflicts: [] });
  });

  it('needs a passed check of the commit with requireCheck, and a dry run shows the check', async () => {
    const { worktreeId, path } = await make('checked', { 'checked.txt': 'red\n' });
    c.git(['branch', 'checks', 'main'], main());
    const required = { worktreeId, into: 'checks', requireCheck: true } as const;
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'grep -q green checked.txt' });
    expect(await refusal(integrate(required))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has no result of a clean check'),
    });
    await c.client.call('worktrees.check', { worktreeId, wait: true });
    expect(await refusal(integrate(required))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('did not pass its check'),
    });
    expect(await integrate({ worktreeId, into: 'checks', dryRun: true })).toMatchObject({ check: { passed: false } });
    commit(path, { 'checked.txt': 'green\n' }, 'Green');
    await c.client.call('worktrees.check', { worktreeId, wait: true });
    expect(await integrate(required)).toMatchObject({ check: { passed: true }, conflicts: [] });
  });

  it('can be undone only while the target stands where it was moved', async () => {
    c.git(['branch', 'moving', 'main'], main());
    const { worktreeId } = await make('mover', { 'mover.txt': 'mover\n' });
    const { integrationId } = await integrate({ worktreeId, into: 'moving' });
    const later = await make('later', { 'later.txt': 'later\n' });
    await integrate({ worktreeId: later.worktreeId, into: 'moving' });
    const after = tip('moving');
    expect(await refusal(c.client.call('integrations.undo', { integrationId }))).toMatchObject({ code: 'CONFLICT' });
    expect(tip('moving')).toBe(after);
    expect(await c.client.call('integrations.get', { integrationId })).toMatchObject({ state: 'integrated' });
  });

  it('compares, updates and integrates with the default branch once its base was deleted', async () => {
    c.git(['branch', 'short-lived', 'main'], main());
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch: 'orphan', wait: true } as const;
    const made = await c.client.call('worktrees.create', { ...fields, baseBranch: 'short-lived' });
    const { id: worktreeId = '', path = '' } = made.worktree ?? {};
    commit(path, { 'orphan.txt': 'orphan\n' }, 'Orphan');
    c.git(['branch', '-D', 'short-lived'], main());
    const { gitStatus } = await c.client.call('worktrees.get', { worktreeId });
    expect(gitStatus).toMatchObject({ base: 'main', ahead: 1, merged: false });
    const updated = resultOf(c.client.call('worktrees.updateFromBase', { worktreeId, wait: true }));
    expect(await updated).toMatchObject({ base: 'main', conflicts: [] });
    expect(await integrate({ worktreeId, dryRun: true })).toMatchObject({ into: 'main', conflicts: [] });
  });

  it('refuses uncommitted work in the worktree, and changes in the checkout of the target', async () => {
    const { worktreeId, path } = await make('dirty', { 'dirty.txt': 'dirty\n' });
    writeFileSync(join(path, 'forgotten.txt'), '');
    expect(await refusal(integrate({ worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('forgotten.txt. Commit or discard them first.'),
    });
    // The details name fewer files than the message counts. A file that was removed only from the index counts once.
    for (let at = 0; at < RISK_LIST_MAX + 1; at += 1) writeFileSync(join(path, `more-${at}.txt`), '');
    c.git(['rm', '--quiet', '--cached', 'dirty.txt'], path);
    const { message, details } = await refusal(integrate({ worktreeId }));
    expect(message).toContain(` and ${RISK_LIST_MAX + 3 - 5} more. Commit or discard them first.`);
    expect(details.files).toHaveLength(RISK_LIST_MAX);
    commit(path, {}, 'Add the file');
    writeFileSync(join(main(), 'dirty.txt'), 'of a person\n');
    for (const dryRun of [true, false]) {
      expect(await refusal(integrate({ worktreeId, dryRun }))).toMatchObject({
        code: 'CONFLICT',
        details: { files: ['dirty.txt'] },
      });
    }
    expect(read('dirty.txt')).toBe('of a person\n');
  });
});

describe('an agent', () => {
  it('integrates into the default branch only where the owner allows it, also from the main checkout', async () => {
    const root = await startRoot(c);
    const { repositoryId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
    const made = await root.client.call('worktrees.create', {
      repositoryId: repositoryId ?? '',
      mode: 'custom',
      branch: 'child',
      wait: true,
    });
    const { id: worktreeId = '', path = '' } = made.worktree ?? {};
    commit(path, { 'child.txt': 'child\n' }, 'Work of the child');
    const before = tip('main');
    const integrateAs = (input: object = {}) =>
      resultOf<{ commit: string }>(root.client.call('worktrees.integrate', { worktreeId, wait: true, ...input }));
    for (const into of [undefined, 'main']) {
      expect(await refusal(integrateAs(into === undefined ? {} : { into }))).toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining('agentsMayIntegrate'),
      });
    }
    c.git(['branch', 'elsewhere'], main());
    await c.client.call('repositories.update', { repositoryId: c.repository.id, agentsMayIntegrate: true });
    expect(await refusal(integrateAs({ into: 'elsewhere' }))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(tip('main')).toBe(before);
    const { commit: merged } = await integrateAs();
    expect(tip('main')).toBe(merged);

    const { data } = await c.client.call('integrations.list', { repositoryId: c.repository.id, worktreeId });
    const integrationId = data.find(({ state }) => state === 'integrated')?.id ?? '';
    for (const refused of [
      root.client.call('integrations.undo', { integrationId }),
      root.client.call('repositories.prune', { repositoryId: c.repository.id, worktreeIds: [worktreeId] }),
      root.client.call('worktrees.pullRequest', { worktreeId }),
    ]) {
      expect(await refusal(refused)).toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    expect(tip('main')).toBe(merged);
  });
});

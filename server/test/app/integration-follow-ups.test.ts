import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputOf } from '@agent-console/shared/operations/table';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseWrite } from '../e2e/support/planted.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { workingAgent } from '../support/worktree-work.ts';

let c: InProcessApp;
let root: AgentHandle;
beforeAll(async () => {
  c = await startTestApp();
  // The root agent is in the main checkout, so it integrates into the default branch, which the repository must allow.
  await c.client.call('repositories.update', { repositoryId: c.repository.id, agentsMayIntegrate: true });
  root = await startRoot(c);
});
afterAll(() => c.close());

const tip = (branch: string) => c.git(['rev-parse', branch]);
const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n');

function commit(path: string, files: Record<string, string>, message: string): string {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  c.git(['add', '.'], path);
  c.git(['commit', '--quiet', '--allow-empty', '-m', message], path);
  return c.git(['rev-parse', 'HEAD'], path);
}

/** Delegates a prompt as the root agent, waits for the end of the task, and commits files in the new worktree. */
async function delegated(branch: string, files: Record<string, string>, base = 'main') {
  const fields = { prompt: `@report succeeded Work of ${branch}`, branch, baseBranch: base };
  const { sessionId, worktreePath, delegationId } = (await root.client.call(
    'delegations.create',
    fields,
  )) as OutputOf<'delegations.create'>;
  await c.until('the report', async () => (await c.client.call('sessions.get', { sessionId })).status === 'idle');
  const { worktreeId } = await c.client.call('delegations.get', { delegationId });
  commit(worktreePath, files, `Work of ${branch}`);
  return { sessionId, worktreeId, path: worktreePath };
}

type Request = Parameters<typeof c.client.call<'worktrees.integrate'>>[1];
const start = (input: Request) => c.client.call('worktrees.integrate', { ...input, wait: true });

async function integrate(input: Request, client = c.client) {
  const { job } = await client.call('worktrees.integrate', { ...input, wait: true });
  if (job?.error !== undefined) throw new Error(`${job.error.code}: ${job.error.message}`);
  return job?.result as Record<string, unknown> & { integrationId: string; commit: string };
}

const everything = { removeWorktree: true, deleteBranch: true, archiveSessions: true };

describe('cleaning up after an integration', () => {
  it.each([
    ['a removal', { table: 'worktrees', when: "new.state = 'removing'" }],
    ['the result', { table: 'integrations', when: 'new.cleanup is not null' }],
  ])('logs an unexpected error of %s, about which callers learn only where to find it', async (what, refused) => {
    const branch = what.replaceAll(' ', '-');
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    commit(worktree?.path ?? '', { [`${branch}.txt`]: 'work\n' }, 'Work');
    const log = () => readFileSync(join(c.home, 'server.log'), 'utf8').match(/planted failure/g)?.length ?? 0;
    const before = log();
    const allow = refuseWrite(c, { event: 'update', ...refused });
    const { integrationId, cleanup, problems } = await integrate({
      worktreeId: worktree?.id ?? '',
      cleanup: { removeWorktree: true },
    });
    allow();
    const told = [problems, (cleanup as { problems?: string[] } | null)?.problems ?? []].flat();
    expect(told).toEqual([expect.stringContaining('See the server log')]);
    expect(log()).toBeGreaterThan(before);
    expect((await c.client.call('integrations.cleanUp', { integrationId })).cleanup).toMatchObject({ problems: [] });
  });

  it('archives the sessions, removes the worktree and deletes the branch; the integration can still be undone', async () => {
    const before = tip('main');
    const { worktreeId, sessionId, path } = await delegated('done', { 'done.txt': 'done\n' });
    const source = tip('done');
    const result = await integrate({ worktreeId, strategy: 'squash', cleanup: everything });
    expect(result.cleanup).toEqual({
      worktreeRemoved: true,
      branchDeleted: true,
      sessionsArchived: [sessionId],
      problems: [],
      warnings: [],
    });
    expect(existsSync(path)).toBe(false);
    expect(branches()).not.toContain('done');
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ archivedAt: expect.any(String) });
    const { integrationId } = result;
    expect(await c.client.call('integrations.get', { integrationId })).toMatchObject({ cleanup: result.cleanup });
    expect(c.git(['rev-parse', `refs/agent-console/integrations/${integrationId}/source`])).toBe(source);
    await c.client.call('integrations.undo', { integrationId });
    expect(tip('main')).toBe(before);
  });

  it('is possible later in one call, which can be repeated, while the target contains the work', async () => {
    const { worktreeId, sessionId, path } = await delegated('later', { 'later.txt': 'later\n' });
    const before = tip('main');
    const { integrationId } = await integrate({ worktreeId });
    const cleanUp = (request: object = {}) => c.client.call('integrations.cleanUp', { integrationId, ...request });
    expect(await refusal(cleanUp({ removeWorktree: false }))).toMatchObject({ code: 'VALIDATION' });
    await c.client.call('integrations.undo', { integrationId });
    const undone = expect.stringContaining('Integrate later first.');
    expect(await refusal(cleanUp())).toMatchObject({ code: 'CONFLICT', message: undone, details: { state: 'undone' } });

    // An integration is running only for a moment, so the state is set in the database.
    const change = (statement: string) => {
      const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
      database.exec(statement);
      database.close();
    };
    change(`update integrations set state = 'running' where id = '${integrationId}'`);
    const running = expect.stringContaining('Wait until the integration has ended.');
    expect(await refusal(cleanUp())).toMatchObject({ message: running, details: { state: 'running' } });
    change(`update integrations set state = 'undone' where id = '${integrationId}'`);

    const again = await integrate({ worktreeId });
    const input = { integrationId: again.integrationId };
    const merged = tip('main');
    c.git(['reset', '--quiet', '--hard', before], c.repository.path);
    const refused = await refusal(c.client.call('integrations.cleanUp', input));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('main no longer contains the commits of this integration'),
    });
    expect(existsSync(path)).toBe(true);
    c.git(['reset', '--quiet', '--hard', merged], c.repository.path);
    const sessions = await c.client.call('integrations.cleanUp', {
      ...input,
      removeWorktree: false,
      deleteBranch: false,
    });
    expect(sessions.cleanup).toEqual({
      ...{ worktreeRemoved: false, branchDeleted: false, sessionsArchived: [sessionId], problems: [], warnings: [] },
    });
    // Simulates a result that an older version stored. Older versions stored no warnings.
    change("update integrations set cleanup = json_remove(cleanup, '$.warnings')");
    expect((await c.client.call('integrations.get', input)).cleanup).toEqual(sessions.cleanup);
    const cleanupCommand = 'echo no database; exit 1';
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand });
    for (let times = 0; times < 2; times += 1) {
      expect((await c.client.call('integrations.cleanUp', input)).cleanup).toEqual({
        ...{ worktreeRemoved: true, branchDeleted: true, sessionsArchived: [sessionId], problems: [] },
        warnings: ['The cleanup command of the repository failed: no database'],
      });
    }
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand: null });
    expect(existsSync(path)).toBe(false);
    expect(branches()).not.toContain('later');
  });

  it('changes nothing later if work continued after the integration', async () => {
    const { worktreeId, sessionId, path } = await delegated('continued', { 'continued.txt': 'one\n' });
    const { integrationId } = await integrate({ worktreeId });
    const refused = () => refusal(c.client.call('integrations.cleanUp', { integrationId }));
    const working = await workingAgent(c, worktreeId);
    const message = expect.stringContaining('Wait until the turn of the agent ends, or interrupt the agent.');
    expect(await refused()).toMatchObject({ code: 'CONFLICT', message, details: { sessionId: working } });
    await c.client.call('sessions.stop', { sessionId: working });
    const more = commit(path, { 'continued.txt': 'two\n' }, 'Continue');
    const advice = expect.stringContaining('Integrate continued again, and clean up after that integration.');
    expect(await refused()).toMatchObject({ code: 'CONFLICT', message: advice, details: { integrationId } });
    for (const id of [sessionId, working]) {
      expect(await c.client.call('sessions.get', { sessionId: id })).toMatchObject({ archivedAt: null });
    }
    expect((await c.client.call('sessions.get', { sessionId })).status).toBe('idle');
    expect(c.git(['rev-parse', 'HEAD'], path)).toBe(more);
    expect(await c.client.call('integrations.get', { integrationId })).toMatchObject({ cleanup: null });
    const again = await integrate({ worktreeId });
    expect((await c.client.call('integrations.cleanUp', { integrationId: again.integrationId })).cleanup).toMatchObject(
      {
        ...{ worktreeRemoved: true, branchDeleted: true, problems: [] },
      },
    );
  });

  it('keeps everything while an agent is in a turn in the worktree, and says so', async () => {
    const { worktreeId, sessionId, path } = await delegated('in-turn', { 'in-turn.txt': 'in turn\n' });
    const working = await workingAgent(c, worktreeId);
    const { cleanup, commit: merged } = await integrate({ worktreeId, cleanup: everything });
    expect(merged).toBe(tip('main'));
    expect(cleanup).toEqual({
      ...{ worktreeRemoved: false, branchDeleted: false, sessionsArchived: [], warnings: [] },
      problems: [expect.stringMatching(`^Session ${working} .* has an unfinished task, so worktree .* kept`)],
    });
    expect(existsSync(path)).toBe(true);
    expect(await c.client.call('sessions.get', { sessionId: working })).toMatchObject({
      ...{ status: 'running', archivedAt: null },
    });
    await c.client.call('sessions.stop', { sessionId: working });
    expect((await integrate({ worktreeId, cleanup: everything })).cleanup).toMatchObject({
      ...{ worktreeRemoved: true, branchDeleted: true, problems: [] },
      sessionsArchived: expect.arrayContaining([sessionId, working]),
    });
  });

  it('stops an agent that has reported its result, although its turn has not ended', async () => {
    const { worktreeId, sessionId } = await delegated('reported', { 'reported.txt': 'reported\n' });
    const prompt = '@report succeeded all of it\n@sleep 600000';
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt });
    await c.until('the report', async () => (await c.client.call('tasks.get', { taskId })).status === 'completed');
    expect((await c.client.call('sessions.workers', { sessionId })).data[0]?.activityState).toBe('active');
    const next = await c.client.call('sessions.prompt', { sessionId, prompt: '@say next' });
    const kept = await integrate({ worktreeId, cleanup: everything });
    const problems = [expect.stringMatching(`^Session ${sessionId} .* has an unfinished task`)];
    expect(kept.cleanup).toMatchObject({ worktreeRemoved: false, sessionsArchived: [], problems });
    await c.client.call('tasks.cancel', { taskId: next.taskId });
    expect((await integrate({ worktreeId, cleanup: everything })).cleanup).toEqual({
      ...{ worktreeRemoved: true, branchDeleted: true, sessionsArchived: [sessionId], problems: [], warnings: [] },
    });
  });

  it('says what it kept: a live session, new changes, new commits', async () => {
    const { worktreeId, sessionId, path } = await delegated('busy', { 'busy.txt': 'busy\n' });
    const live = await integrate({ worktreeId, cleanup: { ...everything, archiveSessions: false } });
    expect(live.cleanup).toMatchObject({
      worktreeRemoved: false,
      branchDeleted: false,
      problems: [expect.stringContaining(`Session ${sessionId}`)],
    });
    await c.client.call('sessions.stop', { sessionId });
    commit(path, { 'more.txt': 'more\n' }, 'More');
    // The cleanup command of the repository makes another commit while the worktree is being removed.
    const cleanupCommand = 'git commit --quiet --allow-empty -m "At the last moment"';
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand });
    const kept = await integrate({ worktreeId, cleanup: everything });
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand: null });
    expect(kept.cleanup).toMatchObject({
      worktreeRemoved: true,
      branchDeleted: false,
      problems: [expect.stringContaining('commits that were not integrated')],
    });
    expect(branches()).toContain('busy');
    const other = await delegated('other', { 'other.txt': 'other\n' });
    expect(await refusal(start({ worktreeId: other.worktreeId, cleanup: { deleteBranch: true } }))).toMatchObject({
      code: 'VALIDATION',
      details: { field: 'cleanup.deleteBranch' },
    });
  });
});

describe('conflicts that an agent resolves', () => {
  it('are delegated with both prompts and the files, once, and the result can be integrated', async () => {
    commit(c.repository.path, { 'shared.txt': 'one\ntwo\nthree\n' }, 'Base');
    const left = await delegated('left', { 'shared.txt': 'one\nleft\nthree\n' });
    const right = await delegated('right', { 'shared.txt': 'one\nright\nthree\n' });
    await integrate({ worktreeId: left.worktreeId }, root.client as never);
    const before = tip('main');
    const result = await integrate({ worktreeId: right.worktreeId, resolve: true }, root.client as never);
    expect(result).toMatchObject({ commit: null, conflicts: [{ path: 'shared.txt' }], problems: [] });
    expect(tip('main')).toBe(before);
    const resolvingSessionId = String(result.resolvingSessionId);
    const { data } = await c.client.call('delegations.list', { parentSessionId: root.sessionId });
    const delegation = data.find(({ sessionId }) => sessionId === resolvingSessionId);
    expect(delegation?.branch).toMatch(/^right-resolved-/);
    const { data: tasks } = await c.client.call('tasks.list', { sessionId: resolvingSessionId });
    const prompt = tasks[0]?.prompt ?? '';
    for (const part of [
      'git merge main',
      '"shared.txt"',
      '> @report succeeded Work of left',
      '> @report succeeded Work of right',
    ]) {
      expect(prompt).toContain(part);
    }
    await c.until('the prompt', async () => {
      const { state } = await c.client.call('delegations.get', { delegationId: String(delegation?.id) });
      return state === 'handed_over';
    });
    await c.client.call('sessions.stop', { sessionId: resolvingSessionId });
    const worktree = await c.client.call('worktrees.get', { worktreeId: String(delegation?.worktreeId) });
    // `base` is the target of the integration that had conflicts, so an integration without a named target goes into
    // this branch.
    expect(worktree.gitStatus).toMatchObject({ base: 'main', conflictsWithBase: true });
    // Merges main and resolves the conflict in place of a real agent, because the scripted agent only writes notes.
    commit(worktree.path, {}, 'Notes');
    expect(() => c.git(['merge', '--quiet', 'main'], worktree.path)).toThrow();
    expect(c.git(['diff', '--name-only', '--diff-filter=U'], worktree.path)).toBe('shared.txt');
    commit(worktree.path, { 'shared.txt': 'one\nleft and right\nthree\n' }, 'Merge main');
    const resolved = await integrate({ worktreeId: worktree.id }, root.client as never);
    expect(resolved).toMatchObject({ conflicts: [], check: null });
    expect(c.git(['show', 'main:shared.txt'])).toBe('one\nleft and right\nthree');
  });

  it('are not delegated when a limit is reached, and the result names the reason', async () => {
    const { worktreeId } = await delegated('late', { 'shared.txt': 'late\n' }, 'main~3');
    await c.client.call('settings.update', { delegationDepth: 0 });
    const result = await integrate({ worktreeId, resolve: true }, root.client as never);
    await c.client.call('settings.update', { delegationDepth: 3 });
    expect(result).toMatchObject({
      commit: null,
      resolvingSessionId: null,
      problems: [expect.stringMatching(/depth/i)],
    });
  });
});

describe('an integration that is not possible', () => {
  const reason = (input: Request) => refusal(start(input));

  it('names the problem, and changes nothing', async () => {
    const { worktreeId, path } = await delegated('bad', { 'bad.txt': 'bad\n' });
    const before = tip('main');
    expect(await reason({ worktreeId, into: 'bad' })).toMatchObject({ details: { field: 'into' } });
    expect(await reason({ worktreeId, into: 'gone' })).toMatchObject({ code: 'NOT_FOUND', details: { field: 'into' } });
    c.git(['switch', '--quiet', '--detach'], path);
    expect((await reason({ worktreeId })).message).toContain('git switch -c');
    c.git(['switch', '--quiet', '--orphan', 'unborn'], path);
    expect((await reason({ worktreeId })).message).toContain('has no commits');
    c.git(['switch', '--quiet', '--force', 'bad'], path);
    c.git(['checkout', '--quiet', '--orphan', 'unrelated'], path);
    commit(path, {}, 'Unrelated');
    await expect(integrate({ worktreeId })).rejects.toThrow('no common commit');
    c.git(['switch', '--quiet', 'bad'], path);
    const twice = join(c.folder, 'twice');
    c.git(['worktree', 'add', '--quiet', '--force', twice, 'main']);
    await expect(integrate({ worktreeId })).rejects.toThrow(/main is checked out in 2 worktrees/);
    c.git(['worktree', 'remove', twice]);
    rmSync(path, { recursive: true });
    expect(await reason({ worktreeId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(tip('main')).toBe(before);
    expect(c.git(['status', '--porcelain'])).toBe('');
  });

  it('fails when the folder of the repository is gone, and works when it is back', async () => {
    const { worktreeId } = await delegated('homeless', { 'homeless.txt': 'homeless\n' });
    const elsewhere = `${c.repository.path}-elsewhere`;
    renameSync(c.repository.path, elsewhere);
    expect(await reason({ worktreeId })).toMatchObject({ code: 'NOT_FOUND' });
    rmSync(c.repository.path, { recursive: true, force: true });
    renameSync(elsewhere, c.repository.path);
    expect(await integrate({ worktreeId })).toMatchObject({ into: 'main' });
  });
});

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { RECOVERY_UNTRACKED_MAX_BYTES } from '@agent-console/shared/limits/git';
import { DELEGATION_LIMIT_MS } from '@agent-console/shared/limits/sessions';
import type { Repository } from '@agent-console/shared/models/repository';
import type { OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { delegationsIn } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { cat } from '../support/memory-runner/programs.ts';
import { slowSetup, stopTimers } from '../support/slow-setup.ts';

type Input = RequestOf<'delegations.create'>;

let c: InProcessApp;
let root: OutputOf<'delegations.create'>;
let rootClient: ConsoleClient;

const { quiet, delegate, end, rootAtRest } = delegationsIn(() => c);

beforeAll(async () => {
  c = await startTestApp({ programs: { 'agent-program': cat, 'late-program': cat } });
  root = await rootAtRest();
  rootClient = asWorker(c, root.workerId);
});
afterAll(() => c.close());

describe('a failed delegation leaves nothing', () => {
  let repository: Repository;
  let folder: string;
  beforeAll(async () => {
    repository = await c.addRepository('failing');
    const made = await c.client.call('delegations.create', { ...quiet, repositoryId: repository.id, branch: 'first' });
    folder = dirname(made.worktreePath);
    await end(made);
  });

  /** Returns everything that a failed delegation could have left behind. */
  async function remains() {
    const listed = await c.client.call('worktrees.list', { repositoryId: repository.id, limit: 500 });
    const registered = readdirSync(join(repository.path, '.git/worktrees'));
    const tokens = readdirSync(join(c.home, 'workers')).filter((id) =>
      existsSync(join(c.home, 'workers', id, 'token')),
    );
    return {
      refs: c.git(['for-each-ref'], repository.path),
      registered,
      folders: existsSync(folder) ? readdirSync(folder) : 'replaced',
      worktrees: listed.data.map(({ id }) => id),
      sessions: (await c.client.call('sessions.list', { limit: 1 })).total,
      tokens,
      processes: c.runner.list().filter(({ exit }) => exit === null).length,
    };
  }

  async function fails(fields: Partial<Input>) {
    const before = await remains();
    const { total } = await c.client.call('delegations.list', {});
    const error = await refusal(delegate({ repositoryId: repository.id, ...fields }));
    expect(await remains()).toEqual(before);
    const delegations = await c.client.call('delegations.list', { limit: 1 });
    const row = delegations.total === total ? undefined : delegations.data[0];
    return { error, row };
  }

  it('when the branch exists, the base is unknown, or the agent is not installed: not even a row', async () => {
    const cases: [Partial<Input>, object][] = [
      [{ branch: 'first' }, { code: 'CONFLICT', details: { branch: 'first' } }],
      [{ baseBranch: 'nowhere' }, { code: 'NOT_FOUND', details: { base: 'nowhere' } }],
      [{ agentId: 'nobody' }, { code: 'VALIDATION', details: { field: 'agentId' } }],
    ];
    for (const [fields, wanted] of cases) {
      const { error, row } = await fails(fields);
      expect(error).toMatchObject(wanted);
      expect(row).toBeUndefined();
    }
    const program = join(c.folder, 'agent-program');
    writeFileSync(program, '#!/bin/sh\ncat\n', { mode: 0o755 });
    await c.client.call('agents.create', { id: 'removed', name: 'Removed', command: [program] });
    rmSync(program);
    const { error, row } = await fails({ agentId: 'removed' });
    expect(error).toMatchObject({ code: 'AGENT_UNAVAILABLE' });
    expect(row).toBeUndefined();
  });

  it('when the branch does not exist on origin', async () => {
    const { error, row } = await fails({ baseBranch: 'pull/9/head', useRemote: true, branch: 'review' });
    expect(error).toMatchObject({ code: 'NOT_FOUND', details: { failedStep: 'creating_worktree' } });
    expect(row).toMatchObject({ state: 'rejected', failedStep: 'creating_worktree', branch: 'review' });
    expect(row?.error).toEqual({ code: 'NOT_FOUND', message: error.message });
  });

  it('when the branch name conflicts with another one', async () => {
    const { error, row } = await fails({ branch: 'first/second' });
    expect(error).toMatchObject({
      code: 'CONFLICT',
      details: { failedStep: 'creating_worktree', delegationId: row?.id },
    });
    expect(row).toMatchObject({ state: 'rejected' });
  });

  it('when its folder cannot be created', async () => {
    const kept = `${folder}.kept`;
    renameSync(folder, kept);
    c.git(['worktree', 'repair', join(kept, readdirSync(kept)[0] ?? '')], repository.path);
    writeFileSync(folder, 'in the way');
    try {
      const before = c.git(['for-each-ref'], repository.path);
      const call = c.client.call('delegations.create', { ...quiet, repositoryId: repository.id, branch: 'no-place' });
      const error = await refusal(call);
      expect(error).toMatchObject({ details: { failedStep: 'creating_worktree' } });
      expect(['CONFLICT', 'GIT_FAILED']).toContain(error.code);
      expect(c.git(['for-each-ref'], repository.path)).toBe(before);
      expect(readFileSync(folder, 'utf8')).toBe('in the way');
    } finally {
      rmSync(folder);
      renameSync(kept, folder);
      c.git(['worktree', 'repair', join(folder, readdirSync(folder)[0] ?? '')], repository.path);
    }
  });

  it('when the setup command is killed; an exit code is only a warning', async () => {
    const setup = (setupCommand: string | null) =>
      c.client.call('repositories.update', { repositoryId: repository.id, setupCommand });
    await setup('touch made-by-setup; kill -TERM $$');
    const { error, row } = await fails({ branch: 'killed' });
    expect(error.message).toContain('SIGTERM');
    expect(row).toMatchObject({ state: 'rejected', failedStep: 'creating_worktree', error: { code: error.code } });
    const told = await c.client.call('sessions.wait', { sessionId: row?.sessionId ?? '' });
    expect(told).toMatchObject({ reached: 'finished', task: { status: 'failed', error: { code: error.code } } });
    await setup('echo missing tool >&2; exit 1');
    const made = await c.client.call('delegations.create', { ...quiet, repositoryId: repository.id, branch: 'warned' });
    expect(made).toMatchObject({ state: 'prompting', warnings: [expect.stringMatching(/code 1: missing tool/)] });
    await end(made);
    await setup(null);
  });

  it('when the agent disappears at the last moment', async () => {
    const program = join(c.folder, 'late-program');
    writeFileSync(program, '#!/bin/sh\ncat\n', { mode: 0o755 });
    await c.client.call('agents.create', { id: 'late', name: 'Late', command: [program] });
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: `rm '${program}'` });
    const { error, row } = await fails({ agentId: 'late', branch: 'late' });
    expect(error).toMatchObject({ code: 'AGENT_UNAVAILABLE', details: { failedStep: 'starting_agent' } });
    expect(row).toMatchObject({ state: 'rejected', failedStep: 'starting_agent' });
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: null });
  });

  it('except a recovery ref of the files in a worktree that had become ready', async () => {
    const program = join(c.folder, 'late-program');
    writeFileSync(program, '#!/bin/sh\ncat\n', { mode: 0o755 });
    const setupCommand = `rm '${program}'; echo mine > mine.txt`;
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand });
    const error = await refusal(delegate({ repositoryId: repository.id, agentId: 'late', branch: 'with-files' }));
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: null });
    expect(error).toMatchObject({ details: { failedStep: 'starting_agent' } });
    const [row] = (await c.client.call('delegations.list', { limit: 1 })).data;
    await c.until('the undo', async () => !existsSync(row?.worktreePath ?? ''));
    const { data } = await c.client.call('events.list', { order: 'newest', limit: 100 });
    const saved = data.find(({ type, subject }) => type === 'worktree.saved' && subject.id === row?.worktreeId);
    expect(c.git(['show', `${saved?.data.recoveryRef}:mine.txt`], repository.path)).toBe('mine');
  });

  it('even if the setup command created a file that is too large to be saved', async () => {
    writeFileSync(join(c.folder, 'late-program'), '#!/bin/sh\ncat\n', { mode: 0o755 });
    const large = `dd if=/dev/zero of=large.bin bs=1 count=0 seek=${RECOVERY_UNTRACKED_MAX_BYTES + 1}`;
    const setupCommand = `rm '${join(c.folder, 'late-program')}'; ${large}`;
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand });
    const error = await refusal(delegate({ repositoryId: repository.id, agentId: 'late', branch: 'large' }));
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: null });
    expect(error).toMatchObject({ details: { failedStep: 'starting_agent' } });
    const [row] = (await c.client.call('delegations.list', { limit: 1 })).data;
    await c.until('the undo', async () => {
      const { state } = await c.client.call('delegations.get', { delegationId: row?.id ?? '' });
      return state === 'rejected';
    });
    expect(existsSync(row?.worktreePath ?? '')).toBe(false);
    expect(c.git(['branch', '--list', 'large'], repository.path)).toBe('');
  });

  it('reports the error to an agent like to a person, and sends no additional notice', async () => {
    const notices = async () => (await c.client.call('sessions.notices', { sessionId: root.sessionId })).data;
    const typed = async () => (await notices()).filter(({ state }) => state !== 'stored').length;
    const before = await typed();
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: 'kill -KILL $$' });
    const error = await refusal(delegate({ branch: 'told' }, rootClient));
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    expect(error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining("change the repository's setup command"),
      details: { failedStep: 'creating_worktree' },
    });
    expect(await typed()).toBe(before);
    expect((await notices()).at(-1)).toMatchObject({
      state: 'stored',
      about: { delegationId: error.details.delegationId },
    });
  });
});

describe('a slow setup command', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /**
   * Delegates work while the timers stand still, and lets the time of a call pass while the setup command runs. Calls
   * `afterLimit` directly after that. Returns the answer and the milliseconds that the server may have spent before it
   * started its timers.
   */
  async function answeredAtLimit(fields: Partial<Input> & { branch: string }, afterLimit?: () => void) {
    const setup = await slowSetup(c);
    stopTimers();
    const began = performance.now();
    let answered = false;
    const answer = delegate(fields, rootClient).finally(() => {
      answered = true;
    });
    await setup.runs(fields.branch);
    const spent = Math.ceil(performance.now() - began);
    const early = Math.max(CALL_MAX_MS - 2_000 - spent, 0);
    vi.advanceTimersByTime(early);
    await c.client.call('delegations.list', {});
    expect(answered).toBe(false);
    vi.advanceTimersByTime(CALL_MAX_MS - early);
    afterLimit?.();
    return { setup, spent, made: await answer };
  }

  it('is answered after 45 s with the state preparing, and continues', async () => {
    const work = { agentId: 'scripted', prompt: '@report succeeded late', branch: 'slow' };
    const { setup, made } = await answeredAtLimit(work, () => vi.useRealTimers());
    expect(made).toMatchObject({ state: 'preparing', branch: 'slow' });
    const follow = { sessionId: made.sessionId, prompt: '@say after' };
    expect(await c.client.call('sessions.prompt', follow)).toMatchObject({ queued: true, queuePosition: 2 });
    setup.end();
    await c.until('the first task', async () => {
      return (await c.client.call('tasks.get', { taskId: made.taskId })).status === 'completed';
    });
    const { state } = await c.client.call('delegations.get', { delegationId: made.delegationId });
    expect(['prompting', 'handed_over']).toContain(state);
    await end(made);
  });

  it('beyond the limit is undone, and the caller is informed by a notice', async () => {
    const { spent, made } = await answeredAtLimit({ branch: 'too-slow' });
    expect(made.state).toBe('preparing');
    const stored = () => c.client.call('delegations.get', { delegationId: made.delegationId });
    const early = Math.max(DELEGATION_LIMIT_MS - CALL_MAX_MS - 1_000 - spent, 0);
    vi.advanceTimersByTime(early);
    expect(await stored()).toMatchObject({ state: 'creating_worktree', error: null });
    vi.advanceTimersByTime(DELEGATION_LIMIT_MS - CALL_MAX_MS - early);
    vi.useRealTimers();
    await c.until('the end of the delegation', async () => (await stored()).state === 'rejected');
    const task = await c.client.call('tasks.get', { taskId: made.taskId });
    expect(task).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    expect(existsSync(made.worktreePath)).toBe(false);
    expect(c.git(['branch', '--list', 'too-slow'])).toBe('');
    const notices = (await c.client.call('sessions.notices', { sessionId: root.sessionId })).data;
    expect(notices.at(-1)).toMatchObject({ about: { delegationId: made.delegationId }, status: 'failed' });
    expect(notices.at(-1)?.state).not.toBe('stored');
  });
});

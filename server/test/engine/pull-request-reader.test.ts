import type { PullRequest } from '@agent-console/shared/models/pull-request';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPullRequestReader } from '../../src/engine/worktree-changes/pull-request-reader.ts';
import { sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const START = Date.UTC(2026, 0, 1);
const URL = 'https://github.com/o/r/pull/7';

let opened: ReturnType<typeof openStorage>;
let reader: ReturnType<typeof createPullRequestReader>;
let seconds: number;
let reads: number;
/** The pull request that `gh` reports; null if `gh` fails. */
let reported: Omit<PullRequest, 'readAt'> | null;
const now = () => new Date(START + seconds * 1_000);

beforeEach(async () => {
  opened = openStorage({ now });
  seconds = 0;
  reads = 0;
  reported = { number: 7, url: URL, title: 'Title', state: 'open', checks: 'pending', review: null };
  const createdAt = now().toISOString();
  await opened.storage.write({ actor: 'system' }, async (tx) => {
    const folders = { path: '/shop', commonDir: '/shop/.git', worktreesDir: '/worktrees' };
    await tx.repositories.insert({ id: 'r', name: 'shop', ...folders, defaultBranch: 'main', createdAt });
    for (const [index, id] of ['live', 'left'].entries()) {
      const worktree = { id, repositoryId: 'r', kind: 'managed', name: id, path: `/${id}`, index } as const;
      await tx.worktrees.insert({ ...worktree, state: 'ready', createdAt });
      if (reported !== null) await tx.worktrees.update(id, { pullRequest: { ...reported, readAt: createdAt } });
      await tx.sessions.insert(sessionRow(id, { type: 'worktree', worktreeId: id }));
    }
  });
  reader = createPullRequestReader({
    storage: opened.storage,
    now,
    pullRequests: {
      availability: async () => 'ready',
      async read() {
        reads += 1;
        return reported;
      },
    },
    onError: (error) => {
      throw error;
    },
  });
});
afterEach(async () => {
  await reader.close();
  opened.close();
});

const stored = (id: string) => opened.storage.read.worktrees.get(id);
/** Asks for the pull request `after` seconds after the start. Returns how often the reader has asked `gh` so far. */
async function readsAfter(after: number): Promise<number> {
  seconds = after;
  const row = await stored('left');
  if (row !== undefined) await reader.refresh(row);
  return reads;
}
const changes = async () => {
  const events = await opened.storage.read.events.find({ type: 'worktree.updated' });
  return events.map(({ subjectId }) => subjectId);
};

it('reads a state that is 30 s old, and waits twice as long after each read without a change or an answer', async () => {
  expect(await readsAfter(29)).toBe(0);
  expect(await readsAfter(30)).toBe(1);
  expect((await stored('left'))?.pullRequest?.readAt).toBe(now().toISOString());
  expect(await readsAfter(89)).toBe(1);
  reported = null;
  expect(await readsAfter(90)).toBe(2);
  expect((await stored('left'))?.pullRequest).toMatchObject({ state: 'open' });
  expect(await readsAfter(209)).toBe(2);
  expect(await changes()).toEqual([]);
});

it('records a change, after which it reads often again, but seldom once the pull request is merged', async () => {
  expect(await readsAfter(30)).toBe(1);
  reported = { number: 7, url: URL, title: 'Title', state: 'open', checks: 'passed', review: 'approved' };
  expect(await readsAfter(90)).toBe(2);
  expect(await changes()).toEqual(['left']);
  reported = { ...reported, state: 'merged' };
  expect(await readsAfter(120)).toBe(3);
  expect((await stored('left'))?.pullRequest).toMatchObject({ state: 'merged', checks: 'passed' });
  expect(await readsAfter(120 + 899)).toBe(3);
  expect(await readsAfter(120 + 900)).toBe(4);
});

it('looks by itself only at worktrees with a live session', async () => {
  await opened.storage.write({ actor: 'system' }, async (tx) => {
    const createdAt = now().toISOString();
    for (const [id, state] of [
      ['live', 'running'],
      ['left', 'exited'],
    ] as const) {
      const size = { cols: 80, rows: 24 };
      await tx.workers.insert({ id, sessionId: id, type: 'agent', ...size, activitySince: createdAt, createdAt });
      await tx.workers.update(id, { state });
    }
  });
  seconds = 60;
  await reader.refreshLive();
  expect(reads).toBe(1);
  expect((await stored('live'))?.pullRequest?.readAt).toBe(now().toISOString());
  expect((await stored('left'))?.pullRequest?.readAt).not.toBe(now().toISOString());
});

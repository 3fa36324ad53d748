import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOARD_COPY_PARALLEL } from '@agent-console/shared/limits/boards';
import type { Approval } from '@agent-console/shared/models/approval';
import type { Notice } from '@agent-console/shared/models/notice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boardsOf } from '../e2e/support/boards.ts';
import { aMoment, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { atWork, type Delegated, delegateTo, type Ending, endings, noticesIn, told } from '../e2e/support/notices.ts';
import { type AgentHandle, startRoot, transcriptOf } from '../e2e/support/root.ts';
import { refusal, send } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { png } from '../support/images.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { newBoard, newWorktree, place } = boardsOf(() => c);

async function prompted(prompt: string) {
  const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
  const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt });
  return { sessionId, taskId };
}

const approval = (approvalId: string) => c.client.call('approvals.get', { approvalId });

/** Waits for the pending question of a session; `text` selects one of several. */
function asked(sessionId: string, text = ''): Promise<Approval> {
  return c.until(`a question ${text}`, async () => {
    const { data } = await c.client.call('approvals.list', { sessionId });
    return data.find((each) => each.text.includes(text));
  });
}

const said = (sessionId: string) =>
  transcriptOf(c, sessionId).flatMap(({ role, text }) => (role === 'agent' ? [text ?? ''] : []));

const outcomes = (sessionId: string) => said(sessionId).filter((text) => /^\w+ (?:allowed|denied)$/.test(text));

const finished = (sessionId: string) =>
  c.until('the end of the work', async () => (await c.client.call('sessions.wait', { sessionId })).reached !== null);

describe('the question of an agent', () => {
  it('keeps its id when the server is killed between question and answer', async () => {
    const { sessionId } = await prompted('@permission Bash npm test\n@say went on');
    const { id } = await asked(sessionId);
    await killServer(c);
    await c.until('the agent to be seen again', async () => {
      const { error } = await c.client.call('approvals.answer', { approvalId: id, optionId: '1' }).then(
        () => ({ error: undefined }),
        (error: { code: string }) => ({ error }),
      );
      if (error !== undefined && error.code !== 'BUSY') throw error;
      return error === undefined;
    });
    await finished(sessionId);
    expect(outcomes(sessionId)).toEqual(['Bash allowed']);
    expect((await c.client.call('approvals.list', { sessionId, state: 'answered' })).total).toBe(1);
  });

  it('is answered once if the server is killed meanwhile, and the answer never goes to the next question', async () => {
    for (const ms of process.env.LONG ? [0, 5, 15, 40, 90] : [5]) {
      const { sessionId } = await prompted('@permission Bash first\n@permission Bash second');
      const { id } = await asked(sessionId, 'first');
      const answering = c.client.call('approvals.answer', { approvalId: id, optionId: '1' }).catch(() => undefined);
      await aMoment(ms);
      await killServer(c);
      await answering;
      const state = await c.until('a settled answer', async () => {
        const now = await approval(id);
        return (now.state !== 'pending' || now.optionId === null) && now.state;
      });
      if (state === 'pending') await c.client.call('approvals.answer', { approvalId: id, optionId: '1' });
      await asked(sessionId, 'second');
      expect({ ms, outcomes: outcomes(sessionId) }).toEqual({ ms, outcomes: ['Bash allowed'] });
      expect((await approval(id)).state).toBe('answered');
    }
  });
});

/**
 * Returns everything that copying a board can create: branches with their commits, folders known to git, worktrees and
 * boards.
 */
async function traces() {
  const { data: worktrees } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
  const { data: boards } = await c.client.call('boards.list', { limit: 500 });
  return {
    branches: c.git(['branch', '--format=%(refname:short) %(objectname)']).split('\n').sort(),
    folders: c.git(['worktree', 'list', '--porcelain']).match(/^worktree .*$/gm)?.length,
    worktrees: worktrees.map(({ id }) => id),
    boards: boards.map(({ id }) => id),
  };
}

describe('a copy of a board', () => {
  it('cannot be used before it is complete, so that a kill leaves nothing of it and loses no work', async () => {
    const { board, worktrees } = await boardWithWorktrees(BOARD_COPY_PARALLEL + 1);
    const beside = await newWorktree();
    const at = { worktreeId: beside.id, agentId: 'scripted' };
    const before = await traces();
    const branches = worktrees.map(({ branch }) => `${branch}-copy`);
    const begun = join(c.folder, 'begun');
    // The last worktree is created after the others, so all others exist once its setup command runs.
    const setupCommand = `test "$(git branch --show-current)" != "${branches.at(-1)}" || { touch ${begun}; while test -d ${c.folder}; do sleep 0.1; done; }`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    const cut = send(c, 'POST', `/boards/${board.id}/duplicate`, { newName: 'Cut', includeWorktrees: true }).then(
      () => 'answered',
      () => 'cut off',
    );
    await c.until('the last setup command', async () => existsSync(begun));
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
    const copies = data.filter(({ branch }) => branches.includes(branch ?? ''));
    expect(copies.map(({ state }) => state)).toEqual(branches.map(() => 'creating'));
    for (const { id } of copies) {
      const tried = c.client.call('sessions.create', { worktreeId: id, agentId: 'scripted', initialPrompt: '@say hi' });
      expect(await refusal(tried)).toMatchObject({ code: 'CONFLICT', details: { worktreeId: id, state: 'creating' } });
    }
    const session = await c.client.call('sessions.create', { ...at, initialPrompt: '@write kept.txt kept' });
    await c.client.call('sessions.wait', { sessionId: session.id, until: 'finished', timeoutSeconds: 45 });

    await killServer(c);
    expect(await cut).toBe('cut off');
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    expect(await traces()).toEqual(before);
    for (const { id, path } of copies) {
      expect(existsSync(path)).toBe(false);
      expect(await refusal(c.client.call('worktrees.get', { worktreeId: id }))).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(readFileSync(join(beside.path, 'kept.txt'), 'utf8').trim()).toBe('kept');
    expect(await c.client.call('sessions.get', { sessionId: session.id })).toMatchObject({ worktreeId: beside.id });
  });
});

/** Creates a board with a zone, and places new worktrees with one commit each in the zone. */
async function boardWithWorktrees(count = 2) {
  const board = await newBoard();
  const zone = await c.client.call('zones.create', { boardId: board.id, name: 'Doing' });
  const worktrees: Awaited<ReturnType<typeof newWorktree>>[] = [];
  while (worktrees.length < count) worktrees.push(await newWorktree());
  for (const [at, { id, path }] of worktrees.entries()) {
    writeFileSync(join(path, 'work.txt'), `work ${at}`);
    c.git(['add', 'work.txt'], path);
    c.git(['commit', '--quiet', '-m', 'Work'], path);
    await place(id, board.id, { zoneId: zone.id, x: at });
  }
  return { board, zone, worktrees };
}

describe('a changed mode', () => {
  const prompt = (sessionId: string, text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });
  const agents = async (sessionId: string) =>
    (await c.client.call('sessions.workers', { sessionId })).data.filter((worker) => worker.type === 'agent');

  it('is applied even if the server is killed meanwhile, and the prompt is typed once', async () => {
    for (const afterMs of process.env.LONG ? Array.from({ length: 40 }, (_, n) => n * 25) : [60]) {
      const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
      await prompt(sessionId, '@say first');
      await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
      await c.client.call('sessions.update', { sessionId, permissionMode: 'ask' });
      await prompt(sessionId, '@say second');
      await aMoment(afterMs);
      await killServer(c);
      await finished(sessionId);
      expect((await agents(sessionId)).map(({ state }) => state)).toEqual(['exited', 'running']);
      const { permissionConfig } = await c.client.call('sessions.get', { sessionId });
      expect(permissionConfig).toMatchObject({ mode: 'ask', applies: 'now' });
      const heard = transcriptOf(c, sessionId).filter(({ role }) => role === 'user');
      expect(heard.map(({ text }) => text)).toEqual(['@say first', '@say second']);
    }
  });
});

describe('a parent', () => {
  let parent: AgentHandle;
  beforeAll(async () => {
    await c.client.call('settings.update', { delegationChildren: 500, liveSessions: 500 });
    parent = await startRoot(c);
  });
  const { noticesOf, toldAbout, expectOne, expectTypedOnceInOrder } = noticesIn(
    () => c,
    () => parent,
  );
  const ENDINGS = endings(async (child) => {
    const { pid } = await c.client.call('workers.get', { workerId: child.workerId });
    process.kill(pid ?? 0, 'SIGKILL');
  });

  it('gets one notice of a child that ended while the server was down', async () => {
    const during = await delegateTo(parent, '@sleep 300\n@report succeeded survived');
    const exits = await delegateTo(parent, '@sleep 100\n@exit 3');
    await atWork(c, during);
    await killServer(c);
    expectOne(await toldAbout(during), during, { ...told('completed', 'report'), summary: 'survived' });
    expectOne(await toldAbout(exits), exits, { ...told('failed', 'exit'), summary: /exited with code 3/ });
    await expectTypedOnceInOrder(parent);
  });

  it.runIf(process.env.LONG !== undefined)(
    'gets exactly one notice of each of 200 random ends, with repeated kills of the server',
    async () => {
      console.log(`SEED=${SEED}`);
      const random = randomFrom(SEED);
      const endings = Object.values(ENDINGS);
      const known = (await noticesOf(parent.sessionId)).length;
      const all: { child: Delegated; ending: Ending }[] = [];
      for (let batch = 0; batch < 25; batch += 1) {
        const work = Array.from({ length: 8 }, async () => {
          const ending = endings[Math.floor(random() * endings.length)] as Ending;
          const child = await delegateTo(parent, ending.prompt);
          all.push({ child, ending });
          await ending.act?.(c, child);
          await toldAbout(child);
          await c.client.call('sessions.stop', { sessionId: child.sessionId });
        });
        if (batch % 3 === 0) await killServer(c);
        await Promise.all(work);
      }
      const notices: Notice[] = [];
      for (let skip = 0; ; skip += 500) {
        const input = { sessionId: parent.sessionId, limit: 500, skip };
        const page = await c.client.call('sessions.notices', input);
        notices.push(...page.data);
        if (page.data.length < 500) break;
      }
      expect(notices).toHaveLength(known + 200);
      for (const { child, ending } of all) {
        expectOne(
          notices.filter((notice) => notice.about.sessionId === child.sessionId),
          child,
          ending,
        );
      }
      await expectTypedOnceInOrder(parent);
    },
    900_000,
  );
});

describe('an agent that requests a worktree with a session in it', () => {
  it('gets the result from the same job if the server dies while the worktree is being created', async () => {
    const [began, go] = [join(c.folder, 'began'), join(c.folder, 'go')];
    const setupCommand = `touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    const { token } = await startRoot(c, { title: 'Asks' });
    const body = { autoStartSession: true, mode: 'custom', branch: 'survives', prompt: '@report succeeded survived' };
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await send(c, 'POST', `/repositories/${c.repository.id}/worktrees`, body, headers);
    const jobId = String(answer.body.jobId);
    await c.until('the setup command', async () => existsSync(began));
    await killServer(c);
    writeFileSync(go, '');
    const { state, result } = await c.until('the end of the job', async () => {
      const job = await c.client.call('jobs.get', { jobId });
      return job.state !== 'running' && job;
    });
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    expect({ state, branch: result?.branch }).toEqual({ state: 'succeeded', branch: 'survives' });
    const { task } = await c.client.call('sessions.wait', { sessionId: String(result?.sessionId), timeoutSeconds: 45 });
    expect(task).toMatchObject({ id: result?.taskId, summary: 'survived' });
  });
});

describe('a delegation with an image', () => {
  it('shows the image to its agent once if the server is killed while the worktree is being created', async () => {
    const [began, go] = [join(c.folder, 'image-began'), join(c.folder, 'image-go')];
    const setupCommand = `touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.05; done`;
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, setupCommand });
    const image = png(3, 2);
    const request = {
      ...{ repositoryId, agentId: 'scripted', prompt: '@images\n@report succeeded seen', branch: 'image' },
      ...{ images: [{ data: image.toString('base64') }], idempotencyKey: 'image' },
    };
    const first = c.client.call('delegations.create', request).catch(() => undefined);
    await c.until('the setup command', async () => existsSync(began));
    await killServer(c);
    writeFileSync(go, '');
    await first;
    const { sessionId, taskId } = await c.client.call('delegations.create', request);
    await c.client.call('repositories.update', { repositoryId, setupCommand: null });
    await finished(sessionId);
    expect(await c.client.call('tasks.get', { taskId })).toMatchObject({ status: 'completed', images: [{ width: 3 }] });
    expect(said(sessionId).filter((text) => text.startsWith(`images: image/png, ${image.length} bytes`))).toHaveLength(
      1,
    );
  });
});

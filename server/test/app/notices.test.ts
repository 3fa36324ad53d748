import { existsSync } from 'node:fs';
import { shortId } from '@agent-console/shared/ids';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { answerOf, ERAS } from '../e2e/support/mcp.ts';
import { type Delegated, delegateTo, endings, noticesIn, told } from '../e2e/support/notices.ts';
import { type AgentHandle, actAs, startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { slowSetup, stopTimers } from '../support/slow-setup.ts';

describe('a parent is notified', () => {
  let c: InProcessApp;
  let parent: AgentHandle;

  beforeAll(async () => {
    c = await startTestApp();
    await c.client.call('settings.update', { delegationChildren: 500, liveSessions: 500 });
    parent = await startRoot(c);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => c.close());

  const { noticesOf, typedTo, toldAbout, expectOne, expectTypedOnceInOrder } = noticesIn(
    () => c,
    () => parent,
  );
  const ENDINGS = endings((child) => c.runner.kill(child.workerId));

  it.each(Object.entries(ENDINGS))('once of %s', async (_, ending) => {
    const child = await delegateTo(parent, ending.prompt);
    await ending.act?.(c, child);
    expectOne(await toldAbout(child), child, ending);
    const task = await c.client.call('tasks.get', { taskId: child.taskId });
    expect(task).toMatchObject({ status: ending.status, outcomeSource: ending.outcomeSource, certain: true });
    await expectTypedOnceInOrder(parent);
  });

  it('when a delegation fails after the caller disconnected, and nothing of it remains', async () => {
    const setupCommand = 'sleep 1; kill -9 $$';
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    const leave = new AbortController();
    const gone = fetch(`${c.baseUrl}/api/delegations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${parent.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'never runs', branch: 'never' }),
      signal: leave.signal,
    }).then(
      () => 'answered',
      () => 'gone',
    );
    const row = await c.until('the delegation', async () =>
      (await c.client.call('delegations.list', { limit: 500 })).data.find(
        (each) => each.branch === 'never' && each.state === 'creating_worktree',
      ),
    );
    leave.abort();
    expect(await gone).toBe('gone');
    const child = { ...row, delegationId: row.id } as unknown as Delegated;
    expectOne(await toldAbout(child), child, { ...told('failed', 'system'), summary: /setup command/ });
    expect(await c.client.call('delegations.get', { delegationId: row.id })).toMatchObject({
      state: 'rejected',
      failedStep: 'creating_worktree',
      error: { code: 'CONFLICT' },
    });
    expect(existsSync(row.worktreePath)).toBe(false);
    expect(c.git(['branch', '--list', 'never'])).toBe('');
    expect(c.git(['worktree', 'list'])).not.toContain(row.worktreePath);
    const waited = await c.client.call('sessions.wait', { sessionId: row.sessionId });
    expect(waited).toMatchObject({ reached: 'finished', task: { status: 'failed' } });

    // The delegating call waits and gets the error itself, so the notice is only stored and not typed into the terminal
    // of the caller.
    const refused = await delegateTo(parent, 'never runs').then(
      () => undefined,
      (error: { code: string; details: { delegationId: string } }) => error,
    );
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { failedStep: 'creating_worktree' } });
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    const notices = await noticesOf(parent.sessionId);
    expect(notices.filter((notice) => notice.about.delegationId === refused?.details.delegationId)).toMatchObject([
      { kind: 'ended', state: 'stored' },
    ]);
    await expectTypedOnceInOrder(parent);
  });

  it('without typing, on request', async () => {
    const quiet = await delegateTo(parent, '@report succeeded quietly', { notifyOnCompletion: false });
    expectOne(
      await toldAbout(quiet, parent, 'stored'),
      quiet,
      { ...told('completed', 'report'), summary: 'quietly' },
      'stored',
    );
    const loud = await delegateTo(parent, '@report succeeded loudly');
    await toldAbout(loud);
    const typed = typedTo(parent.sessionId).map((item) => item.id);
    expect(typed).toContain(shortId(loud.sessionId));
    expect(typed).not.toContain(shortId(quiet.sessionId));
  });

  it('when a child asks a person, and again when it has ended', async () => {
    const child = await delegateTo(parent, '@ask Shall I go on?\n@report succeeded went on');
    const waiting = await c.until('a question', async () => {
      const about = (await noticesOf(parent.sessionId)).filter((each) => each.about.sessionId === child.sessionId);
      return about.some((notice) => notice.state === 'delivered') && about;
    });
    expect(waiting).toMatchObject([{ kind: 'waiting', status: 'awaiting_input', certain: null }]);
    const session = await c.client.call('sessions.get', { sessionId: child.sessionId });
    expect(session).toMatchObject({ status: 'awaiting_input', tasks: [{ waitingFor: 'answer' }] });
    // A message to the session does not answer the agent's question.
    const message = await parent.client.call('sessions.message', {
      sessionId: child.sessionId,
      message: '@report succeeded n',
    });
    expect(message).toMatchObject({ success: true, queuePosition: 1 });
    await c.client.call('workers.input', { workerId: child.workerId, data: 'y' });
    const all = await toldAbout(child);
    expect(all.map((notice) => notice.kind).slice(0, 2)).toEqual(['waiting', 'ended']);
    expect(all[1]).toMatchObject({ status: 'completed', summary: 'went on', certain: true });
    await c.client.call('sessions.wait', { sessionId: child.sessionId, timeoutSeconds: 45 });
    await expectTypedOnceInOrder(parent);
  });

  it('that a child did not report, after one reminder', async () => {
    const { reminderSeconds } = await c.client.call('settings.get', {});
    await c.client.call('settings.update', { reminderSeconds: 1 });
    const child = await delegateTo(parent, '@say I forget to report');
    expectOne(await toldAbout(child), child, {
      ...told('completed', 'title'),
      certain: false,
      summary: /without a report/,
    });
    await c.client.call('settings.update', { reminderSeconds });
    const said = transcriptOf(c, child.sessionId).filter((entry) => entry.role === 'user');
    expect(said).toHaveLength(2);
    expect(said[1]?.text).toMatch(/report_result/);
    expect((await c.client.call('sessions.get', { sessionId: child.sessionId })).tasks).toHaveLength(1);
    await expectTypedOnceInOrder(parent);
  });

  it('that a child did not report, although a prompt that it gave is still queued in an archived session', async () => {
    const child = await delegateTo(parent, '@say I forget to report');
    const { client } = actAs(c, child.sessionId, child.workerId);
    const { sessionId } = await delegateTo({ ...parent, client }, '@sleep 600000');
    await client.call('sessions.prompt', { sessionId, prompt: '@say later' });
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.archive', { sessionId });
    const { reminderSeconds } = await c.client.call('settings.get', {});
    await c.client.call('settings.update', { reminderSeconds: 1 });
    const expected = { ...told('completed', 'title'), certain: false, summary: /without a report/ };
    expectOne(await toldAbout(child), child, expected);
    await c.client.call('settings.update', { reminderSeconds });
    const left = await c.client.call('sessions.get', { sessionId });
    expect(left.tasks.map(({ status }) => status)).toEqual(['cancelled', 'queued']);
    await expectTypedOnceInOrder(parent);
  });

  it('after its turn, when it is busy, of all events in order', async () => {
    const busy = await c.client.call('sessions.prompt', { sessionId: parent.sessionId, prompt: '@ask Done?' });
    await c.until('the parent at its task', async () => {
      const { waitingFor } = await c.client.call('tasks.get', { taskId: busy.taskId });
      return waitingFor === 'answer';
    });
    const children: Delegated[] = [];
    for (const word of ['one', 'two', 'three']) {
      const child = await delegateTo(parent, `@report succeeded ${word}`);
      children.push(child);
      await toldAbout(child, parent, 'pending');
    }
    const before = typedTo(parent.sessionId).length;
    await c.client.call('workers.input', { workerId: parent.workerId, data: 'y' });
    for (const child of children) expect(await toldAbout(child)).toHaveLength(1);
    const typed = typedTo(parent.sessionId).slice(before);
    expect(typed.map((item) => item.summary)).toEqual(['one', 'two', 'three']);
    const blocks = new Set((await noticesOf(parent.sessionId)).slice(-3).map((notice) => notice.taskId));
    expect(blocks.size).toBe(1);
    await expectTypedOnceInOrder(parent);
  });

  it.each([
    ['exited', (sessionId: string) => c.client.call('sessions.prompt', { sessionId, prompt: '@exit 0' })],
    ['was stopped', (sessionId: string) => c.client.call('sessions.stop', { sessionId })],
    ['was paused', (sessionId: string) => c.client.call('sessions.pause', { sessionId })],
  ])('on resume, when it %s', async (_, end) => {
    const other = await startRoot(c, { title: 'Goes away' });
    const child = await delegateTo(other, '@ask Ready?\n@report succeeded while you were away');
    await c.until('a question', async () =>
      (await noticesOf(other.sessionId)).some((each) => each.state === 'delivered'),
    );
    await end(other.sessionId);
    await c.until('the end of the parent', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId: other.sessionId });
      return workers.every((worker) => worker.state === 'exited');
    });
    await c.client.call('workers.input', { workerId: child.workerId, data: 'y' });
    await toldAbout(child, other, 'pending');
    await c.restart();
    expect((await toldAbout(child, other, 'pending')).at(-1)).toMatchObject({ kind: 'ended', state: 'pending' });
    await c.client.call('sessions.resume', { sessionId: other.sessionId });
    const all = await toldAbout(child, other);
    expect(all.map((notice) => [notice.kind, notice.summary])).toEqual([
      ['waiting', expect.any(String)],
      ['ended', 'while you were away'],
    ]);
    await expectTypedOnceInOrder(other);
    for (const { sessionId } of [other, child]) await c.client.call('sessions.stop', { sessionId });
  });

  it('of a delegation that failed, or continued, after it was answered with "preparing"', async () => {
    const setup = await slowSetup(c, '[ "$(git branch --show-current)" = works ] || kill -9 $$');
    const mcp = await ERAS.modern(`${c.baseUrl}/mcp`, parent.token);
    const delegate = async (branch: string) =>
      answerOf<Delegated>(
        await mcp.callTool('delegate_to_worktree', { branch, prompt: '@report succeeded after all' }),
      );
    stopTimers();
    const answers = Promise.all([delegate('fails'), delegate('works')]);
    await Promise.all([setup.runs('fails'), setup.runs('works')]);
    vi.advanceTimersByTime(CALL_MAX_MS);
    vi.useRealTimers();
    const [fails, works] = await answers;
    await mcp.close();
    expect([fails.state, works.state]).toEqual(['preparing', 'preparing']);
    setup.end();
    for (const { sessionId } of [fails, works]) {
      expect(await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 })).toMatchObject({
        reached: 'finished',
      });
    }
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    expectOne(await toldAbout(fails), fails, { ...told('failed', 'system'), summary: /setup command/ });
    expectOne(await toldAbout(works), works, { ...told('completed', 'report'), summary: 'after all' });
    expect(existsSync(fails.worktreePath)).toBe(false);
    expect(c.git(['branch', '--list', 'fails', 'works'])).toMatch(/^\+? ?works$/);
    await expectTypedOnceInOrder(parent);
  });
});

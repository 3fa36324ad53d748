import { existsSync } from 'node:fs';
import { shortId } from '@agent-console/shared/ids';
import type { Notice } from '@agent-console/shared/models/notice';
import { type NoticeItem, parseNoticeBlock } from '@agent-console/shared/notice-block';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { killServer, randomFrom, SEED } from './support/kill.ts';
import { answerOf, ERAS } from './support/mcp.ts';
import { type AgentHandle, startRoot, transcriptOf } from './support/root.ts';

type Delegated = Awaited<ReturnType<typeof delegateTo>>;

/** Delegates as the parent does. */
function delegateTo(parent: AgentHandle, prompt: string, more: { notifyOnCompletion?: boolean; title?: string } = {}) {
  return parent.client.call('delegations.create', { prompt, ...more });
}

/** What an ending must say. */
interface Told {
  status: string;
  outcomeSource: string;
  certain: boolean;
  summary: string | RegExp;
}

/** A way to end: what the agent is told to do, and what happens to it from outside. */
interface Ending extends Told {
  prompt: string;
  act?: (c: TestConsole, child: Delegated) => Promise<unknown>;
}

const LAST = '@sleep 600000';

const agentOf = async (c: TestConsole, child: Delegated) =>
  (await c.client.call('sessions.get', { sessionId: child.sessionId })).workers.find(
    (worker) => worker.id === child.workerId,
  );

/** Resolves when the agent has taken its prompt and is at it. */
const atWork = (c: TestConsole, child: Delegated) =>
  c.until('an agent at work', async () => (await agentOf(c, child))?.activityState === 'active');

const ENDINGS: Record<string, Ending> = {
  'a report of success': {
    prompt: '@report succeeded all is well',
    status: 'completed',
    outcomeSource: 'report',
    certain: true,
    summary: 'all is well',
  },
  'a report of failure': {
    prompt: '@report failed it cannot be done',
    status: 'failed',
    outcomeSource: 'report',
    certain: true,
    summary: 'it cannot be done',
  },
  'exit 0': { prompt: '@exit 0', status: 'completed', outcomeSource: 'exit', certain: true, summary: /completed/ },
  'exit 1': {
    prompt: '@exit 1',
    status: 'failed',
    outcomeSource: 'exit',
    certain: true,
    summary: /exited with code 1/,
  },
  'a crash': { prompt: '@crash', status: 'failed', outcomeSource: 'exit', certain: true, summary: /SIGKILL/ },
  'a kill from outside': {
    prompt: LAST,
    async act(c, child) {
      await atWork(c, child);
      process.kill((await agentOf(c, child))?.pid ?? 0, 'SIGKILL');
    },
    status: 'failed',
    outcomeSource: 'exit',
    certain: true,
    summary: /SIGKILL/,
  },
  'a stop by a person': {
    prompt: LAST,
    async act(c, child) {
      await atWork(c, child);
      await c.client.call('sessions.stop', { sessionId: child.sessionId });
    },
    status: 'cancelled',
    outcomeSource: 'person',
    certain: true,
    summary: /stopped/,
  },
  'a stop before it had begun': {
    prompt: LAST,
    act: (c, child) => c.client.call('sessions.stop', { sessionId: child.sessionId }),
    status: 'cancelled',
    outcomeSource: 'person',
    certain: true,
    summary: /stopped/,
  },
  'a pause by a person': {
    prompt: LAST,
    async act(c, child) {
      await atWork(c, child);
      await c.client.call('sessions.pause', { sessionId: child.sessionId });
    },
    status: 'interrupted',
    outcomeSource: 'person',
    certain: true,
    summary: /paused/,
  },
  'a cancellation of its task': {
    prompt: LAST,
    async act(c, child) {
      await atWork(c, child);
      await c.client.call('tasks.cancel', { taskId: child.taskId });
    },
    status: 'cancelled',
    outcomeSource: 'person',
    certain: true,
    summary: /cancelled/,
  },
};

describe('a parent is told', () => {
  let c: TestConsole;
  let parent: AgentHandle;

  beforeAll(async () => {
    c = await startConsole();
    await c.client.call('settings.update', { delegationChildren: 500, liveSessions: 500 });
    parent = await startRoot(c);
  });
  afterAll(() => c.close());

  async function noticesOf(sessionId: string): Promise<Notice[]> {
    const { data, total } = await c.client.call('sessions.notices', { sessionId, limit: 500 });
    expect(data).toHaveLength(total);
    return data;
  }

  /** Everything that was typed to a parent as notices, in the order in which it was typed. */
  function typedTo(sessionId: string): NoticeItem[] {
    return transcriptOf(c, sessionId)
      .filter((entry) => entry.role === 'user')
      .flatMap((entry) => parseNoticeBlock(entry.text ?? '') ?? []);
  }

  /** Waits until a child's end has been typed to its parent, and answers all notices about that child. */
  async function toldAbout(child: Delegated, to = parent, state = 'delivered'): Promise<Notice[]> {
    return c.until(`a ${state} notice`, async () => {
      const about = (await noticesOf(to.sessionId)).filter((notice) => notice.about.sessionId === child.sessionId);
      return about.some((notice) => notice.kind === 'ended' && notice.state === state) && about;
    });
  }

  function expectOne(notices: Notice[], child: Delegated, told: Told, state = 'delivered'): void {
    const { status, outcomeSource, certain, summary } = told;
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ kind: 'ended', status, outcomeSource, certain, state });
    expect(notices[0]?.about).toMatchObject({ taskId: child.taskId, delegationId: child.delegationId });
    expect(notices[0]?.summary).toMatch(summary);
  }

  /** Each notice was typed once, and in the order in which they arose; none is on its way. */
  async function expectTypedOnceInOrder(to: AgentHandle): Promise<void> {
    await c.until('the delivery of all', async () => {
      const states = (await noticesOf(to.sessionId)).map((notice) => notice.state);
      return !states.includes('pending') && !states.includes('delivering');
    });
    const typed = typedTo(to.sessionId).map((item) => `${item.kind} ${item.sessionId}`);
    const stored = (await noticesOf(to.sessionId)).filter((notice) => notice.state === 'delivered');
    expect(typed).toEqual(stored.map((notice) => `${notice.kind} ${shortId(notice.about.sessionId)}`));
  }

  it.each(Object.entries(ENDINGS))('once of %s', async (_, ending) => {
    const child = await delegateTo(parent, ending.prompt);
    await ending.act?.(c, child);
    expectOne(await toldAbout(child), child, ending);
    const task = await c.client.call('tasks.get', { taskId: child.taskId });
    expect(task).toMatchObject({ status: ending.status, outcomeSource: ending.outcomeSource, certain: true });
    await expectTypedOnceInOrder(parent);
  });

  it('once of a child that went on while the server was dead', async () => {
    const during = await delegateTo(parent, '@sleep 300\n@report succeeded survived');
    const exits = await delegateTo(parent, '@sleep 100\n@exit 3');
    await atWork(c, during);
    await killServer(c);
    expectOne(await toldAbout(during), during, { ...told('completed', 'report'), summary: 'survived' });
    expectOne(await toldAbout(exits), exits, { ...told('failed', 'exit'), summary: /exited with code 3/ });
    await expectTypedOnceInOrder(parent);
  });

  it('when a delegation fails after the caller went away, and nothing of it is left', async () => {
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
      error: { code: 'AGENT_UNAVAILABLE' },
    });
    expect(existsSync(row.worktreePath)).toBe(false);
    expect(c.git(['branch', '--list', 'never'])).toBe('');
    expect(c.git(['worktree', 'list'])).not.toContain(row.worktreePath);
    const waited = await c.client.call('sessions.wait', { sessionId: row.sessionId });
    expect(waited).toMatchObject({ reached: 'finished', task: { status: 'failed' } });

    // One that waits gets the error itself, so that it is not told twice.
    const refused = await delegateTo(parent, 'never runs').then(
      () => undefined,
      (error: { code: string; details: { delegationId: string } }) => error,
    );
    expect(refused).toMatchObject({ code: 'AGENT_UNAVAILABLE', details: { failedStep: 'creating_worktree' } });
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    const notices = await noticesOf(parent.sessionId);
    expect(notices.filter((notice) => notice.about.delegationId === refused?.details.delegationId)).toMatchObject([
      { kind: 'ended', state: 'stored' },
    ]);
    await expectTypedOnceInOrder(parent);
  });

  it('without typing, when it wants that', async () => {
    const quiet = await delegateTo(parent, '@report succeeded quietly', { notifyOnCompletion: false });
    expectOne(
      await toldAbout(quiet, parent, 'stored'),
      quiet,
      { ...told('completed', 'report'), summary: 'quietly' },
      'stored',
    );
    const loud = await delegateTo(parent, '@report succeeded loudly');
    await toldAbout(loud);
    const typed = typedTo(parent.sessionId).map((item) => item.sessionId);
    expect(typed).toContain(shortId(loud.sessionId));
    expect(typed).not.toContain(shortId(quiet.sessionId));
  });

  it('when a child asks a person, and once more when it has ended', async () => {
    const child = await delegateTo(parent, '@ask Shall I go on?\n@report succeeded went on');
    const waiting = await c.until('a question', async () => {
      const about = (await noticesOf(parent.sessionId)).filter((each) => each.about.sessionId === child.sessionId);
      return about.some((notice) => notice.state === 'delivered') && about;
    });
    expect(waiting).toMatchObject([{ kind: 'waiting', status: 'awaiting_input', certain: null }]);
    const session = await c.client.call('sessions.get', { sessionId: child.sessionId });
    expect(session).toMatchObject({ status: 'awaiting_input', tasks: [{ waitingFor: 'answer' }] });
    // A message does not answer the question.
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

  it('that a child did not report, after it was reminded once', async () => {
    const { reminderSeconds } = await c.client.call('settings.get', {});
    await c.client.call('settings.update', { reminderSeconds: 1 });
    const child = await delegateTo(parent, '@say I forget to report');
    expectOne(await toldAbout(child), child, {
      ...told('completed', 'title'),
      certain: false,
      summary: /no report/,
    });
    await c.client.call('settings.update', { reminderSeconds });
    const said = transcriptOf(c, child.sessionId).filter((entry) => entry.role === 'user');
    expect(said).toHaveLength(2);
    expect(said[1]?.text).toMatch(/report_result/);
    expect((await c.client.call('sessions.get', { sessionId: child.sessionId })).tasks).toHaveLength(1);
    await expectTypedOnceInOrder(parent);
  });

  it('at the end of its turn, when it is busy, of everything in order', async () => {
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
  ])('at resume, when it %s', async (_, end) => {
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
    await killServer(c);
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

  it.runIf(process.env.LONG !== undefined)(
    'of a delegation that failed, or went on, after it was answered with "preparing"',
    async () => {
      const setupCommand = 'case $(git branch --show-current) in fails) sleep 48; kill -9 $$;; *) sleep 50;; esac';
      await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
      const mcp = await ERAS.modern(`${c.baseUrl}/mcp`, parent.token);
      const delegate = async (branch: string) =>
        answerOf<Delegated>(
          await mcp.callTool('delegate_to_worktree', { branch, prompt: '@report succeeded after all' }),
        );
      const began = performance.now();
      const [fails, works] = await Promise.all([delegate('fails'), delegate('works')]);
      console.log(`answered after ${Math.round(performance.now() - began)} ms`);
      await mcp.close();
      expect([fails.state, works.state]).toEqual(['preparing', 'preparing']);
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
    },
    180_000,
  );

  it.runIf(process.env.LONG !== undefined)(
    'exactly once of each of 200 random ends, whatever happens to the server',
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

function told(status: string, outcomeSource: string): Omit<Told, 'summary'> {
  return { status, outcomeSource, certain: true };
}

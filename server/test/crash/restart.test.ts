import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shortId } from '@agent-console/shared/ids';
import { parseNoticeBlock } from '@agent-console/shared/notice-block';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { aMoment, isAlive, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { floodFault, logOf, readAll } from '../e2e/support/output.ts';
import { type Probe, startProber } from '../e2e/support/prober.ts';
import { type AgentHandle, actAs, startRoot, transcriptOf } from '../e2e/support/root.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const LONG = process.env.LONG !== undefined;
const AGENTS = LONG ? 10 : 3;
const FLOOD_BYTES = 40_000;

interface Child {
  sessionId: string;
  workerId: string;
  pid: number;
}

/** Returns a prompt with rounds of output, a tool call and a pause, and finally a report. */
const work = (rounds: number, n: number) =>
  [
    ...Array.from({ length: rounds }, () => [`@flood ${FLOOD_BYTES}`, '@tool list_sessions {"limit":2}', '@sleep 50']),
    `@report succeeded agent ${n} is done`,
  ]
    .flat()
    .join('\n');

describe('the server dies while agents work', () => {
  let c: TestConsole;
  let random: () => number;
  beforeEach(async () => {
    c = await startConsole();
    await c.client.call('settings.update', { delegationChildren: 100, liveSessions: 200 });
    random = randomFrom(SEED);
    console.log(`SEED=${SEED}`);
  });
  afterEach(() => c.close());

  /** Starts a coordinator, which reports after `AGENTS` notices, and its children. Waits until all children work. */
  async function startWork(
    rounds: number,
  ): Promise<{ root: AgentHandle; coordinator: AgentHandle; children: Child[] }> {
    const root = await startRoot(c);
    const made = await root.client.call('delegations.create', {
      prompt: `@after ${AGENTS}\n@report succeeded all told me`,
      title: 'Coordinator',
    });
    const coordinator = actAs(c, made.sessionId, made.workerId);
    const children = await Promise.all(
      Array.from({ length: AGENTS }, async (_, n) => {
        const { sessionId, workerId } = await coordinator.client.call('delegations.create', {
          prompt: work(rounds, n),
          branch: `agent-${n}`,
        });
        const { workers } = await c.client.call('sessions.get', { sessionId });
        return { sessionId, workerId, pid: workers[0]?.pid ?? 0 };
      }),
    );
    for (const { workerId } of children) {
      await c.until('the first tool call of each agent', async () =>
        (await readAll(c, workerId)).includes('tool list_sessions: {'),
      );
    }
    return { root, coordinator, children };
  }

  async function expectAllWorking(children: readonly Child[]): Promise<void> {
    for (const { sessionId, workerId, pid } of children) {
      const { workers } = await c.client.call('sessions.get', { sessionId });
      expect(workers.map((worker) => [worker.id, worker.pid])).toEqual([[workerId, pid]]);
      expect(isAlive(pid)).toBe(true);
    }
  }

  async function expectAllDone(coordinator: AgentHandle, children: readonly Child[], rounds: number): Promise<void> {
    const { sessionId } = coordinator;
    await c.until('the report of the coordinator', async () => {
      const end = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
      return end.reached === 'finished' && end.task?.outcomeSource === 'report';
    });
    const { data: tasks } = await c.client.call('tasks.list', { limit: 500 });
    for (const child of children) {
      const own = tasks.filter((task) => task.sessionId === child.sessionId);
      expect(own.map((task) => [task.status, task.outcomeSource])).toEqual([['completed', 'report']]);
      const output = await readAll(c, child.workerId);
      expect(output.equals(logOf(c, child.workerId))).toBe(true);
      expect(floodFault(output, rounds, FLOOD_BYTES)).toBeNull();
      expect(output.toString('latin1').match(/^tool list_sessions: \{"sessions"/gm)).toHaveLength(rounds);
      expect(output.toString('latin1')).not.toMatch(/^error:/m);
    }
    const { data: notices } = await c.client.call('sessions.notices', { sessionId, limit: 500 });
    expect(notices.map((notice) => [notice.kind, notice.state])).toEqual(children.map(() => ['ended', 'delivered']));
    const told = transcriptOf(c, sessionId)
      .filter((entry) => entry.role === 'user')
      .flatMap((entry) => parseNoticeBlock(entry.text ?? '') ?? []);
    const ids = children.map((child) => shortId(child.sessionId));
    expect(told.map((notice) => notice.id).sort()).toEqual(ids.sort());
    expect(told.map((notice) => notice.id)).toEqual(notices.map((notice) => shortId(notice.about.sessionId)));
  }

  /**
   * Expects that no connection was refused, and that every request was answered unless it overlaps an outage. An outage
   * lasts from `began`, when the server began to end, to `dead`, when the server had ended.
   */
  function expectAnswers(probes: readonly Probe[], outages: readonly { began: number; dead: number }[]): void {
    expect(probes.filter((probe) => probe.outcome === 'ECONNREFUSED')).toEqual([]);
    const unanswered = probes.filter((probe) => probe.outcome !== 'HTTP/1.1 200 OK');
    const unexplained = unanswered.filter(
      ({ at, ms }) => !outages.some(({ began, dead }) => at <= dead && at + ms >= began),
    );
    expect(unexplained).toEqual([]);
  }

  it('the next server starts without refused connections, agents continue, and each end is notified once', async () => {
    const rounds = LONG ? 400 : 6;
    const { coordinator, children } = await startWork(rounds);
    const prober = startProber(c.port);
    const outages: { began: number; dead: number; back: number }[] = [];
    for (let kill = 0; kill < (LONG ? 20 : 1); kill += 1) {
      await aMoment(random() * (LONG ? 3_000 : 400));
      outages.push(await killServer(c));
      if (kill === 0) await expectAllWorking(children);
    }
    const probes = await prober.stop();
    const slowest = Math.max(...probes.map((probe) => probe.ms));
    console.log(
      `back after ${outages.map(({ dead, back }) => Math.round(back - dead)).join(', ')} ms; ${probes.length} probes, slowest ${Math.round(slowest)} ms`,
    );
    expectAnswers(probes, outages);
    await expectAllDone(coordinator, children, rounds);
    expect((await c.runner.status()).server?.crashes).toBe(outages.length);
  }, 600_000);

  it('after a restart on another port, agents still reach the console on the old port', async () => {
    const rounds = LONG ? 25 : 5;
    const { root, coordinator, children } = await startWork(rounds);
    const told = c.port;
    const prober = startProber(told);
    const pid = c.serverPid();
    const began = performance.now();
    await c.runner.stopServer();
    expect(isAlive(pid)).toBe(false);
    const dead = performance.now();
    expect(existsSync(join(c.home, 'server.json'))).toBe(false);
    await aMoment(random() * 300);
    await c.serve({ port: 0 });
    expect(c.port).not.toBe(told);
    await expectAllWorking(children);
    for (const port of [told, c.port]) expect((await fetch(`http://127.0.0.1:${port}/health`)).ok).toBe(true);
    const probes = await prober.stop();
    expectAnswers(probes, [{ began, dead }]);
    await expectAllDone(coordinator, children, rounds);
    // The console closes the old port only when no worker uses the port any more, so the test stops all sessions.
    const { data: live } = await c.client.call('sessions.list', { live: true, limit: 500 });
    for (const { id } of live) await c.client.call('sessions.stop', { sessionId: id });
    await c.until('the old port to close', async () =>
      fetch(`http://127.0.0.1:${told}/health`).then(
        () => false,
        () => true,
      ),
    );
    expect((await fetch(`http://127.0.0.1:${c.port}/health`)).ok).toBe(true);
    expect(root.sessionId).toBeTruthy();
  }, 120_000);

  it('an interrupted delegation is completed or undone, and a call with its key returns the same one', async () => {
    const folder = join(c.home, 'repositories');
    const each = LONG ? 10 : 3;
    const keys: string[] = [];
    const known = new Map<string, { delegationId: string; sessionId: string; branch: string; worktreePath: string }>();
    const call = (key: string, insideWorker: boolean) =>
      createClient({ baseUrl: c.baseUrl, insideWorker }).call('delegations.create', {
        repositoryId: c.repository.id,
        agentId: 'scripted',
        prompt: `@report succeeded ${key}`,
        branch: key,
        idempotencyKey: key,
      });
    for (let round = 0; round < (LONG ? 20 : 1); round += 1) {
      const now = Array.from({ length: each }, (_, n) => `round-${round}-${n}`);
      keys.push(...now);
      const first = now.map((key) =>
        call(key, false).then(
          (made) => known.set(key, made),
          () => undefined,
        ),
      );
      await aMoment(random() * 500);
      await killServer(c);
      await Promise.all(first);

      // The server completes or undoes interrupted delegations by itself, without further calls.
      await c.until('every delegation to be settled', async () => {
        const { data } = await c.client.call('delegations.list', { limit: 500 });
        return data.every(({ state }) => state === 'handed_over' || state === 'rejected');
      });
      await expectNothingHalfMade(folder);
      const before = (await c.client.call('delegations.list', { limit: 500 })).total;

      const again = await Promise.all(now.map(async (key) => [key, await call(key, true)] as const));
      for (const [key, made] of again) {
        const { delegationId, sessionId, branch, worktreePath } = made;
        expect(made.branch).toBe(key);
        if (known.has(key))
          expect({ delegationId, sessionId, branch, worktreePath }).toMatchObject(pick(known.get(key)));
        known.set(key, made);
      }
      const third = await call(now[0] ?? '', true);
      expect(third.delegationId).toBe(known.get(now[0] ?? '')?.delegationId);
      const { data } = await c.client.call('delegations.list', { limit: 500 });
      expect(data.map((each) => each.branch).sort()).toEqual([...keys].sort());
      console.log(
        `round ${round}: ${known.size - round * each} of ${each}; ${before - round * each} had begun before the kill`,
      );
      for (const key of now) {
        const { sessionId = '' } = known.get(key) ?? {};
        const end = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
        expect(end.task, key).toMatchObject({ status: 'completed', outcomeSource: 'report', summary: key });
        await c.client.call('sessions.stop', { sessionId });
      }
    }
    await expectNothingHalfMade(folder);
  }, 600_000);

  /** Expects that database, folders, branches, processes and git's list of worktrees contain the same worktrees. */
  async function expectNothingHalfMade(folder: string): Promise<void> {
    const { data: delegations } = await c.client.call('delegations.list', { limit: 500 });
    expect(delegations.filter((each) => each.state === 'rejected')).toEqual([]);
    const paths = delegations.map((each) => each.worktreePath).sort();
    const branches = delegations.map((each) => each.branch).sort();
    const { data: worktrees } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
    const managed = worktrees.filter((worktree) => worktree.kind !== 'main');
    expect(managed.map((worktree) => [worktree.path, worktree.state]).sort()).toEqual(
      paths.map((path) => [path, 'ready']),
    );
    const inGit = c.git(['worktree', 'list', '--porcelain']).match(/^worktree .*/gm) ?? [];
    expect(inGit.map((line) => line.slice('worktree '.length)).sort()).toEqual([c.repository.path, ...paths].sort());
    expect(c.git(['branch', '--format=%(refname:short)']).split('\n').sort()).toEqual(['main', ...branches].sort());
    const folders = existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isDirectory() && entry.parentPath.endsWith('/worktrees'))
          .map((entry) => join(entry.parentPath, entry.name))
      : [];
    expect(folders.sort()).toEqual(paths);
    const { data: sessions } = await c.client.call('sessions.list', { limit: 500 });
    expect(sessions.map((session) => session.cwd).sort()).toEqual(paths);
    const running = sessions.flatMap((session) => session.workers.filter((worker) => worker.state === 'running'));
    expect((await c.runner.status()).workersAlive).toBe(running.length);
    for (const { pid } of running) expect(isAlive(pid ?? 0)).toBe(true);
  }
});

function pick(made: { delegationId: string; sessionId: string; branch: string; worktreePath: string } | undefined) {
  if (made === undefined) throw new Error('nothing was made');
  const { delegationId, sessionId, branch, worktreePath } = made;
  return { delegationId, sessionId, branch, worktreePath };
}

import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aMoment, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { type LiveFollower, SocketFollower, StreamFollower } from '../streams/live-follower.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const STEPS = process.env.LONG ? 10_000 : 100;
/** Maximum number of sessions with a running agent, because each agent is a process. */
const AGENTS_MAX = process.env.LONG ? 8 : 2;
const SESSIONS_MAX = 40;

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

async function allEvents(): Promise<ConsoleEvent[]> {
  const events: ConsoleEvent[] = [];
  for (;;) {
    const { data } = await c.client.call('events.list', { after: events.at(-1)?.seq ?? 0, limit: 500 });
    if (data.length === 0) return events;
    events.push(...data);
  }
}

/**
 * Compares the events that a follower received with the stored events, and returns the differences. The WebSocket may
 * leave out brief changes of activity.
 */
function faultsOf(follower: LiveFollower, events: readonly ConsoleEvent[]): string[] {
  const faults = [...follower.faults];
  const leavesOut = (event: ConsoleEvent) => follower instanceof SocketFollower && event.type === 'activity.changed';
  for (const { after, events: told } of follower.followings) {
    const last = told.at(-1)?.seq ?? after;
    const seen = new Set(told.map((event) => event.seq));
    const due = events.filter(
      (event) => event.seq > after && event.seq <= last && (seen.has(event.seq) || !leavesOut(event)),
    );
    if (JSON.stringify(told) !== JSON.stringify(due)) {
      faults.push(`behind ${after}: told ${told.map((e) => e.seq).join()}, stored ${due.map((e) => e.seq).join()}`);
    }
  }
  return faults;
}

test(`followers receive every event once and in order, over random disconnects and kills (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const random = randomFrom(SEED);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const url = () => c.baseUrl;
  const followers: LiveFollower[] = [0, 1, 2].flatMap(() => [new SocketFollower(url), new StreamFollower(url)]);
  for (const follower of followers) follower.connect('anew');
  const create = async () => (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
  const sessions = [await create()];

  for (let step = 0; step < STEPS; step += 1) {
    const roll = random() * 100;
    const sessionId = pick(sessions);
    const follower = pick(followers);
    if (roll < 8 && sessions.length < SESSIONS_MAX) sessions.push(await create());
    else if (roll < 38) await c.client.call('sessions.update', { sessionId, title: `title ${step}` });
    else if (roll < 42) {
      const prompted = sessions[Math.floor(random() * Math.min(AGENTS_MAX, sessions.length))] as string;
      await c.client.call('sessions.prompt', { sessionId: prompted, prompt: `step ${step}` }).catch((error) => {
        // The call fails with LIMIT_EXCEEDED if the queue of the session is full.
        if (error.code !== 'LIMIT_EXCEEDED') throw error;
      });
    } else if (roll < 54) follower.leave();
    else if (roll < 76) follower.connect(random() < 0.9 ? 'resume' : 'anew');
    else if (roll < 81) follower.pause();
    else if (roll < 89) follower.resume();
    else if (roll < 99) await aMoment(random() * 10);
    else await killServer(c);
  }

  const { id: last } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'the end' });
  await c.until('everybody to hear of the end', async () => {
    for (const follower of followers) {
      follower.connect();
      follower.resume();
    }
    const end = (await allEvents()).find((event) => event.subject.id === last)?.seq ?? Number.POSITIVE_INFINITY;
    return followers.every((follower) => (follower.cursor ?? 0) >= end);
  });
  const events = await allEvents();
  for (const [n, follower] of followers.entries()) {
    follower.leave();
    expect(faultsOf(follower, events), `follower ${n}, seed ${SEED}`).toEqual([]);
  }
});

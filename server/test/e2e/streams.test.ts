import { VIEWER_LAG_BYTES, VIEWER_SILENT_MS } from '@agent-console/shared/limits/streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveFollower, SocketFollower, StreamFollower } from '../streams/live-follower.ts';
import { LiveViewer } from '../streams/live-viewer.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { aMoment } from './support/kill.ts';
import { readAll } from './support/output.ts';

let c: TestConsole;
let sessionId: string;
beforeAll(async () => {
  c = await startConsole();
  sessionId = (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })).id;
});
afterAll(() => c.close());

async function openTerminal(): Promise<{ workerId: string; viewer(name: string): LiveViewer }> {
  const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal' });
  const url = () => `${c.baseUrl.replace('http', 'ws')}/ws/session/${sessionId}/worker/${workerId}`;
  return {
    workerId,
    viewer(name) {
      const viewer = new LiveViewer(name, url);
      viewer.connect('anew');
      return viewer;
    },
  };
}

const contents = (viewer: LiveViewer) =>
  viewer.stretches.map(({ from, chunks }) => ({ from, bytes: Buffer.concat(chunks.map(({ data }) => data)) }));

describe('a new title', () => {
  it('reaches all followers as one event', async () => {
    const url = () => c.baseUrl;
    const followers: LiveFollower[] = [new SocketFollower(url), new StreamFollower(url)];
    for (const follower of followers) follower.connect('anew');
    await c.until('both to follow', async () => followers.every((follower) => follower.cursor !== undefined));
    await c.client.call('sessions.update', { sessionId, title: 'a title to see' });
    const told = (follower: LiveFollower) =>
      follower.followings
        .flatMap((following) => following.events)
        .filter((event) => event.type === 'session.updated' && event.subject.id === sessionId);
    await c.until('both to hear of it', async () => followers.every((follower) => told(follower).length > 0));
    for (const follower of followers) {
      expect(told(follower)).toEqual([
        expect.objectContaining({ data: expect.objectContaining({ title: 'a title to see' }) }),
      ]);
      follower.leave();
    }
  });
});

describe('viewers of one terminal', () => {
  it('all see the same output, even if there are fifty', async () => {
    const { workerId, viewer } = await openTerminal();
    const viewers = Array.from({ length: 50 }, (_, n) => viewer(`viewer ${n}`));
    await c.until('all to be there', async () => viewers.every((each) => each.next !== undefined));
    viewers[0]?.type('stty -echo; seq 1 20000; exit 3\r');
    await c.until('all to see the end', async () => viewers.every((each) => each.exits.length > 0));
    const log = await readAll(c, workerId);
    for (const each of viewers) {
      expect(each.faults).toEqual([]);
      expect(each.exits).toEqual([{ offset: log.length, exitCode: 3, signal: null }]);
      const seen = contents(each);
      expect(seen).toHaveLength(1);
      expect(seen[0]?.bytes.equals(log.subarray(seen[0].from))).toBe(true);
      each.leave('terminate');
    }
  });

  it('see all of a flood, except for one that stalls, which restarts with a snapshot near the end', async () => {
    const { workerId, viewer } = await openTerminal();
    const healthy = viewer('healthy');
    const stalled = viewer('stalled');
    await c.until('both to be there', async () => healthy.next !== undefined && stalled.next !== undefined);
    stalled.acks = false;
    stalled.pause();
    healthy.type('seq 1 2000000\r');
    await c.until('the flood to be over', async () => (healthy.next ?? 0) > 2 * VIEWER_LAG_BYTES);
    await aMoment(VIEWER_SILENT_MS);
    stalled.resume();
    await c.until('the stalled one to start again', async () => stalled.stretches.length > 1);
    healthy.type('exit\r');
    await c.until('both to see the end', async () => healthy.exits.length > 0 && stalled.exits.length > 0);
    const log = await readAll(c, workerId);
    expect([...healthy.faults, ...stalled.faults]).toEqual([]);
    expect(contents(healthy)).toHaveLength(1);
    for (const { from, bytes } of [...contents(healthy), ...contents(stalled)]) {
      expect(bytes.equals(log.subarray(from, from + bytes.length))).toBe(true);
    }
  });
});

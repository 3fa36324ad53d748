import { afterAll, beforeAll, expect, it } from 'vitest';
import { pauseIfIdle } from '../../src/engine/maintenance/idle-sessions.ts';
import { createViews } from '../../src/operations/views.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const SESSIONS = {
  'of a person': {},
  'of a person, completed': { mark: 'completed' },
  'of a person, failed': { mark: 'failed' },
  delegated: { parentSessionId: 'of a person' },
  'delegated, completed': { parentSessionId: 'of a person', mark: 'completed' },
  'delegated, paused': { parentSessionId: 'of a person', mark: 'paused', pausedBy: 'person' },
  "of a person's orchestration": { orchestrationId: 'o' },
} as const;

const LATER = 60_000;
let opened: ReturnType<typeof openStorage>;
let needs: Parameters<typeof createViews>[0];

// The agent of each session has ended its task, is idle, and cannot resume a conversation.
beforeAll(async () => {
  const now = () => new Date(LATER);
  opened = openStorage({ now });
  const { storage } = opened;
  const at = new Date(0).toISOString();
  await storage.write({ actor: 'user:test' }, async (tx) => {
    for (const [id, fields] of Object.entries(SESSIONS)) {
      await tx.sessions.insert(sessionRow(id, fields));
      await tx.tasks.insert(taskRow(`task ${id}`, id, 'work', { status: 'completed' }));
      const times = { activitySince: at, createdAt: at };
      await tx.workers.insert({ id, sessionId: id, type: 'agent', cols: 80, rows: 24, ...times });
      await tx.workers.update(id, { state: 'running', activityState: 'idle', confidence: 'certain' });
    }
  });
  const catalogue = { resumes: async () => false, driverOf: async () => 'pty' };
  needs = {
    storage,
    hub: { onEvents: () => {} },
    streams: { offset: () => undefined },
    catalogue,
  } as unknown as typeof needs;
  const sweep = { storage, now, keyTimes: { lastAt: () => 0 }, catalogue } as unknown as Parameters<
    typeof pauseIfIdle
  >[0];
  for (const id of Object.keys(SESSIONS)) await pauseIfIdle(sweep, id, LATER);
});
afterAll(() => opened.close());

async function reclaimable(): Promise<string[]> {
  const sessions = await createViews(needs).sessions(Object.keys(SESSIONS));
  return sessions.flatMap((session) => (session.reclaimable ? [session.id] : [])).sort();
}

it('every session whose idle agent is kept running is reclaimable, and no other', async () => {
  const kept = (await opened.storage.read.events.find({ type: 'session.kept' })).map(({ sessionId }) => sessionId);
  expect(kept.sort()).toEqual(
    Object.keys(SESSIONS)
      .filter((id) => !['of a person', 'delegated, paused'].includes(id))
      .sort(),
  );
  expect(await reclaimable()).toEqual(kept);
});

it('a completed session of a person that is opened again is no longer reclaimable', async () => {
  const id = 'of a person, completed';
  expect(await reclaimable()).toContain(id);
  await opened.storage.write({ actor: 'user:test' }, (tx) => tx.sessions.update(id, { mark: 'open' }));
  expect(await reclaimable()).not.toContain(id);
});

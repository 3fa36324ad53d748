import { SessionStatus } from '@agent-console/shared/models/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_MARKS } from '../../src/domain/session-mark.ts';
import { statusFilter } from '../../src/operations/sessions/list.ts';
import { createViews } from '../../src/operations/views.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

/**
 * Each item is the list of the statuses of one session's tasks. A task with the status `reporting` waits for its
 * report.
 */
const TASKS = [
  [],
  ['queued'],
  ['running'],
  ['awaiting_input'],
  ['reporting'],
  ['running', 'awaiting_input'],
  ['completed'],
] as const;

let opened: ReturnType<typeof openStorage>;
let storage: Storage;

beforeAll(async () => {
  opened = openStorage({ now: () => new Date(0) });
  ({ storage } = opened);
  await storage.write({ actor: 'user:test' }, async (tx) => {
    for (const mark of SESSION_MARKS) {
      for (const pausedBy of mark === 'open' ? [null] : [null, 'budget' as const]) {
        for (const tasks of TASKS) {
          const id = [mark, pausedBy, ...tasks].join(' ');
          await tx.sessions.insert(sessionRow(id, { mark, pausedBy }));
          for (const each of tasks) {
            const status = each === 'reporting' ? 'awaiting_input' : each;
            const waitingFor = each === 'reporting' ? 'report' : null;
            await tx.tasks.insert(taskRow(`${id}: ${each}`, id, 'x', { status, waitingFor }));
          }
        }
      }
    }
  });
});
afterAll(() => opened.close());

describe('sessions filtered by status', () => {
  it.each(SessionStatus.options)('%s are those whose view has this status', async (status) => {
    const views = createViews({
      storage,
      hub: { onEvents: () => {} },
      streams: { offset: () => undefined },
      catalogue: { resumes: async () => true, driverOf: async () => 'pty' },
    } as unknown as Parameters<typeof createViews>[0]);
    const rows = await storage.read.sessions.find({});
    const shown = await views.sessions(rows.map(({ id }) => id));
    const asked = await storage.read.sessions.find(await statusFilter(storage.read, status));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.map(({ id }) => id)).toEqual(shown.filter((one) => one.status === status).map(({ id }) => id));
  });
});

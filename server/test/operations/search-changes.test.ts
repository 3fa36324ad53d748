import { SEARCH_SLICE } from '@agent-console/shared/limits/search';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Call } from '../../src/domain/call.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { sessionLists } from '../../src/operations/sessions/list.ts';
import { createViews } from '../../src/operations/views.ts';
import { createReadersOfUser } from '../../src/storage/readers-of-user.ts';
import { messageRow, sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
});
afterEach(() => opened.close());

it('a search leaves out sessions that were removed or became private while it ran', async () => {
  const { storage } = opened;
  const write = (work: Parameters<typeof storage.write<void>>[1]) => storage.write({ actor: 'user:ann' }, work);
  const owned = { createdByUserId: 'ann' };
  await write(async (tx) => {
    await tx.sessions.insert(sessionRow('old', owned));
    // These texts do not fit into the first batch of the search, so it is still running when the sessions change.
    for (let n = 0; n <= SEARCH_SLICE; n += 1) await tx.messages.insert(messageRow(`m${n}`, 'old', 'canary'));
    for (const id of ['removed', 'hidden', 'kept']) {
      await tx.sessions.insert(sessionRow(id, owned));
      await tx.messages.insert(messageRow(`of ${id}`, id, 'canary'));
    }
  });
  const catalogue = { resumes: async () => true, driverOf: async () => 'pty' as const };
  const parts = { hub: { onEvents: () => () => {} }, streams: { offset: () => undefined }, catalogue };
  const views = createViews({ ...parts, storage });
  const read = createReadersOfUser(storage.read, opened.reader)('bob');
  const context = { ...parts, storage: { read }, views } as unknown as OperationContext;
  const search = sessionLists(context)['sessions.search'];
  const searching = search({ query: 'canary', limit: 20, skip: 0, excerpts: 1 }, {} as Call);
  await write(async (tx) => {
    await tx.sessions.update('removed', { removedAt: '2026-01-01T00:00:00.000Z' });
    await tx.sessions.update('hidden', { visibility: 'private' });
  });
  const { data, total } = await searching;
  expect(data.map(({ session, snippet }) => [session.id, snippet])).toEqual([
    ['kept', 'canary'],
    ['old', 'canary'],
  ]);
  expect(total).toBe(2);
});

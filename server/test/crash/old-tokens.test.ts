import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { ERAS } from '../e2e/support/mcp.ts';
import { stored } from '../e2e/support/people.ts';
import { actAs, startRoot } from '../e2e/support/root.ts';
import { openTools, type Refusal, refusal } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

/** Sets the creation times of all tokens, workers and sessions to years ago, and restarts the server. */
async function age(): Promise<void> {
  const database = new LibSql(join(c.home, 'console.db'));
  try {
    database.pragma('busy_timeout = 5000');
    for (const table of ['tokens', 'workers', 'sessions']) {
      database.prepare(`update ${table} set "createdAt" = '${LONG_AGO}'`).run();
    }
  } finally {
    database.close();
  }
  await killServer(c);
}

describe('the token of a worker', () => {
  it('is valid as long as the worker lives, and is then refused with the reason on every surface', async () => {
    const root = await startRoot(c, { prompt: '@say hello' });
    const { sessionId } = root;
    await age();
    expect(stored(c, `select "createdAt", "expiresAt" from tokens where "workerId" = '${root.workerId}'`)).toEqual([
      { createdAt: LONG_AGO, expiresAt: null },
    ]);
    expect((await root.client.call('sessions.get', { sessionId })).id).toBe(sessionId);
    const tools = await openTools(c, root.token);
    expect((await tools.call('agor_sessions_get_current', {})).session_id).toBe(sessionId);

    await c.client.call('sessions.stop', { sessionId });
    const reason = expect.stringMatching(/token of a worker that has ended.*resume its session/);
    expect(await refusal(root.client.call('sessions.get', { sessionId }))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: reason,
    } satisfies Partial<Refusal>);
    const answer = await fetch(`${c.baseUrl}/api/sessions`, { headers: { authorization: `Bearer ${root.token}` } });
    expect(answer.status).toBe(401);
    await expect(ERAS.legacy(`${c.baseUrl}/mcp`, root.token)).rejects.toThrow(/token of a worker that has ended/);
    await expect(tools.call('agor_sessions_get_current', {})).rejects.toThrow(/token of a worker that has ended/);
    await tools.close();
  });

  it('becomes invalid when its session stops, and the next worker gets another token', async () => {
    const root = await startRoot(c, { prompt: '@say hello' });
    const { sessionId } = root;
    await c.client.call('sessions.stop', { sessionId });
    const { workers } = await c.client.call('sessions.resume', { sessionId });
    const next = actAs(c, sessionId, workers.find(({ state }) => state === 'running')?.id ?? '');
    expect((await next.client.call('sessions.get', { sessionId })).id).toBe(sessionId);
    expect((await refusal(root.client.call('sessions.get', { sessionId }))).code).toBe('UNAUTHENTICATED');
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.remove', { sessionId });
    expect((await refusal(next.client.call('sessions.get', { sessionId }))).code).toBe('UNAUTHENTICATED');
    expect(stored(c, `select 1 from tokens where "sessionId" = '${sessionId}'`)).toEqual([]);
  });
});

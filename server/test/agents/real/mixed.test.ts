import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIS, versionOf } from './harness/clis.ts';
import { committing, delegating } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const PAIR = ['claude-code', 'codex'] as const;
const absent = PAIR.filter((agentId) => versionOf(agentId) === null);
for (const agentId of absent) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

describe.skipIf(absent.length > 0)('Claude Code and Codex', () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld([...delegating, ...committing('codex')]);
  });
  afterAll(() => w.close());

  it('work together: one delegates, the other commits and reports, and the first gets a notice', async () => {
    const parent = await w.delegate('claude-code', 'please delegate to codex: please commit melon');
    const child = await w.until('a delegation', async () => {
      const { data } = await w.c.client.call('delegations.list', { parentSessionId: parent.sessionId });
      return data[0];
    });
    const notices = await w.until('a notice', async () => {
      const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
      return data[0]?.state === 'delivered' && data;
    });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ status: 'completed', outcomeSource: 'report', summary: 'melon is committed' });
    expect(w.c.git(['log', '--format=%s', 'main..HEAD'], child.worktreePath)).toBe('melon');
    await w.until('its words', async () => w.heard('melon is committed').length > 0);
    expect(w.heard('melon is committed').filter((request) => request.last.includes('[agent-console'))).toHaveLength(1);
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIS, versionOf } from './harness/clis.ts';
import { asking } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const version = versionOf('opencode');
if (version === null) console.warn(`SKIPPED: ${CLIS.opencode.name} is not installed or does not start here`);

describe.skipIf(version === null)(CLIS.opencode.name, () => {
  let w: World;
  beforeAll(async () => {
    const input = { description: 'Make it', prompt: 'please make {{name}}', subagent_type: 'general' };
    const helping = { when: 'have a helper make (?<name>[a-z]+)', text: 'I will.', tool: { name: 'task', input } };
    w = await openWorld([helping, ...asking('opencode')]);
  });
  afterAll(() => w.close());

  it('becomes idle after a person denied a request of its subagent, for which it asks for a reason', async () => {
    const { sessionId, workerId, worktreePath } = await w.delegate('opencode', 'have a helper make walnut');
    const approval = await w.until('the question of the helper', async () => {
      const { data } = await w.c.client.call('approvals.list', { sessionId });
      return data.find(({ text, options }) => text.includes('walnut.txt') && options.length > 1);
    });
    const optionId = approval.options.find(({ kind }) => kind === 'deny')?.id ?? '';
    const answer = { approvalId: approval.id, optionId };
    expect(await w.c.client.call('approvals.answer', answer)).toMatchObject({ state: 'answered' });
    await w.until('its rest', async () => {
      const { activityState } = await w.c.client.call('workers.get', { workerId });
      return activityState === 'idle';
    });
    expect((await w.c.client.call('approvals.list', { sessionId })).data).toEqual([]);
    expect(existsSync(join(worktreePath, 'walnut.txt'))).toBe(false);
  });
});

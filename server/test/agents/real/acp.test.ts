import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRoot } from '../../e2e/support/root.ts';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { asking, committing } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const AGENTS = ['gemini', 'opencode'] as const satisfies CliId[];

for (const cli of AGENTS) {
  const version = versionOf(cli);
  if (version === null) console.warn(`SKIPPED: ${CLIS[cli].name} is not installed or does not start here`);

  describe.skipIf(version === null)(`${CLIS[cli].name} over ACP`, () => {
    const agentId = `${cli}-acp`;
    let w: World;
    beforeAll(async () => {
      w = await openWorld([...asking(cli), ...committing(cli)]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    it('commits delegated work and reports it, and who gave it is told once', async () => {
      const parent = await startRoot(w.c);
      const child = await parent.client.call('delegations.create', { agentId, prompt: 'please commit apple' });
      const notices = await w.until('a notice', async () => {
        for (const approval of (
          await w.c.client.call('approvals.list', { sessionId: child.sessionId, state: 'pending' })
        ).data) {
          const option = approval.options.find(({ kind }) => kind === 'allow');
          await w.c.client.call('approvals.answer', { approvalId: approval.id, optionId: option?.id ?? '' });
        }
        const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
        const ended = data.filter((each) => each.kind === 'ended');
        return ended[0]?.state === 'delivered' && ended;
      });
      const wanted = { status: 'completed', outcomeSource: 'report', summary: 'apple is committed' };
      expect(notices).toEqual([expect.objectContaining(wanted)]);
      expect(readFileSync(join(child.worktreePath, 'apple.txt'), 'utf8')).toBe('apple\n');
      const { data } = await w.c.client.call('sessions.messages', { sessionId: child.sessionId });
      expect(new Set(data.map(({ source }) => source))).toEqual(new Set(['console', 'acp']));
      expect(data.some(({ kind }) => kind === 'toolCall')).toBe(true);
    });
  });
}

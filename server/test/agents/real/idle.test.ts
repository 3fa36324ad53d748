import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot } from '../../e2e/support/root.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import { reporting } from './scripts.ts';
import { openWorld, type World } from './world.ts';

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([...reporting]);
    });
    afterAll(() => w.close());

    it('is paused when its work is done and it was idle, and a prompt continues its conversation', async () => {
      const { client } = w.c;
      const parent = await startRoot(w.c);
      await client.call('settings.update', { idlePauseMinutes: 0 });
      const child = await parent.client.call('delegations.create', { agentId, prompt: 'please report as fig' });
      const { sessionId, taskId, workerId } = child;
      await w.until('its report', async () => (await client.call('tasks.get', { taskId })).outcomeSource === 'report');
      await client.call('settings.update', { idlePauseMinutes: 0.05 });
      await w.until('its pause', async () => (await client.call('sessions.get', { sessionId })).status === 'paused');
      await client.call('settings.update', { idlePauseMinutes: 0 });
      // The prompt is sent while the old process is being ended, and must not go to that process.
      await client.call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
      const [request] = await w.until('the next turn', async () => {
        const heard = w.heard('and now the giraffe');
        return heard.length > 0 && heard;
      });
      expect(request?.raw).toContain('please report as fig');
      expect(request?.raw).toContain(`You run in session ${sessionId}`);
      expect((await client.call('workers.get', { workerId })).state).toBe('exited');
      expect(w.heard('and now the giraffe')).toHaveLength(1);
    });
  });
}

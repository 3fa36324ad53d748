import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRoot } from '../../e2e/support/root.ts';
import { ended } from './hands.ts';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

const AGENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const satisfies CliId[];
/**
 * Text that each agent shows for an error of its provider, by HTTP status. Codex shows a text of its own for temporary
 * errors. Gemini is not tested with temporary errors, because it keeps repeating the request.
 */
const SHOWN: Readonly<Record<(typeof AGENTS)[number], Readonly<Record<number, RegExp>>>> = {
  'claude-code': { 500: /the backend is on fire/, 401: /this key is not known/, 429: /too many of you/ },
  codex: { 500: /experiencing high demand/, 401: /this key is not known/, 429: /429 Too Many Requests/ },
  gemini: { 401: /: this key is not known$/, 403: /: not from there$/ },
  opencode: { 500: /: the backend is on fire$/, 401: /: this key is not known$/, 429: /: too many of you$/ },
};
// A request repeats earlier prompts that got no answer. So each step excludes requests that contain a later prompt.
const STEPS = [
  { when: 'break 403', not: 'break 401|hello', fail: { status: 403, message: 'not from there' } },
  { when: 'break 500', not: 'break 401|break 429|hello', fail: { status: 500, message: 'the backend is on fire' } },
  { when: 'break 401', not: 'break 429|hello', fail: { status: 401, message: 'this key is not known' } },
  { when: 'break 429', not: 'hello', fail: { status: 429, message: 'too many of you' } },
];

for (const agentId of AGENTS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld(STEPS);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    it('fails its task with the error message of its model, and runs the next prompt', async () => {
      const statuses = [403, 500, 401, 429].filter((status) => SHOWN[agentId][status] !== undefined);
      const [first = '', ...others] = statuses.map((status) => `please break ${status}`);
      const { sessionId, taskId } = await w.delegate(agentId, first);
      const tasks = [taskId];
      for (const prompt of [...others, 'hello again']) {
        tasks.push((await w.c.client.call('sessions.prompt', { sessionId, prompt })).taskId);
      }
      const results = [];
      for (const each of tasks) results.push(await ended(w, each));
      const failed = (status: number) => ({
        status: 'failed',
        certain: true,
        error: { message: expect.stringMatching(SHOWN[agentId][status] ?? /./) },
      });
      expect(results).toMatchObject([...statuses.map(failed), { status: 'completed', summary: 'Done.' }]);
    });

    it('the delegating session gets a notice of an error of its model, even in the first turn', async () => {
      const parent = await startRoot(w.c);
      await parent.client.call('delegations.create', { agentId, prompt: 'please break 401', title: 'Real' });
      const notice = await w.until('a notice', async () => {
        const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
        return data.find(({ kind }) => kind === 'ended');
      });
      expect(notice).toMatchObject({ status: 'failed', summary: expect.stringContaining('this key is not known') });
    });
  });
}

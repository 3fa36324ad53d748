import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../../src/agents/kinds.ts';
import { type AgentHandle, startRoot } from '../../e2e/support/root.ts';
import { refusal } from '../../support/calling.ts';
import { heard, workerOf } from './hands.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import { comparable, longestPrompt, randomPrompts, saidByUser } from './random-prompts.ts';
import { openWorld, type World } from './world.ts';

const PROMPTS = Number(process.env.PROMPTS ?? (process.env.LONG ? 1_000 : 6));
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
/**
 * Number of prompts per conversation. More prompts make requests longer, because each request repeats the conversation.
 * Fewer prompts require more starts of the agent, each of which takes up to a minute.
 */
const PER_SESSION = 80;
/** Number of concurrent sessions; each needs about 300 MB. */
const AT_ONCE = 2;
const REFUSED = ['', ' \n\t', 'a\0b', 'a\x1b[201~\rb', '\x03', 'a\x7f', 'a\u009b31m', 'a\ud83d', 'x'.repeat(100_001)];

const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);
  const { commandCharacters, safePrefix, keys } = kindOf(agentId);
  const guarded = (text: string) =>
    commandCharacters.some((sign) => text.trimStart().startsWith(sign)) ? `${safePrefix}\n${text}` : text;

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([{ when: 'hold this', not: 'giraffe', hold: 'answer', text: 'Held.' }]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const turnOver = (taskId: string) =>
      w.until('the end of a turn', async () => {
        const task = await w.c.client.call('tasks.get', { taskId });
        return task.endedAt !== null || task.waitingFor === 'report';
      });
    const requestsOf = (sessionId: string) =>
      w.model.requests.filter((request) => !request.aside && request.raw.includes(`You run in session ${sessionId}`));

    /**
     * Delegates the first text to an agent and sends the other texts as prompts, without waiting in between. Returns
     * the session's id and the texts that the model received, in order.
     */
    async function deliver(parent: AgentHandle, texts: readonly string[]) {
      const [first = '', ...others] = texts;
      const given = { agentId, prompt: first, title: 'Real', notifyOnCompletion: false };
      const { sessionId, taskId } = await parent.client.call('delegations.create', given);
      const tasks = [taskId];
      for (const prompt of others) {
        const next = await parent.client.call('sessions.prompt', { sessionId, prompt, notifyOnCompletion: false });
        tasks.push(next.taskId);
      }
      for (const each of tasks) await turnOver(each);
      const told = await w.until('all texts at the model', async () => {
        const said = saidByUser(requestsOf(sessionId).at(-1)?.raw ?? '{}');
        return said.length >= texts.length && said;
      });
      return { sessionId, told };
    }

    /** Returns how many inputs of a session have an event `input.accepted`, and how many `input.uncertain`. */
    async function acknowledged(sessionId: string) {
      const types: string[] = [];
      for (let after = 0, more = true; more; ) {
        const { data } = await w.c.client.call('sessions.events', { sessionId, after, limit: 500 });
        types.push(...data.map(({ type }) => type));
        after = data.at(-1)?.seq ?? after;
        more = data.length > 0;
      }
      const count = (wanted: string) => types.filter((type) => type === wanted).length;
      return { accepted: count('input.accepted'), uncertain: count('input.uncertain') };
    }

    it(`receives every prompt once and unchanged (${PROMPTS} random prompts and the longest)`, {
      timeout: 300_000 + PROMPTS * 15_000,
    }, async () => {
      console.log(`${CLIS[agentId].name}: SEED=${SEED} PROMPTS=${PROMPTS}`);
      const texts = randomPrompts(PROMPTS, SEED);
      const parts = Array.from({ length: Math.ceil(texts.length / PER_SESSION) }, (_, index) =>
        texts.slice(index * PER_SESSION, (index + 1) * PER_SESSION),
      );
      // The longest prompt is the last one of its conversation, because every later request would repeat it.
      parts.at(-1)?.push(longestPrompt());
      const parent = await startRoot(w.c);
      const begun = performance.now();
      const waiting = [...parts];
      const lane = async () => {
        for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
          const { sessionId, told } = await deliver(parent, part);
          const wanted = part.map((text) => comparable(agentId, guarded(text)));
          expect({ SEED, told: told.map((text) => comparable(agentId, text)) }).toEqual({ SEED, told: wanted });
          expect(await acknowledged(sessionId)).toEqual({ accepted: part.length, uncertain: 0 });
          await w.c.client.call('sessions.stop', { sessionId });
          // Forgets the requests of this session: a thousand requests, each with all tool definitions, would use too
          // much memory.
          const done = new Set(requestsOf(sessionId));
          const others = w.model.requests.filter((request) => !done.has(request));
          w.model.requests.splice(0, w.model.requests.length, ...others);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      const each = (performance.now() - begun) / 1_000 / (texts.length + 1);
      console.log(`${CLIS[agentId].name}: ${each.toFixed(2)} s for each prompt`);
    });

    it('does not run a delegated prompt as a command, and receives nothing of refused prompts', async () => {
      const parent = await startRoot(w.c);
      const child = await parent.client.call('delegations.create', { agentId, prompt: '!touch owned', title: 'Real' });
      await turnOver(child.taskId);
      const { sessionId, worktreePath } = child;
      const words = saidByUser(requestsOf(sessionId).at(-1)?.raw ?? '{}').map((text) => comparable(agentId, text));
      expect(words).toEqual([`${safePrefix}\n!touch owned`]);
      expect(existsSync(join(worktreePath, 'owned'))).toBe(false);
      const told = requestsOf(sessionId).length;
      for (const prompt of REFUSED) {
        const refused = await refusal(parent.client.call('sessions.prompt', { sessionId, prompt }));
        expect(refused).toMatchObject({ code: 'VALIDATION' });
      }
      const last = await parent.client.call('sessions.prompt', { sessionId, prompt: 'the last' });
      await turnOver(last.taskId);
      expect(requestsOf(sessionId)).toHaveLength(told + 1);
    });

    it('receives only the next prompt after a person interrupted the previous one by a key', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'hold this until I say so');
      await heard(w, 'hold this');
      await w.until('work', async () => (await workerOf(w, workerId)).activityState === 'active');
      await w.c.client.call('workers.input', { workerId, data: keys.interrupt });
      await turnOver(taskId);
      const next = await w.c.client.call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
      await turnOver(next.taskId);
      const request = await heard(w, 'and now the giraffe');
      expect(saidByUser(request.raw).at(-1)?.trim()).toBe('and now the giraffe');
      expect(await acknowledged(sessionId)).toEqual({ accepted: 2, uncertain: 0 });
    });
  });
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../../src/agents/kinds.ts';
import { ended, heard } from './hands.ts';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { comparable, saidByUser } from './random-prompts.ts';
import { openWorld, type World } from './world.ts';

const AGENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const satisfies CliId[];
/**
 * Commands that start no turn, or a turn that is visible only in the transcript. The last command of each agent opens a
 * view over the input line.
 */
const COMMANDS: Readonly<Record<(typeof AGENTS)[number], readonly string[]>> = {
  'claude-code': ['!touch made', '/nosuch', '/help'],
  codex: ['!touch made', '/nosuch', '/status'],
  // Gemini and opencode treat a pasted `!` as an ordinary character, so their lists contain no command with `!`.
  gemini: ['/nosuch', '/help', '/theme'],
  opencode: ['/nosuch', '/help', '/models'],
};
const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });

for (const agentId of AGENTS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    it('runs the commands that a person sends to its session, and then the next prompt', async () => {
      const { sessionId, taskId, worktreePath } = await w.delegate(agentId, 'hello there');
      await ended(w, taskId);
      const tasks = [];
      for (const prompt of [...COMMANDS[agentId], 'hello again']) {
        tasks.push((await w.c.client.call('sessions.prompt', { sessionId, prompt })).taskId);
      }
      for (const each of tasks) expect(await ended(w, each)).toMatchObject({ status: 'completed', certain: false });
      await heard(w, 'hello again');
      const runs = COMMANDS[agentId].some((command) => command.startsWith('!'));
      expect(existsSync(join(worktreePath, 'made'))).toBe(runs);
    });

    it('reads a delegated prompt as text, not as a command, even if a person delegates it', async () => {
      const { taskId, worktreePath } = await w.delegate(agentId, '!touch owned');
      await ended(w, taskId);
      const { raw } = await heard(w, '!touch owned');
      const words = saidByUser(raw).map((text) => comparable(agentId, text));
      expect(words).toEqual([`${kindOf(agentId).safePrefix}\n!touch owned`]);
      expect(existsSync(join(worktreePath, 'owned'))).toBe(false);
    });
  });
}

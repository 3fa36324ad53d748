import { shortId } from '@agent-console/shared/ids';
import { parseNoticeBlock } from '@agent-console/shared/notice-block';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killServer } from '../../e2e/support/kill.ts';
import { type AgentHandle, startRoot, transcriptOf } from '../../e2e/support/root.ts';
import { died, heard, kill9, liveAgent, typeLine } from './hands.ts';
import { CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { reporting } from './scripts.ts';
import { type Delegated, openWorld, type World } from './world.ts';

/** A turn whose model responds only after `late` is released, and then reports a result. */
const LATE = {
  when: 'please report late',
  hold: 'late',
  text: 'At last.',
  tool: { name: 'report_result', input: { outcome: 'succeeded', summary: 'late but well' } },
};
const ENDLESS = { when: 'please think on', hold: 'never' };

const QUIT: Readonly<Record<CliId, string>> = {
  'claude-code': '/exit',
  codex: '/quit',
  gemini: '/quit',
  opencode: '/exit',
};

interface Ending {
  prompt: string;
  act?: (w: World, child: Delegated) => Promise<unknown>;
  told: { status: string; outcomeSource: string; certain: boolean; summary: RegExp };
}

const told = (status: string, outcomeSource: string, summary: RegExp) => ({
  status,
  outcomeSource,
  certain: true,
  summary,
});

const endingsOf = (agentId: CliId): Record<string, Ending> => ({
  'a report': { prompt: 'please report as fig', told: told('completed', 'report', /^I am fig$/) },
  "the agent's own quit command after a turn without a report": {
    prompt: 'say something',
    async act(w, child) {
      await w.until('a turn without a report', async () => {
        const { waitingFor } = await w.c.client.call('tasks.get', { taskId: child.taskId });
        return waitingFor === 'report';
      });
      await typeLine(w, child.workerId, QUIT[agentId]);
      await died(w, child.workerId);
      expect(await w.c.client.call('workers.get', { workerId: child.workerId })).toMatchObject({ exitCode: 0 });
    },
    told: told('completed', 'exit', /completed/),
  },
  'a kill -9 in the middle of the turn': {
    prompt: 'please think on about plums',
    async act(w, child) {
      await heard(w, 'about plums');
      await kill9(w, child.workerId);
    },
    told: told('failed', 'exit', /SIGKILL/),
  },
  'a stop': {
    prompt: 'please think on about pears',
    async act(w, child) {
      await heard(w, 'about pears');
      await w.c.client.call('sessions.stop', { sessionId: child.sessionId });
    },
    told: told('cancelled', 'person', /stopped/),
  },
  'a pause': {
    prompt: 'please think on about figs',
    async act(w, child) {
      await heard(w, 'about figs');
      await w.c.client.call('sessions.pause', { sessionId: child.sessionId });
    },
    told: told('interrupted', 'person', /paused/),
  },
  'a report after the server was killed in between': {
    prompt: 'please report late',
    async act(w) {
      await heard(w, 'please report late');
      await killServer(w.c);
      w.model.release('late');
    },
    told: told('completed', 'report', /^late but well$/),
  },
  'a kill -9 together with the server': {
    prompt: 'please think on about limes',
    async act(w, child) {
      await heard(w, 'about limes');
      await kill9(w, child.workerId);
      await killServer(w.c);
    },
    told: told('failed', 'exit', /SIGKILL/),
  },
});

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    let parent: AgentHandle;
    beforeAll(async () => {
      w = await openWorld([...reporting, LATE, ENDLESS]);
      parent = await startRoot(w.c);
    });
    afterAll(() => w.close());

    const about = async (child: Delegated) => {
      const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId, limit: 500 });
      return data.filter((notice) => notice.about.sessionId === child.sessionId);
    };

    it.each(Object.entries(endingsOf(agentId)))('the delegating session gets one notice of %s', async (_, ending) => {
      const child = await parent.client.call('delegations.create', { agentId, prompt: ending.prompt });
      await ending.act?.(w, child);
      await w.until('a notice', async () =>
        (await about(child)).some((notice) => notice.kind === 'ended' && notice.state === 'delivered'),
      );
      if (await liveAgent(w, child.sessionId)) await w.c.client.call('sessions.stop', { sessionId: child.sessionId });
      const { summary, ...rest } = ending.told;
      expect(await about(child)).toEqual([expect.objectContaining({ kind: 'ended', ...rest })]);
      expect((await about(child))[0]?.summary).toMatch(summary);
      const typed = transcriptOf(w.c, parent.sessionId)
        .filter((entry) => entry.role === 'user')
        .flatMap((entry) => parseNoticeBlock(entry.text ?? '') ?? []);
      expect(typed.filter((item) => item.id === shortId(child.sessionId))).toHaveLength(1);
    });
  });
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentHandle, startRoot, transcriptOf } from '../../e2e/support/root.ts';
import { ACP_AGENTS, type AcpId, CLIS, type CliId, versionOf } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';
import { report, running, writing } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const USED: readonly (CliId | AcpId)[] = ['claude-code', 'codex', 'gemini', 'opencode', 'gemini-acp'];
const absent = USED.filter((agentId) => versionOf(agentId) === null);
for (const agentId of absent) {
  const { name } = { ...CLIS, ...ACP_AGENTS }[agentId];
  console.warn(`SKIPPED: ${name} is not installed or does not start here`);
}

const partOf = (roles: string) => `You are the agent (?<name>[a-z0-9-]+) with the role (?:${roles}) in orchestration`;
const SHARED = 'write the folder (?<shared>/[^\\s]+)\\.';
const note = { path: '{{shared}}/context/{{name}}.txt', content: '{{name}} was here\n' };
const commit =
  'echo {{name}} > {{name}}.txt && git add {{name}}.txt && git commit -q -m {{name}} && git log -1 --format=made:%s';

const STEPS: readonly Step[] = [
  // Each agent writes a note to the shared folder and then commits. Codex writes the note with a shell command, the
  // other agents with their own file tool.
  writing('claude-code', `${partOf('contestant|tester')}.*${SHARED}`, note),
  writing('opencode', `${partOf('implementer')}.*${SHARED}`, note),
  running('codex', `${partOf('contestant')}.*${SHARED}`, `echo '{{name}} was here' > ${note.path} && ${commit}`),
  running('claude-code', 'context/(?<name>[a-z0-9-]+)\\.txt', commit),
  running('opencode', 'wrote file', commit),
  // The agents that run last print the shared notes, and the files of the commits that their prompts name.
  running(
    'gemini',
    `${partOf('judge')}.*at commit (?<one>[0-9a-f]{40}).*> agent-1 is done.*at commit (?<two>[0-9a-f]{40}).*> agent-2 is done.*${SHARED}`,
    'git show {{one}}:agent-1.txt && git show {{two}}:agent-2.txt && cat {{shared}}/context/*.txt && echo made:{{name}}',
  ),
  running(
    'gemini',
    `${partOf('reviewer')}.*> implementer is done.*> tester is done.*${SHARED}`,
    'git log --format=%s main..HEAD && cat {{shared}}/context/*.txt && echo made:{{name}}',
  ),
  { when: '(?<!echo )made:(?<name>[a-z0-9-]+)', text: 'Done.', tool: report('{{name}} is done') },
];

describe.skipIf(absent.length > 0)('an orchestration of several kinds of agents', () => {
  let w: World;
  let root: AgentHandle;
  const questions: string[] = [];
  beforeAll(async () => {
    w = await openWorld(STEPS);
    root = await startRoot(w.c);
  });
  afterAll(async () => {
    await w.stopAgents();
    await w.close();
  });

  /**
   * Runs a template for the session of `root`, allows everything that the agents ask for, and waits for the final
   * notice.
   */
  async function outcomeOf(input: RequestOf<'orchestrations.run'>): Promise<OrchestrationStatus> {
    const { client } = w.c;
    const { orchestration } = await root.client.call('orchestrations.run', input);
    const orchestrationId = orchestration?.id ?? '';
    const status = () => client.call('orchestrations.get', { orchestrationId });
    for (const { agentId } of orchestration?.agents ?? []) {
      await w.until(`the end of ${agentId}`, async () => {
        for (const approval of (await client.call('approvals.list', { state: 'pending' })).data) {
          questions.push(approval.text);
          const optionId = approval.options.find(({ kind }) => kind === 'allow')?.id ?? '';
          // The answer fails if the agent has withdrawn its question, or is not ready for the answer yet.
          await client.call('approvals.answer', { approvalId: approval.id, optionId }).catch(() => {});
        }
        const agent = (await status()).agents.find((each) => each.agentId === agentId);
        return agent !== undefined && !['pending', 'running'].includes(agent.state);
      });
    }
    await w.until('the notice of the end', async () => {
      const { data } = await client.call('sessions.notices', { sessionId: root.sessionId });
      return data.some(({ about, state }) => about.orchestrationId === orchestrationId && state === 'delivered');
    });
    return status();
  }

  async function expectCompleted(end: OrchestrationStatus, summaries: Record<string, string>): Promise<void> {
    expect(end).toMatchObject({ state: 'completed', errorMessage: null });
    expect(Object.fromEntries(end.agents.map(({ agentId, summary }) => [agentId, summary]))).toEqual(summaries);
    expect(end.agents.map(({ attempt, reason }) => `${attempt} ${reason}`)).toEqual(end.agents.map(() => '1 null'));
    const { data } = await w.c.client.call('sessions.notices', { sessionId: root.sessionId });
    const about = data.filter((notice) => notice.about.orchestrationId === end.id);
    expect(about.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['ended completed']);
    const told = transcriptOf(w.c, root.sessionId).filter(
      ({ role, text }) => role === 'user' && text?.includes(`${end.agents.length} of ${end.agents.length} agents`),
    );
    expect(told.length).toBeGreaterThan(0);
    // All questions are about commands that contain `made:`. None is about access to the shared folder.
    expect(questions.filter((text) => !/made:/.test(text.replace(/\s/g, '')))).toEqual([]);
    for (const { taskId } of end.agents) {
      const task = await w.c.client.call('tasks.get', { taskId: taskId ?? '' });
      expect(task).toMatchObject({ status: 'completed', outcomeSource: 'report', error: null });
    }
  }

  it('race: Claude Code and Codex work side by side, and Gemini CLI judges their commits', async () => {
    const end = await outcomeOf({
      definition: 'race',
      parameters: { task: 'Write your name.', attempts: 0, agents: ['claude-code', 'codex'], judge: 'gemini' },
    });
    await expectCompleted(end, { 'agent-1': 'agent-1 is done', 'agent-2': 'agent-2 is done', judge: 'judge is done' });
    for (const { agentId, branch } of end.agents) {
      if (agentId === 'judge') continue;
      expect(w.c.git(['log', '--format=%s', `main..${branch}`])).toBe(agentId);
      expect(readFileSync(join(end.sharedDirectory, 'context', `${agentId}.txt`), 'utf8')).toContain(agentId);
    }
    expect(w.heard('agent-1 was here').some(({ last }) => last.includes('agent-2 was here'))).toBe(true);
  });

  it('implement-test-review: opencode, Claude Code and Gemini CLI over ACP take turns in one worktree', async () => {
    const end = await outcomeOf({
      definition: 'implement-test-review',
      parameters: {
        task: 'Write your name.',
        implementer: 'opencode',
        tester: 'claude-code',
        reviewer: 'gemini-acp',
      },
    });
    const names = ['implementer', 'tester', 'reviewer'];
    await expectCompleted(end, Object.fromEntries(names.map((name) => [name, `${name} is done`])));
    expect(new Set(end.agents.map(({ worktreeId }) => worktreeId)).size).toBe(1);
    expect(w.c.git(['log', '--format=%s', `main..${end.agents[0]?.branch}`])).toBe('tester\nimplementer');
    for (const name of ['implementer', 'tester']) {
      expect(existsSync(join(end.sharedDirectory, 'context', `${name}.txt`))).toBe(true);
    }
  });
});

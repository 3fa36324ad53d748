import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
  const checkCommand = 'grep -q one shared.txt';
  const settings = { checkCommand, agentsMayIntegrate: true };
  await c.client.call('repositories.update', { repositoryId: c.repository.id, ...settings });
});
afterAll(() => c.close());

const read = (name: string) => readFileSync(join(c.repository.path, name), 'utf8');
const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n').sort();
const tool = (name: string, args: object) => `@tool ${name} ${JSON.stringify(args)}`;
const delegate = (branch: string, lines: string[]) =>
  tool('delegate_to_worktree', {
    agentId: 'scripted',
    branch,
    baseBranch: 'main',
    title: branch,
    prompt: [...lines, `@report succeeded ${branch}`].join('\n'),
  });
/** Returns commands for the scripted agent that resolve the conflict in the way that the console's prompt describes. */
const resolution = ({ main, both }: { main: string; both: string }) =>
  [
    `@write shared.txt ${main}`,
    '@commit Yield',
    '@merge main',
    `@write shared.txt ${both}`,
    '@commit Both',
    '@report succeeded resolved',
  ].join('\n');
const cleanup = { removeWorktree: true, deleteBranch: true, archiveSessions: true };

describe('integrating the work of several agents', () => {
  it('is done by one agent alone: three delegations, a conflict and the clean-up', async () => {
    const before = c.git(['rev-list', '--count', 'main']);
    // `{{n.…}}` stands for a value in the result of tool call n. Calls 1 to 3 delegate, 4 and 5 integrate, and 6 and 7
    // are about the session that resolves the conflict.
    const prompt = [
      delegate('one', ['@write shared.txt one\\n', '@commit One']),
      delegate('two', ['@write shared.txt two\\n', '@commit Two']),
      delegate('three', ['@write three.txt three\\n', '@commit Three']),
      // Waits for four notices: three results, and the conflict between the first two.
      '@after 4',
      tool('integrate_worktree', { worktreeId: '{{1.worktreeId}}', cleanup }),
      tool('integrate_worktree', { worktreeId: '{{2.worktreeId}}', resolve: true }),
      // The scripted agent cannot act on the prompt to resolve the conflict, so a further prompt gives it the commands.
      tool('agor_sessions_prompt', {
        sessionId: '{{5.result.resolvingSessionId}}',
        prompt: resolution({ main: 'one\\n', both: 'one\\ntwo\\n' }),
        mode: 'continue',
      }),
      // Waits for two notices: one about the end of the task that resolves the conflict, and one about the end of the
      // prompt that was just sent.
      '@after 2',
      tool('get_session_status', { sessionId: '{{5.result.resolvingSessionId}}' }),
      tool('check_worktree', { worktreeId: '{{7.worktreeId}}' }),
      tool('integrate_worktree', { worktreeId: '{{7.worktreeId}}', requireCheck: true, cleanup }),
      tool('integrate_worktree', { worktreeId: '{{3.worktreeId}}', strategy: 'squash', cleanup }),
      tool('integrate_worktree', { worktreeId: '{{2.worktreeId}}', strategy: 'rebase', cleanup }),
      '@say everything is home',
    ].join('\n');
    const root = await startRoot(c, { prompt, title: 'Orchestrator' });
    const said = () =>
      transcriptOf(c, root.sessionId).flatMap(({ role, text }) => (role === 'agent' ? [text ?? ''] : []));
    await c.until('the end', () => said().some((text) => text === 'everything is home' || text.startsWith('error')));

    expect(said().filter((text) => text.startsWith('error'))).toEqual([]);
    const { data: notices } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
    expect(notices.filter(({ kind }) => kind === 'conflict').map(({ summary }) => summary)).toEqual([
      expect.stringContaining('in shared.txt.'),
    ]);
    const { data } = await c.client.call('integrations.list', { repositoryId: c.repository.id });
    expect(data.map(({ branch, state }) => `${branch} ${state}`).reverse()).toEqual([
      'one integrated',
      'two conflicts',
      expect.stringMatching(/^two-resolved-\w+ integrated$/),
      'three integrated',
      'two integrated',
    ]);
    expect(data.flatMap((each) => each.cleanup?.problems ?? [])).toEqual([]);
    expect(read('shared.txt')).toBe('one\ntwo\n');
    expect(read('three.txt')).toBe('three\n');
    expect(c.git(['status', '--porcelain'])).toBe('');
    expect(Number(c.git(['rev-list', '--count', 'main']))).toBeGreaterThan(Number(before));
    expect(branches()).toEqual(['main']);
    const { data: worktrees } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    expect(worktrees.map(({ kind }) => kind)).toEqual(['main']);
    // The only prompt by a person is the one that started the agent.
    const { tasks } = await c.client.call('sessions.get', { sessionId: root.sessionId });
    expect(tasks.filter(({ source }) => source.kind === 'person')).toHaveLength(1);
  });

  it('is done by a script with the command line', async () => {
    const run = async (...args: string[]) => {
      const done = await runInProcess(['--url', c.baseUrl, ...args, '--json'], { PATH: process.env.PATH ?? '' });
      return { code: done.code, answer: done.out === '' ? null : JSON.parse(done.out) };
    };
    const repository = c.repository.id;
    const made = [];
    for (const [branch, file, text] of [
      ['left', 'shared.txt', 'one\\ntwo\\nleft\\n'],
      ['right', 'shared.txt', 'one\\ntwo\\nright\\n'],
      ['beside', 'beside.txt', 'beside\\n'],
    ] as const) {
      const prompt = `@write ${file} ${text}\n@commit ${branch}\n@report succeeded ${branch}`;
      const args = ['--repository-id', repository, '--agent-id', 'scripted', '--branch', branch];
      const { answer } = await run('delegate', prompt, ...args);
      expect((await run('sessions', 'wait', answer.sessionId, '--timeout-seconds', '45')).code).toBe(0);
      made.push(answer);
    }
    const [left, right, beside] = made;
    const { answer: overlaps } = await run('overlaps', repository);
    expect(overlaps.data).toMatchObject([{ files: [{ path: 'shared.txt', kind: 'conflict' }] }]);
    expect([...overlaps.data[0].worktreeIds].sort()).toEqual([left.worktreeId, right.worktreeId].sort());
    expect((await run('check', left.worktreeId)).code).toBe(0);
    expect((await run('integrate', left.worktreeId, '--require-check')).code).toBe(0);
    const conflicts = [{ path: 'shared.txt', kind: expect.any(String) }];
    for (const option of ['--dry-run', '--resolve']) {
      const { code, answer } = await run('integrate', right.worktreeId, option);
      expect({ code, answer }).toMatchObject({ code: 1, answer: { commit: null, conflicts } });
      if (option === '--resolve') made.push({ sessionId: answer.resolvingSessionId });
    }
    const { sessionId } = made[3];
    expect((await run('sessions', 'wait', sessionId, '--timeout-seconds', '45')).code).toBe(0);
    // The scripted agent cannot act on the prompt to resolve the conflict, so a further prompt gives it the commands.
    const merged = resolution({ main: 'one\\ntwo\\nleft\\n', both: 'one\\ntwo\\nleft\\nright\\n' });
    const { code, answer: task } = await run('sessions', 'prompt', sessionId, merged, '--wait');
    expect({ code, task }).toMatchObject({ code: 0, task: { status: 'completed' } });
    const { answer: resolver } = await run('sessions', 'get', sessionId);
    expect((await run('check', resolver.worktreeId)).code).toBe(0);
    for (const id of [resolver.worktreeId, beside.worktreeId]) {
      const { code, answer } = await run('integrate', id, ...(id === beside.worktreeId ? [] : ['--require-check']));
      expect({ code, answer }).toMatchObject({ code: 0, answer: { conflicts: [] } });
    }
    expect(read('shared.txt')).toBe('one\ntwo\nleft\nright\n');
    expect(read('beside.txt')).toBe('beside\n');
    for (const { sessionId } of made) await run('sessions', 'stop', sessionId);
    const { answer: prunable } = await run('repositories', 'prunable', repository);
    const ids: string[] = prunable.data.map(({ worktreeId }: { worktreeId: string }) => worktreeId);
    expect([...ids].sort()).toEqual([...made.slice(0, 3), resolver].map(({ worktreeId }) => worktreeId).sort());
    expect((await run('prune', repository, ...ids, '--delete-branches', '--yes')).code).toBe(0);
    expect(existsSync(right.worktreePath)).toBe(false);
    expect(branches()).toEqual(['main']);
  });
});
